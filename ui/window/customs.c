/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of a person's .wprp files. */
#include "config.h"
#include "customs.h"

struct _WprCustoms
{
  GObject parent;
  WprBackend *backend; /* borrowed; NULL once it has ended */
  GPtrArray *names;    /* in the order added */
  GHashTable *files;   /* of WprCustomFile by name; of those that were read */
};

G_DEFINE_FINAL_TYPE (WprCustoms, wpr_customs, G_TYPE_OBJECT)

static guint file_signal, removed_signal;

static void
wpr_customs_finalize (GObject *object)
{
  WprCustoms *self = WPR_CUSTOMS (object);
  g_ptr_array_unref (self->names);
  g_hash_table_unref (self->files);
  G_OBJECT_CLASS (wpr_customs_parent_class)->finalize (object);
}

static guint
new_signal (const char *name)
{
  return g_signal_new (name, WPR_TYPE_CUSTOMS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                       1, G_TYPE_STRING);
}

static void
wpr_customs_class_init (WprCustomsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = wpr_customs_finalize;
  file_signal = new_signal ("file");
  removed_signal = new_signal ("removed");
}

static void
wpr_customs_init (WprCustoms *self)
{
  self->names = g_ptr_array_new_with_free_func (g_free);
  self->files
      = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)wpr_custom_file_free);
}

WprCustoms *
wpr_customs_new (WprBackend *backend)
{
  WprCustoms *self = g_object_new (WPR_TYPE_CUSTOMS, NULL);
  self->backend = backend;
  return self;
}

void
wpr_customs_close (WprCustoms *self)
{
  self->backend = NULL;
}

const WprCustomFile *
wpr_customs_get_file (WprCustoms *self, const char *name)
{
  return g_hash_table_lookup (self->files, name);
}

char **
wpr_customs_list (WprCustoms *self)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  for (guint i = 0; i < self->names->len; i++)
    g_strv_builder_add (names, self->names->pdata[i]);
  return g_strv_builder_end (names);
}

void
wpr_customs_read (WprCustoms *self, const char *name, gboolean fresh)
{
  if (self->backend == NULL)
    return;
  if (!g_ptr_array_find_with_equal_func (self->names, name, g_str_equal, NULL))
    g_ptr_array_add (self->names, g_strdup (name));
  wpr_backend_read_custom (self->backend, self, name, fresh);
}

void
wpr_customs_check (WprCustoms *self)
{
  for (guint i = 0; self->backend != NULL && i < self->names->len; i++)
    wpr_backend_check_custom (self->backend, self, self->names->pdata[i]);
}

void
wpr_customs_remove (WprCustoms *self, const char *name)
{
  guint index;
  if (self->backend == NULL
      || !g_ptr_array_find_with_equal_func (self->names, name, g_str_equal, &index))
    return;
  g_ptr_array_remove_index (self->names, index);
  wpr_backend_remove_custom (self->backend, self, name);
}

void
wpr_customs_take_file (WprCustoms *self, WprCustomFile *file)
{
  /* removed while it was being read */
  if (!g_ptr_array_find_with_equal_func (self->names, file->name, g_str_equal, NULL))
    {
      wpr_custom_file_free (file);
      return;
    }
  g_hash_table_replace (self->files, file->name, file);
  g_signal_emit (self, file_signal, 0, file->name);
}

void
wpr_customs_take_removed (WprCustoms *self, const char *name)
{
  g_hash_table_remove (self->files, name);
  g_signal_emit (self, removed_signal, 0, name);
}
