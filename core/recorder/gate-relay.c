/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is passed on. Of the user's messages only the fixed head is read: how long it is, and what
 * kind. Only calls are passed in, and each gets an answer, so that they can be counted. */
#include "config.h"
#include "recorder/gate-relay.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "recorder/gate.h"

/* The fixed part of a message: byte order, type, flags, version, length of the body, serial, length
 * of the array of fields. */
#define HEAD_BYTES 16
#define TYPE_CALL 1
#define TYPE_RETURN 2
#define TYPE_ERROR 3
#define FLAG_NO_REPLY 1
/* Lines of a greeting are short, and few. */
#define LINE_MOST 256
#define LINES_MOST 16
#define CHUNK_BYTES 16384
/* With one answer: the page of figures, or nothing. */
#define FDS_OUT_MOST 4

/* A message as far as it came. */
typedef struct
{
  guint8 head[HEAD_BYTES];
  gsize have, want; /* want 0: head not whole */
} Framing;

typedef struct
{
  const WprRelay *ends;
  Framing in, out;
  GByteArray *message; /* of the user's */
  int fd;              /* that came with it; -1: none */
  guint n_calls;       /* without an answer */
} Passing;

/* ---- greeting ---- */

static gboolean
wait_for (int fd, short events, gint64 end)
{
  for (;;)
    {
      struct pollfd wait = { fd, events, 0 };
      gint64 left_ms = (end - g_get_monotonic_time ()) / 1000;
      int ready = left_ms > 0 ? poll (&wait, 1, (int)left_ms) : 0;
      if (ready > 0)
        return TRUE;
      if (ready == 0 || errno != EINTR)
        return FALSE;
    }
}

static gboolean
send_all (int fd, const void *bytes, gsize size, const int *fds, gsize n_fds)
{
  gint64 end = g_get_monotonic_time () + WPR_GATE_PATIENCE_MS * 1000;
  union
  {
    struct cmsghdr align;
    char room[CMSG_SPACE (FDS_OUT_MOST * sizeof (int))];
  } control = { 0 };
  for (gsize done = 0; done < size;)
    {
      struct iovec part = { (char *)bytes + done, size - done };
      struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
      if (n_fds > 0 && done == 0)
        {
          message.msg_control = control.room;
          message.msg_controllen = CMSG_SPACE (n_fds * sizeof (int));
          struct cmsghdr *rights = CMSG_FIRSTHDR (&message);
          rights->cmsg_level = SOL_SOCKET;
          rights->cmsg_type = SCM_RIGHTS;
          rights->cmsg_len = CMSG_LEN (n_fds * sizeof (int));
          memcpy (CMSG_DATA (rights), fds, n_fds * sizeof (int));
        }
      gssize n = sendmsg (fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0)
        done += (gsize)n;
      else if (n < 0 && errno == EAGAIN ? !wait_for (fd, POLLOUT, end) : errno != EINTR)
        return FALSE;
    }
  return TRUE;
}

static gboolean
say (int fd, const char *text)
{
  return send_all (fd, text, strlen (text), NULL, 0);
}

/* Byte by byte: what is behind the last line is a message's. Descriptors are not taken here. */
static gboolean
hear_byte (int fd, char *byte, gint64 end)
{
  for (;;)
    {
      gssize n = recv (fd, byte, 1, MSG_DONTWAIT);
      if (n == 1)
        return TRUE;
      if (n == 0 || (errno != EAGAIN && errno != EINTR) || !wait_for (fd, POLLIN, end))
        return FALSE;
    }
}

static gboolean
hear_line (int fd, char line[LINE_MOST], gint64 end)
{
  for (gsize n = 0; n + 1 < LINE_MOST; n++)
    {
      if (!hear_byte (fd, &line[n], end))
        return FALSE;
      if (n == 0 || line[n] != '\n' || line[n - 1] != '\r')
        continue;
      line[n - 1] = '\0';
      return TRUE;
    }
  return FALSE;
}

gboolean
wpr_relay_greet (const WprRelay *relay, const char *guid)
{
  gint64 end = g_get_monotonic_time () + WPR_GATE_PATIENCE_MS * 1000;
  char line[LINE_MOST] = "x";
  gboolean is_known = FALSE;
  if (!hear_byte (relay->outer, line, end) || line[0] != '\0')
    return FALSE;
  for (guint i = 0; i < LINES_MOST; i++)
    {
      g_autofree char *ok = g_strdup_printf ("OK %s\r\n", guid);
      if (!hear_line (relay->outer, line, end))
        return FALSE;
      if (g_str_equal (line, "BEGIN"))
        return is_known;
      gboolean says_who
          = g_str_has_prefix (line, "AUTH EXTERNAL") || g_str_has_prefix (line, "DATA");
      is_known |= says_who;
      const char *answer = says_who                                  ? ok
                           : g_str_has_prefix (line, "AUTH")         ? "REJECTED EXTERNAL\r\n"
                           : g_str_equal (line, "NEGOTIATE_UNIX_FD") ? "AGREE_UNIX_FD\r\n"
                                                                     : "ERROR\r\n";
      if (!say (relay->outer, answer))
        return FALSE;
    }
  return FALSE;
}

gboolean
wpr_relay_enter (const WprRelay *relay)
{
  gint64 end = g_get_monotonic_time () + WPR_GATE_PATIENCE_MS * 1000;
  char line[LINE_MOST];
  /* The number of this process's user in hexadecimal digits of its decimal ones. */
  g_autofree char *uid = g_strdup_printf ("%u", (guint)geteuid ());
  g_autoptr (GString) hello = g_string_new ("AUTH EXTERNAL ");
  for (const char *c = uid; *c != '\0'; c++)
    g_string_append_printf (hello, "%02x", (guint)*c);
  g_string_append (hello, "\r\n");
  return send_all (relay->inner, "", 1, NULL, 0) && say (relay->inner, hello->str)
         && hear_line (relay->inner, line, end) && g_str_has_prefix (line, "OK")
         && say (relay->inner, "NEGOTIATE_UNIX_FD\r\n") && hear_line (relay->inner, line, end)
         && g_str_equal (line, "AGREE_UNIX_FD") && say (relay->inner, "BEGIN\r\n");
}

/* ---- messages ---- */

static guint32
head_number (const guint8 *head, gsize at)
{
  guint32 number;
  memcpy (&number, head + at, sizeof number);
  return head[0] == 'B' ? GUINT32_FROM_BE (number) : GUINT32_FROM_LE (number);
}

/* Bytes of the whole message; 0 if it is none, or larger than `most`. */
static guint64
message_bytes (const guint8 *head, guint64 most)
{
  guint64 body = head_number (head, 4), fields = head_number (head, 12);
  guint64 bytes = ((HEAD_BYTES + fields + 7) & ~(guint64)7) + body;
  return (head[0] == 'l' || head[0] == 'B') && bytes <= most ? bytes : 0;
}

/* What came with a packet. FALSE if there was more than one may send; what is in `fds` is the
 * caller's either way. */
static gboolean
take_fds (struct msghdr *message, GArray *fds, guint most)
{
  for (struct cmsghdr *c = CMSG_FIRSTHDR (message); c != NULL; c = CMSG_NXTHDR (message, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
      g_array_append_vals (fds, CMSG_DATA (c),
                           (guint)((c->cmsg_len - CMSG_LEN (0)) / sizeof (int)));
  return fds->len <= most && (message->msg_flags & MSG_CTRUNC) == 0;
}

static void
close_fd (gpointer fd)
{
  close (*(int *)fd);
}

static GArray *
fds_new (void)
{
  GArray *fds = g_array_new (FALSE, FALSE, sizeof (int));
  g_array_set_clear_func (fds, close_fd);
  return fds;
}

/* The next piece of a socket into the room; its size, 0 at the end, -1 for "not now". */
static gssize
take_piece (int fd, guint8 *room, gsize size, GArray *fds, guint most_fds)
{
  union
  {
    struct cmsghdr align;
    char room[CMSG_SPACE (FDS_OUT_MOST * sizeof (int))];
  } control;
  struct iovec part = { room, size };
  struct msghdr message = { .msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.room,
                            .msg_controllen = sizeof control.room };
  gssize n = recvmsg (fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n < 0)
    return errno == EAGAIN || errno == EINTR ? -1 : 0;
  return take_fds (&message, fds, most_fds) ? n : 0;
}

/* One whole message of the user's, by itself. */
static gboolean
pass_in (Passing *passing)
{
  guint8 *head = passing->message->data;
  int fd = passing->fd;
  passing->fd = -1;
  gboolean good = TRUE;
  if (head[1] == TYPE_CALL)
    {
      head[2] &= (guint8)~FLAG_NO_REPLY;
      passing->n_calls++;
      good = send_all (passing->ends->inner, head, passing->message->len, &fd, fd >= 0 ? 1 : 0);
    }
  if (fd >= 0)
    close (fd);
  g_byte_array_set_size (passing->message, 0);
  passing->in = (Framing){ 0 };
  return good;
}

/* FALSE: the user is gone, or breaks the rules. */
static gboolean
take_in (Passing *passing)
{
  Framing *in = &passing->in;
  g_autoptr (GArray) fds = fds_new ();
  gsize want = in->want > 0 ? in->want : HEAD_BYTES, have = passing->message->len;
  guint8 room[CHUNK_BYTES];
  gssize n = take_piece (passing->ends->outer, room, MIN (want - have, sizeof room), fds, 1);
  if (n < 0)
    return TRUE;
  if (n == 0 || (fds->len > 0 && passing->fd >= 0))
    return FALSE;
  if (fds->len > 0)
    {
      passing->fd = g_array_index (fds, int, 0);
      g_array_set_clear_func (fds, NULL);
    }
  g_byte_array_append (passing->message, room, (guint)n);
  if (in->want == 0 && passing->message->len == HEAD_BYTES)
    {
      in->want = message_bytes (passing->message->data, WPR_GATE_MESSAGE_MOST);
      if (in->want == 0)
        return FALSE;
    }
  return in->want == 0 || passing->message->len < in->want || pass_in (passing);
}

/* Counts the answers among what goes out. */
static void
follow_out (Passing *passing, const guint8 *bytes, gsize size)
{
  Framing *out = &passing->out;
  while (size > 0)
    {
      gsize n
          = out->want == 0 ? MIN (HEAD_BYTES - out->have, size) : MIN (out->want - out->have, size);
      if (out->want == 0)
        memcpy (out->head + out->have, bytes, n);
      out->have += n;
      bytes += n;
      size -= n;
      if (out->want == 0 && out->have == HEAD_BYTES)
        out->want = MAX (message_bytes (out->head, G_MAXUINT32), HEAD_BYTES);
      if (out->want == 0 || out->have < out->want)
        continue;
      if ((out->head[1] == TYPE_RETURN || out->head[1] == TYPE_ERROR) && passing->n_calls > 0)
        passing->n_calls--;
      *out = (Framing){ 0 };
    }
}

static gboolean
pass_out (Passing *passing)
{
  g_autoptr (GArray) fds = fds_new ();
  guint8 room[CHUNK_BYTES];
  gssize n = take_piece (passing->ends->inner, room, sizeof room, fds, FDS_OUT_MOST);
  if (n < 0)
    return TRUE;
  if (n == 0)
    return FALSE;
  follow_out (passing, room, (gsize)n);
  return send_all (passing->ends->outer, room, (gsize)n, (const int *)fds->data, fds->len);
}

void
wpr_relay_run (const WprRelay *relay)
{
  Passing passing = { .ends = relay, .fd = -1, .message = g_byte_array_new () };
  for (gboolean good = TRUE; good;)
    {
      /* One who asks without listening to the answers is not listened to either. */
      gboolean is_full = passing.n_calls >= WPR_GATE_CALLS_MOST;
      struct pollfd waits[]
          = { { relay->inner, POLLIN, 0 }, { is_full ? -1 : relay->outer, POLLIN, 0 } };
      if (poll (waits, G_N_ELEMENTS (waits), -1) < 0 && errno != EINTR)
        break;
      if (waits[0].revents != 0)
        good = pass_out (&passing);
      if (good && waits[1].revents != 0)
        good = take_in (&passing);
    }
  if (passing.fd >= 0)
    close (passing.fd);
  g_byte_array_unref (passing.message);
}
