/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a recording goes: the folder, the naming rule, and a name the person typed. May wait for
 * the disk: worker thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* WPR_SAVE_DIR, else "WPR Files" in Documents (in the home where there is none). Asks no disk. */
char *wpr_target_default_folder (void);
/* Makes the folder if it is missing and opens it; -1 with a sentence that names it. */
int wpr_target_open_folder (const char *folder, GError **error);
/* "<host> <date> <time>.etl" in local time, " -2" and so on before ".etl" until it is free. */
char *wpr_target_file_name (int folder_fd);
/* "<name> <words>.etl", as much of the words as a file's name can have; words: NULL, none. */
char *wpr_target_add_words (const char *name, const char *words);
/* Renames without replacing; the new name, or the old one with the reason in error. */
char *wpr_target_rename (int folder_fd, const char *name, const char *wanted, GError **error);
/* The other files of a recording that is several, after the first was renamed: "froze.etl" is
 * followed by "froze-2.etl". What cannot be renamed keeps its name. The names that all have then,
 * NULL for NULL; free with g_strfreev. */
char **wpr_target_rename_parts (int folder_fd, char **parts, const char *first);
/* What a person typed as a file name with ".etl"; NULL where that is no name. */
char *wpr_target_clean_name (const char *typed);

G_END_DECLS
