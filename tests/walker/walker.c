/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An independent reader of .etl files for the recording tests: shares nothing with core/, knows
 * only what docs/etl.md says, prints one line a thing. What it prints is listed in meson.build
 * beside it. Ends with 1 and a line "fault .." on the first violation of the format. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_KINDS 8192

static uint8_t *file;
static size_t file_size;
static const char *wanted = "kinds";
static struct
{
  char name[160];
  uint64_t count;
} kinds[MOST_KINDS];
static unsigned n_kinds;

static uint64_t
number (const uint8_t *at, unsigned bytes)
{
  uint64_t value = 0;

  while (bytes-- > 0)
    value = value << 8 | at[bytes];
  return value;
}

#define U16(at) ((unsigned)number ((at), 2))
#define U32(at) ((unsigned)number ((at), 4))
#define U64(at) number ((at), 8)

static void
fault (const char *what, size_t offset)
{
  printf ("fault %s at byte %zu\n", what, offset);
  exit (1);
}

static void
count (const char *name)
{
  for (unsigned i = 0; i < n_kinds; i++)
    if (strcmp (kinds[i].name, name) == 0)
      {
        kinds[i].count++;
        return;
      }
  if (n_kinds == MOST_KINDS)
    fault ("more kinds than fit", 0);
  snprintf (kinds[n_kinds].name, sizeof kinds[0].name, "%s", name);
  kinds[n_kinds++].count = 1;
}

/* UTF-16 as UTF-8 without surrogates, up to its NUL. */
static void
print_wide (const uint8_t *at, const uint8_t *end)
{
  for (; at + 2 <= end && U16 (at) != 0; at += 2)
    if (U16 (at) < 0x80)
      putchar (U16 (at));
    else if (U16 (at) < 0x800)
      printf ("%c%c", 0xc0 | U16 (at) >> 6, 0x80 | (U16 (at) & 63));
    else
      printf ("%c%c%c", 0xe0 | U16 (at) >> 12, 0x80 | (U16 (at) >> 6 & 63), 0x80 | (U16 (at) & 63));
  putchar ('\n');
}

/* ---- kernel events ---- */

static void
process (const char *word, uint64_t ticks, const uint8_t *p, const uint8_t *end)
{
  const uint8_t *sid = p + 36;

  if (U32 (sid) != 0) /* a token of 16 bytes, then the SID */
    sid += 16, sid += 8 + 4 * sid[1];
  else
    sid += 4;
  printf ("%s %" PRIu64 " %u %u %.*s\n", word, ticks, U32 (p + 8), U32 (p + 12),
          (int)(sid < end ? end - sid : 0), (const char *)sid);
}

static void
image (const char *word, const uint8_t *p, const uint8_t *end)
{
  printf ("%s %u %" PRIx64 " %" PRIx64 " ", word, U32 (p + 16), U64 (p), U64 (p + 8));
  print_wide (p + 56, end);
}

static int
want (const char *what)
{
  return strcmp (wanted, what) == 0;
}

/* Any kernel event, as it is. */
static void
raw_event (const uint8_t *event, unsigned cpu, uint64_t ticks, const uint8_t *p, const uint8_t *end)
{
  int perfinfo = event[2] == 0x11;

  printf ("raw %" PRIu64 " %u %d %d ", ticks, cpu, perfinfo ? -1 : (int)U32 (event + 12),
          perfinfo ? -1 : (int)U32 (event + 8));
  for (; p < end; p++)
    printf ("%02x", *p);
  putchar ('\n');
}

static void
kernel_event (unsigned hook, unsigned cpu, uint64_t ticks, const uint8_t *p, const uint8_t *end)
{
  static const char *const words[] = { "start", "end", "dcstart", "dcend" };

  switch (hook)
    {
    case 0x0524:
      if (want ("switches"))
        printf ("switch %" PRIu64 " %u %u %u %u %u\n", ticks, cpu, U32 (p + 4), U32 (p), p[14],
                p[12]);
      break;
    case 0x0301 ... 0x0304:
      if (want (hook % 2 != 0 ? "starts" : "ends"))
        process (words[hook - 0x0301], ticks, p, end);
      break;
    case 0x030a:
    case 0x1403:
      if (want ("images"))
        image (hook == 0x030a ? "load" : "dcload", p, end);
      break;
    case 0x010b:
      if (want ("writes"))
        printf ("write %" PRIu64 " %u %u %" PRIu64 " %u %u\n", ticks, cpu, U32 (p), U64 (p + 16),
                U32 (p + 8), U32 (p + 48));
      break;
    case 0x010d:
      if (want ("writes"))
        printf ("issue %" PRIu64 " %u %u\n", ticks, cpu, U32 (p + 8));
      break;
    case 0x1820:
      if (want ("stacks"))
        printf ("stack %" PRIu64 " %u %u %zu %" PRIx64 " %" PRIx64 "\n", U64 (p), U32 (p + 8),
                U32 (p + 12), (size_t)(end - p - 16) / 8, U64 (p + 16), U64 (end - 8));
      break;
    }
}

/* ---- self-describing events ---- */

/* One value of a type; returns the bytes it takes. */
static size_t
print_value (unsigned type, const uint8_t *p, const uint8_t *end, size_t offset)
{
  static const uint8_t sizes[32]
      = { [3] = 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 4, [15] = 16, [17] = 8, [18] = 16, [20] = 4, 8 };
  size_t size = sizes[type], left = (size_t)(end - p);
  unsigned shift = 64 - 8 * (unsigned)size;

  if (type == 2 && memchr (p, 0, left) != NULL)
    return (size_t)printf ("%s", (const char *)p) + 1;
  if (type == 14 && left >= 2 && U16 (p) <= left - 2)
    return U16 (p) + 2u;
  if (size == 0 || size > left)
    fault ("a field does not fit", offset);
  if (type == 3 || type == 5 || type == 7 || type == 9)
    printf ("%" PRId64, (int64_t)(number (p, (unsigned)size) << shift) >> shift);
  else if (size <= 8)
    printf (type >= 20 ? "0x%" PRIx64 : "%" PRIu64, number (p, (unsigned)size));
  return size;
}

static void
print_fields (const uint8_t *schema, const uint8_t *schema_end, const uint8_t *p,
              const uint8_t *end, size_t offset)
{
  while (schema < schema_end)
    {
      const char *name = (const char *)schema;
      unsigned type, n = 1;

      schema += strlen (name) + 1;
      type = *schema++;
      if ((type & 0x80) != 0)
        schema++; /* out type */
      if ((type & 0x20) != 0)
        n = U16 (schema), schema += 2;
      if ((type & 0x40) != 0)
        n = U16 (p), p += 2;
      printf (" %s=", name);
      for (unsigned i = 0; i < n; i++)
        p += (i > 0 ? (size_t)printf (",") - 1 : 0) + print_value (type & 0x1f, p, end, offset);
    }
  putchar ('\n');
  if (p != end)
    fault ("a payload is longer than its fields", offset);
}

static void
self_describing (const uint8_t *event, unsigned size, unsigned cpu, size_t offset)
{
  const uint8_t *item = event + 0x50, *schema = NULL, *schema_end = NULL;
  const char *provider = "";
  char name[160];
  int more = U16 (event + 4) & 1;

  while (more)
    {
      if (item + 8 > event + size || item + U16 (item) > event + size || U16 (item) < 8)
        fault ("an extended item does not fit", offset);
      if (U16 (item + 2) == 12)
        provider = (const char *)item + 10;
      if (U16 (item + 2) == 11)
        schema = item + 8 + 3, schema_end = item + 8 + U16 (item + 6);
      more = U16 (item + 4) & 1;
      item += U16 (item);
    }
  if (schema == NULL)
    fault ("an event without a schema", offset); /* nobody here writes one */
  snprintf (name, sizeof name, "%s/%s", provider, (const char *)schema);
  count (name);
  if (!want (name))
    return;
  printf ("event %" PRIu64 " %u %u %u", U64 (event + 16), cpu, U32 (event + 12), U32 (event + 8));
  print_fields (schema + strlen ((const char *)schema) + 1, schema_end, item, event + size, offset);
}

/* ---- buffers ---- */

/* One event; returns its size rounded up. */
static unsigned
walk_event (const uint8_t *event, unsigned left, unsigned cpu, uint64_t *last, size_t offset)
{
  static const uint8_t headers[256]
      = { [2] = 0x20, [4] = 0x18, [0x11] = 0x10, [0x13] = 0x50, [0x14] = 0x30 };
  unsigned kind = event[2], header, size;
  uint64_t ticks;
  char name[160];

  if (left < 16 || event[3] != 0xc0)
    fault ("no event", offset);
  header = headers[kind];
  size = U16 (event + (kind >= 0x13 ? 0 : 4));
  if (header == 0 || size < header || size > left)
    fault ("an event does not fit", offset);
  ticks = U64 (event + (kind == 0x11 ? 8 : 16));
  if (ticks < *last)
    fault ("time goes back", offset);
  *last = ticks;
  if (kind == 0x13)
    self_describing (event, size, cpu, offset);
  else if (kind == 0x14)
    {
      snprintf (name, sizeof name, "class-%08x-%u", U32 (event + 0x18), event[4]);
      count (name);
    }
  else
    {
      snprintf (name, sizeof name, "%04x", U16 (event + 6));
      count (name);
      if (want (name))
        raw_event (event, cpu, ticks, event + header, event + size);
      kernel_event (U16 (event + 6), cpu, ticks, event + header, event + size);
    }
  return (size + 7) & ~7u;
}

int
main (int argc, char **argv)
{
  FILE *f = argc >= 2 ? fopen (argv[1], "rb") : NULL;
  const uint8_t *h;
  uint64_t *last;
  unsigned bytes, cpus;

  if (f == NULL || fseek (f, 0, SEEK_END) != 0)
    return fprintf (stderr, "usage: walker FILE [WHAT]\n"), 2;
  if (argc >= 3)
    wanted = argv[2];
  file_size = (size_t)ftell (f);
  file = malloc (file_size + 1);
  rewind (f);
  if (file == NULL || fread (file, 1, file_size, f) != file_size || file_size < 0x180)
    fault ("the file cannot be read", 0);

  h = file + 0x68; /* TRACE_LOGFILE_HEADER */
  bytes = U32 (h);
  cpus = U32 (h + 12);
  if (bytes < 1024 || cpus == 0 || cpus > 65535 || file_size != (size_t)bytes * U32 (h + 0x24))
    fault ("the header does not agree with the file", 0x68);
  if (want ("header"))
    printf ("header %u %u %u %" PRIu64 " %d\n", U32 (h + 0x24), cpus, U32 (h + 0x30),
            U64 (h + 0x100), U64 (h + 16) != 0);
  last = calloc (cpus, sizeof *last);
  for (size_t b = bytes; b < file_size; b += bytes)
    {
      unsigned cpu = U16 (file + b + 0x28), end = U32 (file + b + 0x30);

      if (cpu >= cpus || end > bytes || U64 (file + b + 0x18) != b / bytes)
        fault ("a buffer header is wrong", b);
      for (unsigned at = 0x48; at < end;)
        at += walk_event (file + b + at, end - at, cpu, &last[cpu], b + at);
    }
  for (unsigned i = 0; i < n_kinds && want ("kinds"); i++)
    printf ("kind %s %" PRIu64 "\n", kinds[i].name, kinds[i].count);
  free (last);
  return 0;
}
