/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The error domain, with WPR's own number carried beside the code. */
#include "config.h"
#include "base/wpr-error.h"

#include <stdarg.h>

typedef struct
{
  guint32 wpr_number;
} WprErrorPrivate;

static void
wpr_error_private_init (WprErrorPrivate *priv)
{
  priv->wpr_number = 0;
}

static void
wpr_error_private_copy (const WprErrorPrivate *from, WprErrorPrivate *to)
{
  to->wpr_number = from->wpr_number;
}

static void
wpr_error_private_clear (WprErrorPrivate *priv)
{
}

G_DEFINE_EXTENDED_ERROR (WprError, wpr_error)

void
wpr_set_error (GError **error, WprErrorCode code, guint32 wpr_number, const char *format, ...)
{
  if (error == NULL)
    return;
  va_list args;
  va_start (args, format);
  GError *made = g_error_new_valist (WPR_ERROR, code, format, args);
  va_end (args);
  wpr_error_get_private (made)->wpr_number = wpr_number;
  g_propagate_error (error, made);
}

guint32
wpr_error_get_number (const GError *error)
{
  if (error == NULL || error->domain != WPR_ERROR)
    return 0;
  return wpr_error_get_private (error)->wpr_number;
}

/* One row a code; the order is the enumeration's. */
static const struct
{
  WprErrorCode code;
  int exit_status;
  const char *name;
} codes[] = {
  { WPR_ERROR_USAGE, 1, "usage" },
  { WPR_ERROR_PROFILE, 2, "profile" },
  { WPR_ERROR_NOT_RECORDING, 3, "not-recording" },
  { WPR_ERROR_ALREADY_RECORDING, 4, "already-recording" },
  { WPR_ERROR_NOT_PERMITTED, 5, "not-permitted" },
  { WPR_ERROR_NO_SPACE, 6, "no-space" },
  { WPR_ERROR_EVENTS_LOST, 7, "events-lost" },
  { WPR_ERROR_NOT_AVAILABLE, 8, "not-available" },
  { WPR_ERROR_DAMAGED, 9, "damaged" },
  { WPR_ERROR_INTERNAL, 10, "internal" },
  { WPR_ERROR_NOT_WRITABLE, 11, "not-writable" },
  { WPR_ERROR_STATE, 3, "state" },
  { WPR_ERROR_CANCELLED, 10, "cancelled" },
};

int
wpr_error_exit_status (const GError *error)
{
  if (error == NULL)
    return 0;
  if (error->domain == WPR_ERROR)
    for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
      if ((int)codes[i].code == error->code)
        return codes[i].exit_status;
  return 10;
}

const char *
wpr_error_code_name (const GError *error)
{
  if (error != NULL && error->domain == WPR_ERROR)
    for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
      if ((int)codes[i].code == error->code)
        return codes[i].name;
  return "internal";
}
