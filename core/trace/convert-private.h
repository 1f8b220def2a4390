/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the converter share: a row, and the functions that kinds are made by. */
#pragma once

#include "trace/convert.h"
#include "trace/requests.h"

G_BEGIN_DECLS

#define WPR_CONVERT_FIELDS 6
#define WPR_CONVERT_STATES 32

typedef struct _WprConvertRow WprConvertRow;
typedef WprConverted (*WprConvertFunc) (WprConvert *convert, const WprConvertRow *row,
                                        const WprRecord *record, WprEvent *event);

/* An event of the manifest. */
struct _WprConvertRow
{
  gboolean known;
  WprConvertFunc func;
  WprFormat *format;
  const WprField *fields[WPR_CONVERT_FIELDS]; /* as the kind names them */
  guint8 states[WPR_CONVERT_STATES];          /* sched_switch: WprTaskState by bit of prev_state */
  guint64 preempted, state_bits;              /* bit of "+"; all bits of states */
};

struct _WprConvert
{
  WprConvertRow *rows;
  guint n_rows;
  gboolean has_switches;
  WprRequests *requests;
};

static inline gint64
wpr_convert_int (const WprConvertRow *row, guint field, const WprRecord *record)
{
  return wpr_field_int (row->fields[field], record->raw, record->raw_size);
}

/* convert-sched.c */
void wpr_convert_learn_states (WprConvertRow *row, const char *format_text);
WprConverted wpr_convert_switch (WprConvert *convert, const WprConvertRow *row,
                                 const WprRecord *record, WprEvent *event);
WprConverted wpr_convert_waking (WprConvert *convert, const WprConvertRow *row,
                                 const WprRecord *record, WprEvent *event);
WprConverted wpr_convert_waking_new (WprConvert *convert, const WprConvertRow *row,
                                     const WprRecord *record, WprEvent *event);
WprConverted wpr_convert_yield (WprConvert *convert, const WprConvertRow *row,
                                const WprRecord *record, WprEvent *event);
WprConverted wpr_convert_yielded (WprConvert *convert, const WprConvertRow *row,
                                  const WprRecord *record, WprEvent *event);
WprConverted wpr_convert_sys_enter (WprConvert *convert, const WprConvertRow *row,
                                    const WprRecord *record, WprEvent *event);
WprConverted wpr_convert_sys_exit (WprConvert *convert, const WprConvertRow *row,
                                   const WprRecord *record, WprEvent *event);
/* convert-block.c */
WprConverted wpr_convert_bio (WprConvert *convert, const WprConvertRow *row,
                              const WprRecord *record, WprEvent *event);
WprConverted wpr_convert_insert (WprConvert *convert, const WprConvertRow *row,
                                 const WprRecord *record, WprEvent *event);
WprConverted wpr_convert_issue (WprConvert *convert, const WprConvertRow *row,
                                const WprRecord *record, WprEvent *event);
WprConverted wpr_convert_complete (WprConvert *convert, const WprConvertRow *row,
                                   const WprRecord *record, WprEvent *event);

G_END_DECLS
