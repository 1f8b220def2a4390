/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which system calls are operations on files, and where in their records what stands. What is made
 * of them is in file-calls.c. */
#include "config.h"
#include "trace/file-calls.h"

#include <string.h>

#define ENTER "syscalls:sys_enter_"
#define EXIT "syscalls:sys_exit_"
#define PROBE "kprobe:"

/* One row a call: its name, what it does, its arguments as the kernel's formats name them. */
static const WprFileCall calls[] = {
  { "open", DOES_OPEN, { "", "", "", "flags" }, "filename" },
  { "openat", DOES_OPEN, { "dfd", "", "", "flags" }, "filename" },
  { "openat2", DOES_OPEN, { "dfd" }, "filename" },
  { "creat", DOES_CREATE, { "" }, "pathname" },
  { "read", DOES_READ, { "fd", "count" }, NULL },
  { "readv", DOES_READ, { "fd" }, NULL },
  { "pread64", DOES_READ, { "fd", "count", "pos" }, NULL },
  { "preadv", DOES_READ, { "fd", "", "pos_l" }, NULL },
  { "preadv2", DOES_READ, { "fd", "", "pos_l" }, NULL },
  { "write", DOES_WRITE, { "fd", "count" }, NULL },
  { "writev", DOES_WRITE, { "fd" }, NULL },
  { "pwrite64", DOES_WRITE, { "fd", "count", "pos" }, NULL },
  { "pwritev", DOES_WRITE, { "fd", "", "pos_l" }, NULL },
  { "pwritev2", DOES_WRITE, { "fd", "", "pos_l" }, NULL },
  { "close", DOES_CLOSE, { "fd" }, NULL },
  { "fsync", DOES_FLUSH, { "fd" }, NULL },
  { "fdatasync", DOES_FLUSH, { "fd" }, NULL },
  { "rename", DOES_RENAME, { "" }, "oldname" },
  { "renameat", DOES_RENAME, { "olddfd", "", "", "", "newdfd" }, "oldname" },
  { "renameat2", DOES_RENAME, { "olddfd", "", "", "", "newdfd" }, "oldname" },
  { "unlink", DOES_DELETE, { "" }, "pathname" },
  { "unlinkat", DOES_DELETE, { "dfd" }, "pathname" },
  { "mkdir", DOES_MAKE_FOLDER, { "" }, "pathname" },
  { "mkdirat", DOES_MAKE_FOLDER, { "dfd" }, "pathname" },
  { "getdents", DOES_LIST, { "fd", "count" }, NULL },
  { "getdents64", DOES_LIST, { "fd", "count" }, NULL },
  { "newfstat", DOES_ASK_FD, { "fd" }, NULL },
  { "newstat", DOES_ASK_NAME, { "" }, "filename" },
  { "newlstat", DOES_ASK_NAME, { "" }, "filename" },
  { "newfstatat", DOES_ASK_NAME, { "dfd", "", "", "flag" }, "filename" },
  { "statx", DOES_ASK_NAME, { "dfd", "", "", "flags" }, "filename" },
  { "lseek", DOES_SEEK, { "fd" }, NULL },
  { "dup", DOES_DUP, { "fildes" }, NULL },
  { "dup2", DOES_DUP, { "oldfd", "", "", "", "newfd" }, NULL },
  { "dup3", DOES_DUP, { "oldfd", "", "", "flags", "newfd" }, NULL },
  { "fcntl", DOES_CONTROL, { "fd", "", "", "arg", "cmd" }, NULL },
  { "close_range", DOES_CLOSE_RANGE, { "fd", "", "", "flags", "max_fd" }, NULL },
  { "chdir", DOES_GO, { "" }, NULL },
  { "fchdir", DOES_GO, { "fd" }, NULL },
};

/* Where the kernel has a name in its own memory already, and which calls come by there. Fields:
 * name, dfd, flags; of a rename also to, todfd. */
static const struct
{
  const char *function;
  guint32 does; /* bits */
} probes[] = {
  { "do_filp_open", 1u << DOES_OPEN | 1u << DOES_CREATE },
  { "do_unlinkat", 1u << DOES_DELETE },
  { "do_renameat2", 1u << DOES_RENAME },
  { "do_mkdirat", 1u << DOES_MAKE_FOLDER },
  { "vfs_statx", 1u << DOES_ASK_NAME },
};

/* ---- records ---- */

static WprConverted
convert_enter (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
               WprEvent *event)
{
  WprFileArguments arguments = { 0 };
  guint32 size = 0;
  for (guint i = 0; i < N_ARGUMENTS; i++)
    if (row->fields[i] != NULL)
      {
        arguments.has |= 1u << i;
        arguments.values[i] = wpr_convert_int (row, i, record);
      }
  if (row->fields[N_ARGUMENTS] != NULL)
    {
      arguments.path = (const char *)wpr_field_bytes (row->fields[N_ARGUMENTS], record->raw,
                                                      record->raw_size, &size);
      arguments.path_size = size;
    }
  return wpr_file_calls_enter (convert->file_calls, row->call, &arguments, event);
}

static WprConverted
convert_exit (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
              WprEvent *event)
{
  const WprFileCall *call = row->call;
  WprConverted converted
      = wpr_file_calls_exit (convert->file_calls, call, wpr_convert_int (row, 0, record), event);
  if (event->kind == WPR_EVENT_TRACEPOINT && call->does < DOES_N_OPERATIONS)
    convert->n_unpaired++;
  return converted;
}

enum
{
  PROBE_NAME,
  PROBE_FOLDER,
  PROBE_FLAGS,
  PROBE_TO,
  PROBE_TO_FOLDER,
  N_PROBE_FIELDS
};
static const char *const probe_fields[N_PROBE_FIELDS] = { "name", "dfd", "flags", "to", "todfd" };

static WprConverted
convert_probe (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
               WprEvent *event)
{
  WprFileNames names = { .folder = WPR_FILES_CWD, .to_folder = WPR_FILES_CWD };
  const WprField *const *fields = row->fields;
  guint32 size = 0;
  names.name
      = (const char *)wpr_field_bytes (fields[PROBE_NAME], record->raw, record->raw_size, &size);
  names.name_size = size;
  if (fields[PROBE_FOLDER] != NULL)
    names.folder = (gint32)wpr_convert_int (row, PROBE_FOLDER, record);
  names.has_flags = fields[PROBE_FLAGS] != NULL;
  if (names.has_flags)
    names.flags = (guint32)wpr_convert_int (row, PROBE_FLAGS, record);
  if (fields[PROBE_TO] != NULL)
    {
      names.to
          = (const char *)wpr_field_bytes (fields[PROBE_TO], record->raw, record->raw_size, &size);
      names.to_size = size;
    }
  if (fields[PROBE_TO_FOLDER] != NULL)
    names.to_folder = (gint32)wpr_convert_int (row, PROBE_TO_FOLDER, record);
  return wpr_file_calls_named (convert->file_calls, GPOINTER_TO_UINT (row->call), &names, event);
}

/* ---- rows ---- */

static const WprFileCall *
find_call (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    if (g_str_equal (calls[i].name, name))
      return &calls[i];
  return NULL;
}

static gboolean
resolve_enter (WprConvertRow *row)
{
  const WprFileCall *call = row->call;
  for (guint i = 0; i < N_ARGUMENTS; i++)
    if (call->arguments[i] != NULL && call->arguments[i][0] != '\0')
      {
        row->fields[i] = wpr_format_field (row->format, call->arguments[i]);
        if (row->fields[i] == NULL)
          return FALSE;
      }
  if (call->path == NULL)
    return TRUE;
  g_autofree char *copied = g_strdup_printf ("__%s_val", call->path);
  row->fields[N_ARGUMENTS] = wpr_format_field (row->format, copied);
  if (row->fields[N_ARGUMENTS] != NULL && (row->fields[N_ARGUMENTS]->flags & WPR_FIELD_STRING) == 0)
    row->fields[N_ARGUMENTS] = NULL;
  return TRUE;
}

static gboolean
resolve_probe (WprConvertRow *row)
{
  for (guint i = 0; i < N_PROBE_FIELDS; i++)
    row->fields[i] = wpr_format_field (row->format, probe_fields[i]);
  return row->fields[PROBE_NAME] != NULL;
}

/* An event the kernel refused has no id. */
static gboolean
is_open (const WprManifest *manifest, guint32 row)
{
  for (guint i = 0; i < manifest->ids->len; i++)
    if (g_array_index (manifest->ids, WprStoreId, i).row == row)
      return TRUE;
  return FALSE;
}

static gboolean
probe_row (WprConvert *convert, WprConvertRow *row, const WprManifest *manifest,
           const WprStoreEvent *event)
{
  for (guint i = 0; i < G_N_ELEMENTS (probes); i++)
    {
      if (!g_str_equal (event->name + strlen (PROBE), probes[i].function) || !resolve_probe (row))
        continue;
      row->func = convert_probe;
      row->call = GUINT_TO_POINTER (probes[i].does);
      if (is_open (manifest, event->row))
        wpr_file_calls_probed (convert->file_calls, probes[i].does);
      return TRUE;
    }
  return FALSE;
}

gboolean
wpr_convert_file_row (WprConvert *convert, WprConvertRow *row, const WprManifest *manifest,
                      const WprStoreEvent *event)
{
  if (!event->as_file || event->name == NULL || row->format == NULL)
    return FALSE;
  if (convert->file_calls == NULL)
    convert->file_calls = wpr_file_calls_new ();
  if (g_str_has_prefix (event->name, PROBE))
    return probe_row (convert, row, manifest, event);
  gboolean enter = g_str_has_prefix (event->name, ENTER);
  if (!enter && !g_str_has_prefix (event->name, EXIT))
    return FALSE;
  row->call = find_call (event->name + (enter ? strlen (ENTER) : strlen (EXIT)));
  if (row->call == NULL)
    return FALSE;
  if (enter)
    {
      row->func = convert_enter;
      return resolve_enter (row);
    }
  row->func = convert_exit;
  row->fields[0] = wpr_format_field (row->format, "ret");
  return row->fields[0] != NULL;
}
