/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A guide is read from its file, planned, and its words put together. */
#include "config.h"
#include "guide.h"

#include <glib/gi18n.h>
#include <string.h>
#include <wpr-recorder.h>
#include "details.h"
#include "profile-item.h"

/* Characters of the words in a file's name: enough to know it by, and it stays in one line. */
#define MOST_NAME_CHARS 60

/* ---- words ---- */

/* "2. Open it", "2) Open it" -> "Open it": the page numbers them itself. */
static const char *
skip_number (const char *step)
{
  gsize digits = strspn (step, "0123456789");
  if (digits == 0 || digits > 2 || (step[digits] != '.' && step[digits] != ')'))
    return step;
  const char *rest = step + digits + 1;
  return *rest == ' ' ? rest + strspn (rest, " ") : step;
}

static void
add_step (GStrvBuilder *steps, const char *begin, const char *end)
{
  g_autofree char *text = g_strstrip (g_strndup (begin, end - begin));
  const char *step = skip_number (text);
  if (*step != '\0')
    g_strv_builder_add (steps, step);
}

/* Where "NUMBER. " stands behind a blank; NULL if it does not. XML makes blanks of the line breaks
 * that somebody typed into an attribute, so that only the numbers are left. */
static const char *
find_number (const char *text, guint number)
{
  g_autofree char *mark = g_strdup_printf (" %u. ", number);
  const char *found = strstr (text, mark);
  return found != NULL ? found + 1 : NULL;
}

static void
split_numbered (GStrvBuilder *steps, const char *line)
{
  const char *begin = line;
  guint number = g_str_has_prefix (line, "1. ") ? 2 : 1;
  for (const char *next; (next = find_number (begin, number)) != NULL; number++)
    {
      add_step (steps, begin, next);
      begin = next;
    }
  add_step (steps, begin, begin + strlen (begin));
}

char **
wpr_guide_split_steps (const char *comments)
{
  g_autoptr (GStrvBuilder) steps = g_strv_builder_new ();
  g_auto (GStrv) lines = g_strsplit (comments ? comments : "", "\n", -1);
  guint n = g_strv_length (lines);
  if (n == 1)
    split_numbered (steps, g_strstrip (lines[0]));
  for (guint i = 0; n > 1 && i < n; i++)
    add_step (steps, lines[i], lines[i] + strlen (lines[i]));
  return g_strv_builder_end (steps);
}

char *
wpr_guide_describe (const char *ticket, const char *note)
{
  g_autofree char *number = g_strstrip (g_strdup (ticket));
  g_autofree char *words = g_strstrip (g_strdup (note));
  if (*number == '\0')
    return g_steal_pointer (&words);
  if (*words == '\0')
    /* Translators: the number of a helpdesk's ticket */
    return g_strdup_printf (_ ("Ticket %s"), number);
  /* Translators: the number of a helpdesk's ticket, and what was wrong */
  return g_strdup_printf (_ ("Ticket %s: %s"), number, words);
}

char *
wpr_guide_name_words (const char *ticket, const char *note)
{
  g_autofree char *number = g_strstrip (g_strdup (ticket));
  g_autofree char *first = *number ? g_strdup_printf (_ ("Ticket %s"), number) : g_strdup ("");
  g_autofree char *words = g_strconcat (first, " ", note, NULL);
  GString *name = g_string_new (NULL);
  glong chars = 0;
  for (const char *at = words; *at != '\0' && chars < MOST_NAME_CHARS; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      gboolean refused = c < 128 && strchr ("/\\:*?\"<>|", (int)c) != NULL;
      if (g_unichar_isspace (c) || g_unichar_iscntrl (c) || refused)
        c = ' ';
      if (c == ' ' && (name->len == 0 || name->str[name->len - 1] == ' '))
        continue;
      g_string_append_unichar (name, c);
      chars++;
    }
  char *text = g_string_free (name, FALSE);
  gsize end = strlen (text);
  while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '.'))
    text[--end] = '\0';
  return text;
}

/* ---- reading ---- */

/* Behind "guide:", else whoever the file names. */
static char *
find_who (WprLibrary *library, const char *name, const char *tag)
{
  static const char *const others[] = { "Team", "Author", "Company" };
  if (tag != NULL && g_str_has_prefix (tag, WPR_GUIDE_TAG))
    {
      g_autofree char *who = g_strstrip (g_strdup (tag + strlen (WPR_GUIDE_TAG)));
      if (*who != '\0')
        return g_steal_pointer (&who);
    }
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *who = wpr_library_dup_remark (library, name, others[i]);
      if (who != NULL && *g_strstrip (who) != '\0')
        return g_steal_pointer (&who);
    }
  return g_strdup ("");
}

/* Memory where all have that, verbose where one has that, as `wpr -start FILE.wprp` would. */
static void
choose_variants (WprGuide *guide, const GPtrArray *profiles)
{
  gboolean memory = TRUE, verbose = FALSE;
  for (guint i = 0; i < profiles->len; i++)
    {
      const WprProfile *profile = profiles->pdata[i];
      memory &= profile->has[WPR_LEVEL_VERBOSE][WPR_MODE_MEMORY]
                || profile->has[WPR_LEVEL_LIGHT][WPR_MODE_MEMORY];
    }
  guide->mode = memory ? WPR_MODE_MEMORY : WPR_MODE_FILE;
  for (guint i = 0; i < profiles->len; i++)
    verbose |= ((const WprProfile *)profiles->pdata[i])->has[WPR_LEVEL_VERBOSE][guide->mode];
  guide->level = verbose ? WPR_LEVEL_VERBOSE : WPR_LEVEL_LIGHT;
}

/* What the file stands for. */
static void
plan (WprGuide *guide, WprLibrary *library, const WprMachine *machine)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) profiles = wpr_library_list_defaults (library, guide->file->name, &error);
  if (profiles == NULL)
    {
      guide->error = g_strdup (error->message);
      return;
    }
  choose_variants (guide, profiles);
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  g_autoptr (GStrvBuilder) ids = g_strv_builder_new ();
  choice->mode = guide->mode;
  for (guint i = 0; i < profiles->len; i++)
    {
      const WprProfile *profile = profiles->pdata[i];
      g_autofree char *id = wpr_profile_make_id (profile);
      wpr_choice_add (choice, profile->name, profile->source, guide->level);
      g_strv_builder_add (ids, id);
    }
  choice->sample_interval_100ns = wpr_sample_interval_get ();
  guide->plan = wpr_plan_new (library, choice, machine, &error);
  if (guide->plan == NULL)
    guide->error = g_strdup (error->message);
  else
    guide->ids = g_strv_builder_end (ids);
  if (guide->plan == NULL || !guide->plan->unlock
      || wpr_machine_get_unlock (machine) != WPR_UNLOCK_ASK)
    return;
  choice->unlock = FALSE;
  g_autoptr (WprPlan) own = wpr_plan_new (library, choice, machine, NULL);
  if (own != NULL && !own->needs_rights && !wpr_details_is_empty (own))
    guide->own_plan = g_steal_pointer (&own);
}

WprGuide *
wpr_guide_new (WprLibrary *library, const WprMachine *machine, const char *name,
               const WprCustomContent *content, GBytes **bytes)
{
  WprGuide *guide = g_atomic_rc_box_new0 (WprGuide);
  guide->file = wpr_custom_file_new (library, name, content, bytes);
  g_autofree char *tag = wpr_library_dup_remark (library, name, "Tag");
  g_autofree char *comments = wpr_library_dup_remark (library, name, "Comments");
  guide->is_guide = tag != NULL && g_str_has_prefix (tag, WPR_GUIDE_TAG);
  guide->who = find_who (library, name, tag);
  guide->steps = wpr_guide_split_steps (comments);
  guide->title = g_strdup (guide->file->title ? guide->file->title : guide->file->shown);
  guide->rights_text = g_strdup (wpr_machine_get_rights_text (machine));
  if (guide->file->usable)
    plan (guide, library, machine);
  return guide;
}

WprGuide *
wpr_guide_ref (WprGuide *guide)
{
  return g_atomic_rc_box_acquire (guide);
}

static void
clear_guide (gpointer data)
{
  WprGuide *guide = data;
  wpr_custom_file_free (guide->file);
  g_clear_pointer (&guide->plan, wpr_plan_unref);
  g_clear_pointer (&guide->own_plan, wpr_plan_unref);
  g_strfreev (guide->steps);
  g_free (guide->who);
  g_free (guide->title);
  g_strfreev (guide->ids);
  g_free (guide->error);
  g_free (guide->rights_text);
}

void
wpr_guide_unref (WprGuide *guide)
{
  g_atomic_rc_box_release_full (guide, clear_guide);
}
