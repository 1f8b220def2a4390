/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of a person's .wprp files. */
#include "config.h"
#include "customs.h"

struct _WprCustoms
{
  GObject parent;
  WprBackend *backend; /* borrowed; NULL once it has ended */
  GPtrArray *files;
};

G_DEFINE_FINAL_TYPE (WprCustoms, wpr_customs, G_TYPE_OBJECT)

static guint changed_signal;

static void
wpr_customs_finalize (GObject *object)
{
  g_ptr_array_unref (WPR_CUSTOMS (object)->files);
  G_OBJECT_CLASS (wpr_customs_parent_class)->finalize (object);
}

static void
wpr_customs_class_init (WprCustomsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = wpr_customs_finalize;
  changed_signal = g_signal_new ("changed", WPR_TYPE_CUSTOMS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
}

static void
wpr_customs_init (WprCustoms *self)
{
  self->files = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_custom_file_free);
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

const GPtrArray *
wpr_customs_get_files (WprCustoms *self)
{
  return self->files;
}

void
wpr_customs_read (WprCustoms *self, const char *name, gboolean fresh)
{
  if (self->backend != NULL)
    wpr_backend_read_custom (self->backend, self, name, fresh);
}

void
wpr_customs_remove (WprCustoms *self, const char *name)
{
  if (self->backend != NULL)
    wpr_backend_remove_custom (self->backend, self, name);
}

static gboolean
find (WprCustoms *self, const char *name, guint *index)
{
  for (*index = 0; *index < self->files->len; (*index)++)
    {
      const WprCustomFile *file = self->files->pdata[*index];
      if (g_str_equal (file->name, name))
        return TRUE;
    }
  return FALSE;
}

void
wpr_customs_take_file (WprCustoms *self, WprCustomFile *file)
{
  guint index;
  if (find (self, file->name, &index))
    {
      wpr_custom_file_free (self->files->pdata[index]);
      self->files->pdata[index] = file;
    }
  else
    g_ptr_array_add (self->files, file);
  g_signal_emit (self, changed_signal, 0);
}

void
wpr_customs_take_removed (WprCustoms *self, const char *name)
{
  guint index;
  if (!find (self, name, &index))
    return;
  g_ptr_array_remove_index (self->files, index);
  g_signal_emit (self, changed_signal, 0);
}
