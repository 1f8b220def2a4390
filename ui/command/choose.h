/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the words of a command line to a choice: profiles, built in or of files, and the options
 * that say how to record them. */
#pragma once

#include <wpr-profile.h>

#include "arguments.h"

G_BEGIN_DECLS

typedef struct
{
  WprLibrary *library; /* built in, and every file named */
  WprChoice *choice;
  GVariant *files; /* a(say): display name and bytes of every file named */
} WprChosen;

/* Options that both -start and -profiledetails take. */
#define WPR_CHOOSE_OPTIONS                                              \
  { "filemode", WPR_OPTION_FLAG }, { "buffersize", WPR_OPTION_VALUE },  \
      { "buffers", WPR_OPTION_VALUE }, { "maxsize", WPR_OPTION_VALUE }, \
      { "ownprograms", WPR_OPTION_FLAG },                               \
  {                                                                     \
    "maxfiles", WPR_OPTION_VALUE                                        \
  }

/* NULL with WPR_ERROR_USAGE or WPR_ERROR_PROFILE. */
WprChosen *wpr_chosen_new (WprArguments *arguments, GError **error);
void wpr_chosen_free (WprChosen *chosen);
/* Adds a .wprp to a library; its bytes into *bytes (NULL ok). */
gboolean wpr_add_profile_file (WprLibrary *library, const char *path, GBytes **bytes,
                               GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprChosen, wpr_chosen_free)

G_END_DECLS
