/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* elfutils' client, loaded when it is needed: who never asks for it needs no HTTP library. It keeps
 * what it fetched in a cache of its own. */
#include "config.h"
#include "symbols/debuginfod.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef struct debuginfod_client Client;
typedef int (*ProgressFunc) (Client *client, long done, long total);

struct _WprDebuginfod
{
  void *library;
  Client *client;
  gint64 deadline_us;
  GCancellable *cancellable;
  Client *(*begin) (void);
  void (*end) (Client *client);
  int (*find_debuginfo) (Client *client, const unsigned char *build_id, int size, char **path);
  void (*set_progress) (Client *client, ProgressFunc func);
  void (*set_user_data) (Client *client, void *data);
  void *(*get_user_data) (Client *client);
};

/* The client's functions; the progress callback knows nothing but the client. */
static void *(*get_user_data) (Client *client);

/* Called several times a second; anything but 0 gives up. */
static int
on_progress (Client *client, long done, long total)
{
  const WprDebuginfod *self = get_user_data (client);
  return g_get_monotonic_time () > self->deadline_us
         || g_cancellable_is_cancelled (self->cancellable);
}

static gboolean
load (WprDebuginfod *self)
{
  const struct
  {
    const char *name;
    void **to;
  } rows[] = {
    { "debuginfod_begin", (void **)&self->begin },
    { "debuginfod_end", (void **)&self->end },
    { "debuginfod_find_debuginfo", (void **)&self->find_debuginfo },
    { "debuginfod_set_progressfn", (void **)&self->set_progress },
    { "debuginfod_set_user_data", (void **)&self->set_user_data },
    { "debuginfod_get_user_data", (void **)&self->get_user_data },
  };
  self->library = dlopen ("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
  for (gsize i = 0; self->library != NULL && i < G_N_ELEMENTS (rows); i++)
    {
      *rows[i].to = dlsym (self->library, rows[i].name);
      if (*rows[i].to == NULL)
        return FALSE;
    }
  return self->library != NULL;
}

WprDebuginfod *
wpr_debuginfod_open (gint64 deadline_us, GCancellable *cancellable)
{
  const char *urls = g_getenv ("DEBUGINFOD_URLS");
  if (urls == NULL || *urls == '\0')
    return NULL;
  g_autoptr (WprDebuginfod) self = g_new0 (WprDebuginfod, 1);
  self->deadline_us = deadline_us;
  self->cancellable = cancellable;
  if (!load (self) || (self->client = self->begin ()) == NULL)
    return NULL;
  get_user_data = self->get_user_data;
  self->set_user_data (self->client, self);
  self->set_progress (self->client, on_progress);
  return g_steal_pointer (&self);
}

void
wpr_debuginfod_close (WprDebuginfod *self)
{
  if (self == NULL)
    return;
  if (self->client != NULL)
    self->end (self->client);
  if (self->library != NULL)
    dlclose (self->library);
  g_free (self);
}

int
wpr_debuginfod_find (WprDebuginfod *self, const guint8 *build_id, guint build_id_size)
{
  if (build_id_size == 0 || on_progress (self->client, 0, 0) != 0)
    return -1;
  char *path = NULL;
  int fd = self->find_debuginfo (self->client, build_id, (int)build_id_size, &path);
  free (path);
  return fd;
}
