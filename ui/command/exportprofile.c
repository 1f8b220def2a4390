/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -exportprofile P1+P2 FILE.wprp: what was chosen, with all it builds on, as one file. */
#include "config.h"
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>
#include <wpr-profile.h>

#include "arguments.h"
#include "choose.h"
#include "say.h"

static const WprOption options[] = { { "filemode", WPR_OPTION_FLAG } };

/* A new file only: another profile is never written over. */
static gboolean
write_new (const char *path, const char *text, GError **error)
{
  gsize size = strlen (text);
  int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  gboolean good = fd >= 0;
  for (gsize done = 0; good && done < size;)
    {
      gssize n = write (fd, text + done, size - done);
      good = n > 0 || errno == EINTR;
      done += n > 0 ? (gsize)n : 0;
    }
  int errsv = errno;
  if (fd >= 0)
    {
      close (fd);
      if (!good)
        unlink (path);
    }
  if (good)
    return TRUE;
  g_autofree char *shown = wpr_format_path (path);
  if (errsv == EEXIST)
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                   _ ("There is a file “%s” already. Choose another name."), shown);
  else
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0, _ ("“%s” cannot be written: %s."), shown,
                   g_strerror (errsv));
  return FALSE;
}

int
wpr_verb_exportprofile (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  if (!wpr_arguments_check (arguments, G_MAXUINT, &error))
    return wpr_complain (error, FALSE);
  if (arguments->words->len < 2)
    {
      wpr_set_error (&error, WPR_ERROR_USAGE, 0xc5600602,
                     _ ("Say which profiles and into which file, for example: wpr -exportprofile "
                        "CPU+DiskIO mine.wprp."));
      return wpr_complain (error, FALSE);
    }
  const char *path = g_ptr_array_index (arguments->words, arguments->words->len - 1);
  g_ptr_array_set_size (arguments->words, (int)arguments->words->len - 1);
  g_autoptr (WprChosen) chosen = wpr_chosen_new (arguments, &error);
  g_autofree char *text
      = chosen != NULL ? wpr_profile_export (chosen->library, chosen->choice, &error) : NULL;
  if (text == NULL || !write_new (path, text, &error))
    return wpr_complain (error, FALSE);
  g_autofree char *shown = wpr_format_path (path);
  wpr_say (_ ("Written to “%s”."), shown);
  return 0;
}
