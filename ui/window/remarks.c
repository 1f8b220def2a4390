/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list in the order in which they came. */
#include "config.h"
#include "remarks.h"

typedef struct
{
  WprNotice notice;
  gboolean closed;
} Remark;

struct _WprRemarks
{
  GPtrArray *list; /* of Remark */
};

static void
free_remark (gpointer data)
{
  Remark *remark = data;
  g_free (remark->notice.id);
  g_free (remark->notice.text);
  g_free (remark);
}

WprRemarks *
wpr_remarks_new (void)
{
  WprRemarks *remarks = g_new0 (WprRemarks, 1);
  remarks->list = g_ptr_array_new_with_free_func (free_remark);
  return remarks;
}

void
wpr_remarks_free (WprRemarks *remarks)
{
  g_ptr_array_unref (remarks->list);
  g_free (remarks);
}

gboolean
wpr_remarks_add (WprRemarks *remarks, const WprNotice *notice)
{
  if (notice->severity == WPR_NOTICE_INFO)
    return FALSE;
  for (guint i = 0; i < remarks->list->len; i++)
    {
      const WprNotice *other = &((Remark *)remarks->list->pdata[i])->notice;
      if (other->realtime_ns == notice->realtime_ns && g_str_equal (other->id, notice->id)
          && g_str_equal (other->text, notice->text))
        return FALSE;
    }
  Remark *remark = g_new0 (Remark, 1);
  remark->notice = *notice;
  remark->notice.id = g_strdup (notice->id);
  remark->notice.text = g_strdup (notice->text);
  g_ptr_array_add (remarks->list, remark);
  return TRUE;
}

static Remark *
find (const WprRemarks *remarks)
{
  for (guint i = remarks->list->len; i > 0; i--)
    {
      Remark *remark = remarks->list->pdata[i - 1];
      /* of losses a card speaks, with their cure */
      if (!remark->closed && !g_str_equal (remark->notice.id, "loss"))
        return remark;
    }
  return NULL;
}

const WprNotice *
wpr_remarks_get (const WprRemarks *remarks)
{
  const Remark *remark = find (remarks);
  return remark != NULL ? &remark->notice : NULL;
}

void
wpr_remarks_close (WprRemarks *remarks)
{
  Remark *remark = find (remarks);
  if (remark != NULL)
    remark->closed = TRUE;
}
