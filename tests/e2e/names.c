/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a screen reader would have no words for. */
#include "shot.h"

#include <string.h>

/* Of these roles a person must be told what they are. */
static const AtspiRole told[] = {
  ATSPI_ROLE_PUSH_BUTTON, ATSPI_ROLE_TOGGLE_BUTTON, ATSPI_ROLE_CHECK_BOX,   ATSPI_ROLE_RADIO_BUTTON,
  ATSPI_ROLE_ENTRY,       ATSPI_ROLE_TEXT,          ATSPI_ROLE_SPIN_BUTTON, ATSPI_ROLE_SLIDER,
  ATSPI_ROLE_COMBO_BOX,   ATSPI_ROLE_MENU_ITEM,     ATSPI_ROLE_LINK,        ATSPI_ROLE_PAGE_TAB,
  ATSPI_ROLE_IMAGE,       ATSPI_ROLE_PROGRESS_BAR,  ATSPI_ROLE_LEVEL_BAR,   ATSPI_ROLE_DIALOG,
};

static gboolean
is_told (AtspiRole role)
{
  for (guint i = 0; i < G_N_ELEMENTS (told); i++)
    if (told[i] == role)
      return TRUE;
  return FALSE;
}

/* An image in one of these says nothing more. */
static gboolean
is_around_images (AtspiRole role)
{
  return role != ATSPI_ROLE_IMAGE && (is_told (role) || role == ATSPI_ROLE_LIST_ITEM);
}

/* GTK says the name of the class where it has none. */
static gboolean
is_class (const char *name)
{
  return g_str_has_prefix (name, "Gtk") || g_str_has_prefix (name, "Adw")
         || g_str_has_prefix (name, "Wpr");
}

typedef struct
{
  const char *page;
  const char *path;    /* names above it */
  gboolean in_a_named; /* button, row, .. */
} Walk;

static void
walk (AtspiAccessible *accessible, const Walk *above, guint *nameless, guint depth)
{
  if (depth > 1 && !atspi_accessible_has_state (accessible, ATSPI_STATE_VISIBLE))
    return;
  AtspiRole role = atspi_accessible_get_role (accessible);
  g_autofree char *name = atspi_accessible_get_name (accessible);
  g_autofree char *role_name = atspi_accessible_get_role_name (accessible);
  gboolean empty = name == NULL || *name == '\0' || is_class (name);
  g_autofree char *path
      = g_strdup_printf ("%s/%s%s%s", above->path, role_name, empty ? "" : ":", empty ? "" : name);
  if (empty && is_told (role) && !(role == ATSPI_ROLE_IMAGE && above->in_a_named))
    {
      g_printerr ("%s: nameless: %s (%s)\n", above->page, path, name ? name : "");
      (*nameless)++;
    }
  Walk here = { .page = above->page,
                .path = path,
                .in_a_named = above->in_a_named || (!empty && is_around_images (role)) };
  g_autoptr (GPtrArray) children = atspi_accessible_get_children (accessible);
  for (guint i = 0; i < children->len; i++)
    walk (children->pdata[i], &here, nameless, depth + 1);
}

guint
check_names (Screen *screen, const char *page)
{
  guint nameless = 0;
  Walk top = { .page = page, .path = "" };
  walk (screen->root, &top, &nameless, 0);
  return nameless;
}
