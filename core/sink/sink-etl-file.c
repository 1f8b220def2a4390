/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FileIo: operations on files, their ends, and names. PERFINFO headers: who asked is in the
 * payload, and an end is found by its request. Layouts: docs/etl.md. */
#include "config.h"
#include "sink/sink-etl-private.h"

#include <errno.h>
#include <fcntl.h>

#define NAME_CREATED 0x0420
#define NAME_DELETED 0x0423
#define NAME_RUNDOWN 0x0424
#define OP_END 0x044c

/* CreateOptions: what becomes of an existing file in the high byte, options below. */
#define DISPOSITION(n) ((guint32)(n) << 24)
#define OPEN_IT 1
#define CREATE_IT 2
#define OPEN_OR_CREATE 3
#define OVERWRITE 4
#define OVERWRITE_OR_CREATE 5
#define OPTION_FOLDER 0x1
#define OPTION_WRITE_THROUGH 0x2
#define OPTION_UNBUFFERED 0x8
#define OPTION_SYNCHRONOUS 0x20
#define ATTRIBUTE_FOLDER 0x10
#define ATTRIBUTE_NORMAL 0x80
#define SHARE_ALL 7 /* read, write, delete: an open of Linux keeps nobody out */
/* IoFlags: what is known of the request. */
#define REQUEST_UNBUFFERED 0x1
#define REQUEST_READ 0x100
#define REQUEST_WRITE 0x200
/* FILE_INFORMATION_CLASS of what is asked or set. */
#define CLASS_DIRECTORY 1
#define CLASS_RENAME 10
#define CLASS_DISPOSITION 13
#define CLASS_ALL 18

/* What an errno is as NTSTATUS; others as 0xe0000000 + errno, an error with the customer's bit. */
static const struct
{
  int error_number;
  guint32 status;
} statuses[] = {
  { EPERM, 0xc0000022 },        /* ACCESS_DENIED */
  { EACCES, 0xc0000022 },       /* ACCESS_DENIED */
  { ENOENT, 0xc0000034 },       /* OBJECT_NAME_NOT_FOUND */
  { ENOTDIR, 0xc000003a },      /* OBJECT_PATH_NOT_FOUND */
  { EEXIST, 0xc0000035 },       /* OBJECT_NAME_COLLISION */
  { EISDIR, 0xc00000ba },       /* FILE_IS_A_DIRECTORY */
  { ENOTEMPTY, 0xc0000101 },    /* DIRECTORY_NOT_EMPTY */
  { EBADF, 0xc0000008 },        /* INVALID_HANDLE */
  { EFAULT, 0xc0000005 },       /* ACCESS_VIOLATION */
  { EINVAL, 0xc000000d },       /* INVALID_PARAMETER */
  { ENOMEM, 0xc0000017 },       /* NO_MEMORY */
  { EAGAIN, 0xc00000d8 },       /* CANT_WAIT */
  { EINTR, 0xc0000120 },        /* CANCELLED */
  { ENOSPC, 0xc000007f },       /* DISK_FULL */
  { EDQUOT, 0xc0000044 },       /* QUOTA_EXCEEDED */
  { EIO, 0xc0000185 },          /* IO_DEVICE_ERROR */
  { EROFS, 0xc00000a2 },        /* MEDIA_WRITE_PROTECTED */
  { EMFILE, 0xc000011f },       /* TOO_MANY_OPENED_FILES */
  { ENFILE, 0xc000011f },       /* TOO_MANY_OPENED_FILES */
  { ENAMETOOLONG, 0xc0000106 }, /* NAME_TOO_LONG */
  { ETXTBSY, 0xc0000043 },      /* SHARING_VIOLATION */
  { EPIPE, 0xc000014b },        /* PIPE_BROKEN */
  { EXDEV, 0xc00000d4 },        /* NOT_SAME_DEVICE */
  { ENOSYS, 0xc0000002 },       /* NOT_IMPLEMENTED */
  { EOPNOTSUPP, 0xc00000bb },   /* NOT_SUPPORTED */
};
#define STATUS_OTHER 0xe0000000u
#define STATUS_END_OF_FILE 0xc0000011u

static guint32
status_of (const WprEvent *event)
{
  gint64 result = MAX (event->u.file.result, -0xfff);
  /* A read of nothing is the end: Windows calls that an error. */
  if (result == 0 && event->u.file.op == WPR_FILE_READ && event->u.file.size > 0)
    return STATUS_END_OF_FILE;
  if (result >= 0)
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS (statuses); i++)
    if (statuses[i].error_number == -result)
      return statuses[i].status;
  return STATUS_OTHER | (guint32)-result;
}

/* ---- operations ---- */

static void
put_create (WprPayload *payload, const WprEvent *event)
{
  guint32 flags = event->u.file.flags, how;
  gboolean folder = (flags & O_DIRECTORY) != 0;
  if ((flags & O_CREAT) != 0)
    how = (flags & O_EXCL) != 0    ? CREATE_IT
          : (flags & O_TRUNC) != 0 ? OVERWRITE_OR_CREATE
                                   : OPEN_OR_CREATE;
  else
    how = (flags & O_TRUNC) != 0 ? OVERWRITE : OPEN_IT;
  how = DISPOSITION (how) | OPTION_SYNCHRONOUS | (folder ? OPTION_FOLDER : 0)
        | ((flags & O_DSYNC) != 0 ? OPTION_WRITE_THROUGH : 0)
        | ((flags & O_DIRECT) != 0 ? OPTION_UNBUFFERED : 0);
  wpr_payload_u64 (payload, event->u.file.request);
  wpr_payload_u64 (payload, event->u.file.object);
  wpr_payload_u32 (payload, event->tid);
  wpr_payload_u32 (payload, how);
  wpr_payload_u32 (payload, folder ? ATTRIBUTE_FOLDER : ATTRIBUTE_NORMAL);
  wpr_payload_u32 (payload, SHARE_ALL);
  wpr_payload_nt_path (payload, event->u.file.path);
}

static void
put_simple (WprPayload *payload, const WprEvent *event)
{
  wpr_payload_u64 (payload, event->u.file.request);
  wpr_payload_u64 (payload, event->u.file.object);
  wpr_payload_u64 (payload, event->u.file.key);
  wpr_payload_u32 (payload, event->tid);
}

static void
put_transfer (WprPayload *payload, const WprEvent *event)
{
  guint32 flags = event->u.file.op == WPR_FILE_READ ? REQUEST_READ : REQUEST_WRITE;
  if ((event->u.file.flags & O_DIRECT) != 0)
    flags |= REQUEST_UNBUFFERED;
  wpr_payload_u64 (payload, (guint64)event->u.file.offset);
  put_simple (payload, event);
  wpr_payload_u32 (payload, (guint32)MIN (event->u.file.size, G_MAXUINT32));
  wpr_payload_u32 (payload, flags);
}

static void
put_info (WprPayload *payload, const WprEvent *event, guint32 class)
{
  wpr_payload_u64 (payload, event->u.file.request);
  wpr_payload_u64 (payload, event->u.file.object);
  wpr_payload_u64 (payload, event->u.file.key);
  wpr_payload_u64 (payload, 0); /* extra information */
  wpr_payload_u32 (payload, event->tid);
  wpr_payload_u32 (payload, class);
}

static void
put_query (WprPayload *payload, const WprEvent *event)
{
  put_info (payload, event, CLASS_ALL);
}

static void
put_delete (WprPayload *payload, const WprEvent *event)
{
  put_info (payload, event, CLASS_DISPOSITION);
  wpr_payload_nt_path (payload, event->u.file.path);
}

static void
put_rename (WprPayload *payload, const WprEvent *event)
{
  put_info (payload, event, CLASS_RENAME);
  wpr_payload_nt_path (payload, event->u.file.path);
}

static void
put_list (WprPayload *payload, const WprEvent *event)
{
  put_simple (payload, event);
  wpr_payload_u32 (payload, (guint32)MIN (event->u.file.size, G_MAXUINT32));
  wpr_payload_u32 (payload, CLASS_DIRECTORY);
  wpr_payload_u32 (payload, 0); /* file index */
  wpr_payload_wide (payload, NULL, 0);
}

/* One row an operation. */
static const struct
{
  guint16 hook;
  void (*put) (WprPayload *payload, const WprEvent *event);
} operations[] = {
  [WPR_FILE_CREATE] = { 0x0440, put_create },  [WPR_FILE_CLEANUP] = { 0x0441, put_simple },
  [WPR_FILE_CLOSE] = { 0x0442, put_simple },   [WPR_FILE_READ] = { 0x0443, put_transfer },
  [WPR_FILE_WRITE] = { 0x0444, put_transfer }, [WPR_FILE_FLUSH] = { 0x0449, put_simple },
  [WPR_FILE_DELETE] = { 0x044f, put_delete },  [WPR_FILE_RENAME] = { 0x0450, put_rename },
  [WPR_FILE_DIR_ENUM] = { 0x0448, put_list },  [WPR_FILE_QUERY_INFO] = { 0x044a, put_query },
};

gboolean
wpr_sink_etl_file_op (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .version = 3 };
  WprPayload payload;

  g_return_val_if_fail ((guint)event->u.file.op < G_N_ELEMENTS (operations), FALSE);
  head.hook = operations[event->u.file.op].hook;
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  operations[event->u.file.op].put (&payload, event);
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error)
         && wpr_sink_etl_stack (self, event, error);
}

/* ExtraInfo: what the call returned, of a transfer its bytes. */
gboolean
wpr_sink_etl_file_end (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = OP_END, .version = 3 };
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, event->u.file.request);
  wpr_payload_u64 (&payload, (guint64)MAX (event->u.file.result, 0));
  wpr_payload_u32 (&payload, status_of (event));
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error)
         && wpr_sink_etl_stack (self, event, error);
}

/* ---- names ---- */

static gboolean
write_name (WprSinkEtl *self, guint16 hook, guint cpu, gint64 time, guint64 key, const char *name,
            GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = hook, .version = 2 };
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, key);
  wpr_payload_nt_path (&payload, name);
  return wpr_sink_etl_add (self, cpu, time, &head, &payload, error);
}

gboolean
wpr_sink_etl_file_name (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  static const guint16 hooks[] = {
    [WPR_FILE_NAME_CREATED] = NAME_CREATED,
    [WPR_FILE_NAME_KNOWN] = NAME_RUNDOWN,
    [WPR_FILE_NAME_GONE] = NAME_DELETED,
  };

  g_return_val_if_fail ((guint)event->u.file_name.naming < G_N_ELEMENTS (hooks), FALSE);
  return write_name (self, hooks[event->u.file_name.naming], event->cpu, event->time,
                     event->u.file_name.key, event->u.file_name.text, error);
}

gboolean
wpr_sink_etl_file_rundown (WprSinkEtl *self, GError **error)
{
  g_autoptr (GPtrArray) files = NULL;

  if (self->whole->files == NULL)
    return TRUE;
  files = wpr_files_list (self->whole->files);
  for (guint i = 0; i < files->len; i++)
    {
      const WprFile *file = g_ptr_array_index (files, i);

      if (!write_name (self, NAME_RUNDOWN, 0, self->context->end_time, wpr_file_key (file),
                       wpr_file_name (file), error))
        return FALSE;
    }
  return TRUE;
}
