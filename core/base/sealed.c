/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sealed memory, and whether it is free again. The kernel grants a lease for writing only to who
 * alone has a file open, and a mapping keeps its file open. For that the two ends are two openings
 * of the memfd; passing a descriptor on makes no third, and the file's mode keeps others from it.
 */
#include "config.h"
#include "base/sealed.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/files.h"

#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static int
open_again (int fd)
{
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  return open (path, O_RDWR | O_CLOEXEC);
}

int
wpr_sealed_new (gconstpointer data, gsize size, int *keeper)
{
  int reader = -1, made = memfd_create ("wpr-sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  *keeper = -1;
  if (made < 0)
    return -1;
  if (fchmod (made, 0600) == 0 && wpr_write_all (made, data, size, NULL)
      && fcntl (made, F_ADD_SEALS, SEALS) == 0)
    {
      /* The memfd's own opening is not counted as one. */
      *keeper = open_again (made);
      reader = *keeper >= 0 ? open_again (made) : -1;
    }
  int saved = errno;
  if (reader < 0 && *keeper >= 0)
    close (*keeper);
  if (reader < 0)
    *keeper = -1;
  close (made);
  errno = saved;
  return reader;
}

gboolean
wpr_sealed_is_free (int keeper)
{
  return fcntl (keeper, F_SETLEASE, F_WRLCK) == 0;
}

typedef struct
{
  gpointer base;
  gsize size;
} Mapped;

static void
unmap (gpointer data)
{
  Mapped *mapped = data;
  munmap (mapped->base, mapped->size);
  g_free (mapped);
}

GBytes *
wpr_sealed_map (int fd, gsize size)
{
  struct stat st;
  int seals = fcntl (fd, F_GET_SEALS);
  if (size == 0 || seals < 0 || (seals & SEALS) != SEALS || fstat (fd, &st) != 0
      || (guint64)st.st_size != size)
    return NULL;
  gpointer base = mmap (NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (base == MAP_FAILED)
    return NULL;
  Mapped *mapped = g_new (Mapped, 1);
  *mapped = (Mapped){ base, size };
  return g_bytes_new_with_free_func (base, size, unmap, mapped);
}
