/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The class every source derives from: the hook table, with defaults that do nothing. What a
 * source does lives in its own file. */
#include "config.h"

#include "source/source.h"

G_DEFINE_ABSTRACT_TYPE (WprSource, wpr_source, G_TYPE_OBJECT)

static void
wpr_source_class_init (WprSourceClass *klass)
{
}

static void
wpr_source_init (WprSource *self)
{
}

void
wpr_source_probe (WprSource *self, WprMachine *machine)
{
  g_return_if_fail (WPR_IS_SOURCE (self) && machine);
  if (WPR_SOURCE_GET_CLASS (self)->probe)
    WPR_SOURCE_GET_CLASS (self)->probe (self, machine);
}

gboolean
wpr_source_prepare (WprSource *self, WprSession *session, GError **error)
{
  g_return_val_if_fail (WPR_IS_SOURCE (self) && session, FALSE);
  if (!WPR_SOURCE_GET_CLASS (self)->prepare)
    return TRUE;
  return WPR_SOURCE_GET_CLASS (self)->prepare (self, session, error);
}

gboolean
wpr_source_start (WprSource *self, WprSession *session, gboolean sideband, GError **error)
{
  g_return_val_if_fail (WPR_IS_SOURCE (self) && session, FALSE);
  if (!WPR_SOURCE_GET_CLASS (self)->start)
    return TRUE;
  return WPR_SOURCE_GET_CLASS (self)->start (self, session, sideband, error);
}

gboolean
wpr_source_stop (WprSource *self, WprSession *session, GError **error)
{
  g_return_val_if_fail (WPR_IS_SOURCE (self) && session, FALSE);
  if (!WPR_SOURCE_GET_CLASS (self)->stop)
    return TRUE;
  return WPR_SOURCE_GET_CLASS (self)->stop (self, session, error);
}

gboolean
wpr_source_drain (WprSource *self, WprSession *session, GError **error)
{
  g_return_val_if_fail (WPR_IS_SOURCE (self) && session, FALSE);
  if (!WPR_SOURCE_GET_CLASS (self)->drain)
    return TRUE;
  return WPR_SOURCE_GET_CLASS (self)->drain (self, session, error);
}

gboolean
wpr_source_copy (WprSource *self, WprSession *session, WprStore *store, WprTime *complete_from,
                 GError **error)
{
  g_return_val_if_fail (WPR_IS_SOURCE (self) && session && store && complete_from, FALSE);
  if (!WPR_SOURCE_GET_CLASS (self)->copy)
    return TRUE;
  return WPR_SOURCE_GET_CLASS (self)->copy (self, session, store, complete_from, error);
}

gboolean
wpr_source_set (WprSource *self, WprSession *session, const WprPlanItem *item, gboolean on,
                GError **error)
{
  g_return_val_if_fail (WPR_IS_SOURCE (self) && session && item, FALSE);
  if (!WPR_SOURCE_GET_CLASS (self)->set)
    return TRUE;
  return WPR_SOURCE_GET_CLASS (self)->set (self, session, item, on, error);
}

gboolean
wpr_source_grow (WprSource *self, WprSession *session, guint collector, guint64 ring_bytes,
                 GError **error)
{
  g_return_val_if_fail (WPR_IS_SOURCE (self) && session, FALSE);
  if (!WPR_SOURCE_GET_CLASS (self)->grow)
    return TRUE;
  return WPR_SOURCE_GET_CLASS (self)->grow (self, session, collector, ring_bytes, error);
}

void
wpr_source_figures (WprSource *self, WprSession *session, gboolean counts, GArray *figures,
                    GArray *losses)
{
  g_return_if_fail (WPR_IS_SOURCE (self) && session && figures && losses);
  if (WPR_SOURCE_GET_CLASS (self)->figures)
    WPR_SOURCE_GET_CLASS (self)->figures (self, session, counts, figures, losses);
}

void
wpr_source_poll_fds (WprSource *self, GArray *fds)
{
  g_return_if_fail (WPR_IS_SOURCE (self) && fds);
  if (WPR_SOURCE_GET_CLASS (self)->poll_fds)
    WPR_SOURCE_GET_CLASS (self)->poll_fds (self, fds);
}

void
wpr_source_withdraw (WprSource *self, WprSession *session)
{
  g_return_if_fail (WPR_IS_SOURCE (self) && session);
  if (WPR_SOURCE_GET_CLASS (self)->withdraw)
    WPR_SOURCE_GET_CLASS (self)->withdraw (self, session);
}

void
wpr_source_close (WprSource *self)
{
  g_return_if_fail (WPR_IS_SOURCE (self));
  if (WPR_SOURCE_GET_CLASS (self)->close)
    WPR_SOURCE_GET_CLASS (self)->close (self);
}

gboolean
wpr_source_is_file (const WprPlanItem *item)
{
  static const char *const keywords[] = { "FileIO", "FileIOInit", "Filename", NULL };
  for (guint i = 0; i < item->keywords->len; i++)
    if (g_strv_contains (keywords, g_ptr_array_index (item->keywords, i)))
      return TRUE;
  return FALSE;
}

GPtrArray *
wpr_sources_new (void)
{
  GPtrArray *sources = g_ptr_array_new_with_free_func (g_object_unref);
  g_ptr_array_add (sources, wpr_source_kernel_new ());
  g_ptr_array_add (sources, wpr_source_sampler_new ());
  g_ptr_array_add (sources, wpr_source_files_new ());
  g_ptr_array_add (sources, wpr_source_mark_new ());
  return sources;
}
