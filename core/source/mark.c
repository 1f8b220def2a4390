/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Marks: "it happened now", with a sentence. Kept for the whole recording in both modes, since a
 * mark outlives the span a ring holds. */
#include "config.h"

#include <string.h>

#include "source/source.h"

#define WPR_TYPE_SOURCE_MARK (wpr_source_mark_get_type ())
G_DECLARE_FINAL_TYPE (WprSourceMark, wpr_source_mark, WPR, SOURCE_MARK, WprSource)

struct _WprSourceMark
{
  WprSource parent_instance;
  GArray *marks; /* WprMark; memory mode */
};

typedef struct
{
  WprTime when;
  guint cpu;
  char *text;
} WprMark;

G_DEFINE_FINAL_TYPE (WprSourceMark, wpr_source_mark, WPR_TYPE_SOURCE)

static void
wpr_mark_clear (gpointer data)
{
  g_free (((WprMark *)data)->text);
}

static gboolean
wpr_mark_note (WprStore *store, const WprMark *mark, GError **error)
{
  return wpr_store_add_note (store, WPR_NOTE_MARK, mark->cpu, mark->when, 0, 0, mark->text,
                             strlen (mark->text), error);
}

gboolean
wpr_source_mark_add (WprSource *source, WprSession *session, const char *text, WprTime when,
                     guint cpu, GError **error)
{
  g_return_val_if_fail (WPR_IS_SOURCE_MARK (source) && text, FALSE);
  WprSourceMark *self = WPR_SOURCE_MARK (source);
  WprMark mark = { when, cpu, g_utf8_make_valid (text, -1) };
  gboolean good = TRUE;
  if (session->store && !session->backward)
    {
      good = wpr_mark_note (session->store, &mark, error);
      g_free (mark.text);
    }
  else
    g_array_append_val (self->marks, mark);
  return good;
}

static gboolean
wpr_source_mark_copy (WprSource *source, WprSession *session, WprStore *store,
                      WprTime *complete_from, GError **error)
{
  WprSourceMark *self = WPR_SOURCE_MARK (source);
  for (guint i = 0; i < self->marks->len; i++)
    if (!wpr_mark_note (store, &g_array_index (self->marks, WprMark, i), error))
      return FALSE;
  return TRUE;
}

static void
wpr_source_mark_finalize (GObject *object)
{
  g_array_unref (WPR_SOURCE_MARK (object)->marks);
  G_OBJECT_CLASS (wpr_source_mark_parent_class)->finalize (object);
}

static void
wpr_source_mark_class_init (WprSourceMarkClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = wpr_source_mark_finalize;
  WPR_SOURCE_CLASS (klass)->copy = wpr_source_mark_copy;
}

static void
wpr_source_mark_init (WprSourceMark *self)
{
  self->marks = g_array_new (FALSE, FALSE, sizeof (WprMark));
  g_array_set_clear_func (self->marks, wpr_mark_clear);
}

WprSource *
wpr_source_mark_new (void)
{
  return g_object_new (WPR_TYPE_SOURCE_MARK, NULL);
}
