/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lasts, in GSettings. */
#include "config.h"
#include "settings.h"

/* As the window's template and the schema say. */
#define DEFAULT_WIDTH 960
#define DEFAULT_HEIGHT 680

struct _WprSettings
{
  GObject parent;
  GSettings *store; /* NULL where the schema is not installed */
};

G_DEFINE_FINAL_TYPE (WprSettings, wpr_settings, G_TYPE_OBJECT)

static void
wpr_settings_finalize (GObject *object)
{
  g_clear_object (&WPR_SETTINGS (object)->store);
  G_OBJECT_CLASS (wpr_settings_parent_class)->finalize (object);
}

static void
wpr_settings_class_init (WprSettingsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = wpr_settings_finalize;
}

static void
wpr_settings_init (WprSettings *self)
{
}

/* From the build folder the schema is two folders up, in resources. */
static GSettings *
open_store (const char *beside)
{
  GSettingsSchemaSource *source = g_settings_schema_source_get_default ();
  g_autoptr (GSettingsSchemaSource) built = NULL;
  g_autofree char *folder = g_build_filename (beside, "..", "..", "resources", NULL);
  built = g_settings_schema_source_new_from_directory (folder, source, TRUE, NULL);
  if (built != NULL)
    source = built;
  if (source == NULL)
    return NULL;
  g_autoptr (GSettingsSchema) schema = g_settings_schema_source_lookup (source, WPR_APP_ID, TRUE);
  return schema ? g_settings_new_full (schema, NULL, NULL) : NULL;
}

WprSettings *
wpr_settings_new (const char *beside)
{
  WprSettings *self = g_object_new (WPR_TYPE_SETTINGS, NULL);
  self->store = open_store (beside);
  return self;
}

/* One row a number of the wish: its key and its place. */
static const struct
{
  const char *key;
  gsize offset;
} numbers[] = {
  { "buffer-size-kb", G_STRUCT_OFFSET (WprWish, buffer_kb) },
  { "buffers", G_STRUCT_OFFSET (WprWish, buffers) },
  { "stop-after-s", G_STRUCT_OFFSET (WprWish, stop_after_s) },
  { "stop-at-mb", G_STRUCT_OFFSET (WprWish, stop_at_mb) },
};

WprWish *
wpr_settings_get_wish (WprSettings *self)
{
  WprWish *wish = g_new0 (WprWish, 1);
  if (self->store == NULL)
    {
      wish->names = g_strsplit ("GeneralProfile", " ", 0);
      return wish;
    }
  wish->names = g_settings_get_strv (self->store, "profiles");
  wish->mode = g_settings_get_enum (self->store, "mode");
  wish->level = g_settings_get_enum (self->store, "level");
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    G_STRUCT_MEMBER (guint, wish, numbers[i].offset)
        = g_settings_get_uint (self->store, numbers[i].key);
  return wish;
}

void
wpr_settings_set_wish (WprSettings *self, const WprWish *wish)
{
  if (self->store == NULL)
    return;
  g_settings_set_strv (self->store, "profiles", (const char *const *)wish->names);
  g_settings_set_enum (self->store, "mode", wish->mode);
  g_settings_set_enum (self->store, "level", wish->level);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_settings_set_uint (self->store, numbers[i].key,
                         G_STRUCT_MEMBER (guint, wish, numbers[i].offset));
}

char **
wpr_settings_get_files (WprSettings *self)
{
  return self->store ? g_settings_get_strv (self->store, "custom-profiles") : g_new0 (char *, 1);
}

void
wpr_settings_set_files (WprSettings *self, const char *const *files)
{
  if (self->store != NULL)
    g_settings_set_strv (self->store, "custom-profiles", files);
}

char *
wpr_settings_get_folder (WprSettings *self)
{
  g_autofree char *folder = self->store ? g_settings_get_string (self->store, "save-folder") : NULL;
  return folder != NULL && *folder != '\0' ? g_steal_pointer (&folder) : NULL;
}

void
wpr_settings_set_folder (WprSettings *self, const char *folder)
{
  if (self->store != NULL)
    g_settings_set_string (self->store, "save-folder", folder ? folder : "");
}

static gboolean
get_switch (WprSettings *self, const char *key, gboolean otherwise)
{
  return self->store != NULL ? g_settings_get_boolean (self->store, key) : otherwise;
}

static void
set_switch (WprSettings *self, const char *key, gboolean on)
{
  if (self->store != NULL)
    g_settings_set_boolean (self->store, key, on);
}

gboolean
wpr_settings_get_compress (WprSettings *self)
{
  return get_switch (self, "compress", FALSE);
}

void
wpr_settings_set_compress (WprSettings *self, gboolean compress)
{
  set_switch (self, "compress", compress);
}

gboolean
wpr_settings_get_names (WprSettings *self)
{
  return get_switch (self, "function-names", TRUE);
}

void
wpr_settings_set_names (WprSettings *self, gboolean names)
{
  set_switch (self, "function-names", names);
}

gboolean
wpr_settings_get_notifications (WprSettings *self)
{
  return get_switch (self, "notifications", TRUE);
}

void
wpr_settings_set_notifications (WprSettings *self, gboolean notifications)
{
  set_switch (self, "notifications", notifications);
}

void
wpr_settings_get_size (WprSettings *self, int *width, int *height, gboolean *maximized)
{
  *width = DEFAULT_WIDTH;
  *height = DEFAULT_HEIGHT;
  *maximized = FALSE;
  if (self->store == NULL)
    return;
  g_settings_get (self->store, "window-size", "(ii)", width, height);
  *maximized = g_settings_get_boolean (self->store, "window-maximized");
}

void
wpr_settings_set_size (WprSettings *self, int width, int height, gboolean maximized)
{
  if (self->store == NULL)
    return;
  g_settings_set (self->store, "window-size", "(ii)", width, height);
  g_settings_set_boolean (self->store, "window-maximized", maximized);
}
