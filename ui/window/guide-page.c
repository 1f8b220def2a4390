/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a guide: what is known of it, where the person is, and the button. */
#include "config.h"
#include "guide-page.h"

#include <glib/gi18n.h>
#include <string.h>
#include "format.h"
#include "guide-facts.h"
#include "texts.h"

/* So many kinds of events are listed at once; more are a click away, so that the button's page
 * stays one that is read. */
#define MOST_SHOWN 6

/* Where it is. */
typedef enum
{
  STATE_FAULTY,  /* the file cannot be used */
  STATE_REFUSED, /* nothing of it can be recorded here */
  STATE_BUSY,    /* something else records */
  STATE_READY,
  STATE_ASKING, /* an administrator, before the start */
  STATE_STARTING,
  STATE_RECORDING,
  STATE_SAVING,
  STATE_SAVED,
  STATE_NOT_SAVED,
  STATE_N
} State;

struct _WprGuidePage
{
  AdwBin parent;
  /* template */
  GtkWidget *scroller;
  GtkWidget *title;
  GtkWidget *subtitle;
  GtkWidget *faults;
  GtkWidget *steps;
  GtkWidget *words;
  GtkWidget *ticket;
  GtkWidget *note;
  GtkWidget *facts;
  GtkWidget *records;
  GtkWidget *leaves_out;
  GtkWidget *told;
  GtkWidget *place;
  GtkWidget *state;
  GtkWidget *progress;
  GtkWidget *go;
  GtkWidget *other;
  GtkWidget *leave;
  /* owned */
  WprModel *model;
  WprGuide *guide;
  GPtrArray *rows;    /* borrowed: made for this guide */
  GPtrArray *numbers; /* borrowed: labels of the steps */
  /* state */
  gboolean started; /* the recording of the model is this guide's */
  gboolean marked;
};

G_DEFINE_FINAL_TYPE (WprGuidePage, wpr_guide_page, ADW_TYPE_BIN)

/* One row a state: what the big button says and does, the small one beside it, and what stands
 * above; NULL: nothing, or made of figures. */
static const struct
{
  const char *go, *go_action;
  const char *other, *other_action;
  const char *text;
} looks[STATE_N] = {
  [STATE_FAULTY] = { N_ ("Start"), "win.start-guide", NULL, NULL, NULL },
  [STATE_REFUSED] = { N_ ("Start"), "win.start-guide", NULL, NULL, NULL },
  [STATE_BUSY] = { N_ ("Start"), "win.start-guide", NULL, NULL,
                   N_ ("Another recording is running. Close this page to see it, and stop it.") },
  [STATE_READY] = { N_ ("Start"), "win.start-guide", NULL, NULL,
                    N_ ("Nothing is recorded until you press Start") },
  [STATE_ASKING] = { N_ ("Start"), "win.start-guide", N_ ("Do Not Wait"), "win.cancel-unlock",
                     N_ ("Waiting for an administrator’s approval…") },
  [STATE_STARTING] = { N_ ("Start"), "win.start-guide", NULL, NULL, N_ ("Starting…") },
  [STATE_RECORDING] = { N_ ("Stop and Save"), "win.stop", N_ ("Discard…"), "win.cancel", NULL },
  [STATE_SAVING]
  = { N_ ("Show File"), "win.show-in-folder", N_ ("Finish Later"), "win.finish-later", NULL },
  [STATE_SAVED]
  = { N_ ("Show File"), "win.show-in-folder", N_ ("Record Again"), "win.start-guide", NULL },
  [STATE_NOT_SAVED] = { N_ ("Start"), "win.start-guide", NULL, NULL, NULL },
};

static State
get_state (WprGuidePage *self)
{
  WprPage page = wpr_model_get_page (self->model);
  const WprOutcome *outcome = wpr_model_get_outcome (self->model);
  if (self->started && page == WPR_PAGE_RECORDING)
    return STATE_RECORDING;
  if (self->started && page == WPR_PAGE_SAVING)
    return STATE_SAVING;
  if (self->started && page == WPR_PAGE_RESULT)
    return outcome != NULL && outcome->name != NULL ? STATE_SAVED : STATE_NOT_SAVED;
  if (self->started)
    return wpr_model_get_lock (self->model) == WPR_LOCK_ASKING ? STATE_ASKING : STATE_STARTING;
  if (!self->guide->file->usable)
    return STATE_FAULTY;
  if (self->guide->plan == NULL || self->guide->plan->needs_rights
      || wpr_details_is_empty (self->guide->plan))
    return STATE_REFUSED;
  if (page == WPR_PAGE_RECORDING || page == WPR_PAGE_SAVING || wpr_model_get_starting (self->model))
    return STATE_BUSY;
  return STATE_READY;
}

/* ---- what is said where it is ---- */

static char *
describe_recording (WprGuidePage *self)
{
  const WprStats *stats = wpr_model_get_stats (self->model);
  const WprNotice *remark = wpr_model_get_remark (self->model);
  g_autofree char *clock = wpr_format_minutes (stats ? stats->elapsed_ns / 1e9 : 0);
  if (remark != NULL)
    /* Translators: how long, "1:23"; sentences: "The disk is nearly full. ..." */
    return g_strdup_printf (_ ("Recording for %s. %s"), clock, remark->text);
  if (stats == NULL || stats->lost == 0)
    /* Translators: %s is how long, "1:23" */
    return g_strdup_printf (_ ("Recording for %s. Do it now."), clock);
  g_autofree char *loss = wpr_text_loss (stats->lost, stats->events);
  /* Translators: how long, "1:23"; "1,204 of 3,412,081 events were lost" */
  return g_strdup_printf (_ ("Recording for %s. %s."), clock, loss);
}

static char *
describe_saved (WprGuidePage *self)
{
  const WprOutcome *outcome = wpr_model_get_outcome (self->model);
  if (outcome->kind == WPR_OUTCOME_DAMAGED)
    return g_strdup (_ ("Saved, but damaged"));
  if (outcome->lost == 0)
    /* Translators: %s is a file name */
    return g_strdup_printf (_ ("Saved, and complete: %s"), outcome->name);
  g_autofree char *loss = wpr_text_loss (outcome->lost, outcome->events + outcome->lost);
  /* Translators: "1,204 of 3,412,081 events were lost", a file name */
  return g_strdup_printf (_ ("Saved; %s: %s"), loss, outcome->name);
}

/* Start asks first, and says so before; was nobody willing, that is said. */
static const char *
describe_ready (WprGuidePage *self)
{
  const char *words = wpr_model_get_lock_words (self->model);
  if (!self->guide->plan->unlock || wpr_model_get_lock (self->model) != WPR_LOCK_CLOSED)
    return _ (looks[STATE_READY].text);
  return *words != '\0' ? words
                        : _ ("Start asks for an administrator’s approval first. Nothing is "
                             "recorded before that.");
}

static char *
describe_state (WprGuidePage *self, State state)
{
  const WprOutcome *outcome = wpr_model_get_outcome (self->model);
  switch (state)
    {
    case STATE_FAULTY:
      if (*self->guide->who == '\0')
        return g_strdup (_ ("This file cannot be used. Tell whoever sent it to you."));
      /* Translators: %s is who sent the file */
      return g_strdup_printf (_ ("This file cannot be used. Tell %s."), self->guide->who);
    case STATE_REFUSED:
      return g_strdup (wpr_guide_describe_refusal (self->guide));
    case STATE_READY:
      return g_strdup (describe_ready (self));
    case STATE_RECORDING:
      return describe_recording (self);
    case STATE_SAVING:
      {
        g_autofree char *percent = wpr_format_percent (wpr_model_get_fraction (self->model), 0);
        /* Translators: %s is a percentage */
        return g_strdup_printf (_ ("Saving: %s"), percent);
      }
    case STATE_SAVED:
      return describe_saved (self);
    case STATE_NOT_SAVED:
      return g_strdup (outcome != NULL ? outcome->message : "");
    default:
      return g_strdup (_ (looks[state].text));
    }
}

/* ---- where it is ---- */

/* The step the person is at is bright: first Start, then what the guide asks for, then the file. */
static void
show_step (WprGuidePage *self, State state)
{
  guint n = self->numbers->len;
  for (guint i = 0; i < n; i++)
    {
      gboolean now = state == STATE_SAVED       ? i == n - 1
                     : state == STATE_RECORDING ? i > 0 && i < n - 1
                     : state == STATE_READY     ? i == 0
                                                : FALSE;
      if (now)
        gtk_widget_add_css_class (self->numbers->pdata[i], "now");
      else
        gtk_widget_remove_css_class (self->numbers->pdata[i], "now");
    }
}

static void
set_button (GtkWidget *button, const char *label, const char *action)
{
  gtk_widget_set_visible (button, label != NULL);
  if (label == NULL || g_strcmp0 (gtk_button_get_label (GTK_BUTTON (button)), _ (label)) == 0)
    return;
  gtk_button_set_label (GTK_BUTTON (button), _ (label));
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
}

static void
update (WprGuidePage *self)
{
  if (self->guide == NULL)
    return;
  State state = get_state (self);
  g_autofree char *text = describe_state (self, state);
  if (g_strcmp0 (gtk_label_get_label (GTK_LABEL (self->state)), text) != 0)
    gtk_label_set_label (GTK_LABEL (self->state), text);
  set_button (self->go, looks[state].go, looks[state].go_action);
  if (state == STATE_READY && wpr_guide_page_can_start_own (self))
    set_button (self->other, N_ ("Record Only My Programs"), "win.start-guide-own");
  else
    set_button (self->other, looks[state].other, looks[state].other_action);
  gtk_widget_set_visible (self->progress, state == STATE_SAVING);
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->progress),
                                 wpr_model_get_fraction (self->model));
  gtk_widget_set_sensitive (self->ticket, state <= STATE_READY || state >= STATE_SAVED);
  gtk_widget_set_sensitive (self->note, state <= STATE_RECORDING || state >= STATE_SAVED);
  show_step (self, state);
}

/* The words as they are now go into what is saved. */
static void
send_words (WprGuidePage *self)
{
  if (!self->started)
    return;
  const char *ticket = gtk_editable_get_text (GTK_EDITABLE (self->ticket));
  const char *note = gtk_editable_get_text (GTK_EDITABLE (self->note));
  g_autofree char *description = wpr_guide_describe (ticket, note);
  g_autofree char *words = wpr_guide_name_words (ticket, note);
  wpr_model_set_note (self->model, description);
  wpr_model_set_name_words (self->model, words);
}

static void
on_subject (WprGuidePage *self)
{
  const WprSubject *subject = wpr_model_get_subject (self->model);
  self->started &= subject->ours;
  send_words (self);
}

static void
on_page (WprGuidePage *self)
{
  if (self->started && !self->marked && wpr_model_get_page (self->model) == WPR_PAGE_RECORDING)
    {
      g_autofree char *description
          = wpr_guide_describe (gtk_editable_get_text (GTK_EDITABLE (self->ticket)),
                                gtk_editable_get_text (GTK_EDITABLE (self->note)));
      if (*description != '\0')
        wpr_model_mark_words (self->model, description);
      self->marked = TRUE;
    }
  update (self);
}

/* Also when a start has failed, or what was recorded is discarded. */
static void
on_planned (WprGuidePage *self)
{
  if (wpr_model_get_page (self->model) == WPR_PAGE_CHOOSE && !wpr_model_get_starting (self->model))
    self->started = FALSE;
  update (self);
}

gboolean
wpr_guide_page_can_start (WprGuidePage *self)
{
  return self->guide != NULL && wpr_model_can_start_guide (self->model, self->guide);
}

/* Once the approval was asked for, and not given. */
gboolean
wpr_guide_page_can_start_own (WprGuidePage *self)
{
  return wpr_guide_page_can_start (self) && self->guide->own_plan != NULL
         && wpr_model_get_lock (self->model) == WPR_LOCK_CLOSED
         && *wpr_model_get_lock_words (self->model) != '\0';
}

void
wpr_guide_page_start (WprGuidePage *self, gboolean own)
{
  if (!(own ? wpr_guide_page_can_start_own (self) : wpr_guide_page_can_start (self)))
    return;
  if (wpr_model_get_page (self->model) == WPR_PAGE_RESULT)
    wpr_model_record_again (self->model);
  self->started = TRUE;
  self->marked = FALSE;
  wpr_model_start_guide (self->model, self->guide, own);
}

/* ---- what is known of the guide ---- */

static void
clear_rows (WprGuidePage *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      GtkWidget *row = self->rows->pdata[i];
      GtkWidget *expander = gtk_widget_get_ancestor (row, ADW_TYPE_EXPANDER_ROW);
      GtkWidget *group = gtk_widget_get_ancestor (row, ADW_TYPE_PREFERENCES_GROUP);
      if (expander != NULL)
        adw_expander_row_remove (ADW_EXPANDER_ROW (expander), row);
      else
        adw_preferences_group_remove (ADW_PREFERENCES_GROUP (group), row);
    }
  g_ptr_array_set_size (self->rows, 0);
  g_ptr_array_set_size (self->numbers, 0);
}

/* Into an expander or a group. */
static GtkWidget *
add_row (WprGuidePage *self, GtkWidget *where, const char *title, const char *subtitle)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *safe_title = g_markup_escape_text (title, -1);
  g_autofree char *safe_subtitle = g_markup_escape_text (subtitle, -1);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), safe_title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), safe_subtitle);
  adw_action_row_set_title_lines (ADW_ACTION_ROW (row), 0);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 0);
  if (ADW_IS_EXPANDER_ROW (where))
    adw_expander_row_add_row (ADW_EXPANDER_ROW (where), row);
  else
    adw_preferences_group_add (ADW_PREFERENCES_GROUP (where), row);
  g_ptr_array_add (self->rows, row);
  return row;
}

static void
add_step (WprGuidePage *self, const char *text)
{
  GtkWidget *row = add_row (self, self->steps, text, "");
  g_autofree char *number = g_strdup_printf ("%u", self->numbers->len + 1);
  GtkWidget *label = gtk_label_new (number);
  gtk_widget_set_valign (label, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (label, "step-number");
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), label);
  g_ptr_array_add (self->numbers, label);
}

static void
fill_steps (WprGuidePage *self, const WprGuide *guide)
{
  add_step (self, _ ("Press Start below."));
  for (char **step = guide->steps; *step != NULL; step++)
    add_step (self, *step);
  if (guide->steps[0] == NULL)
    add_step (self, _ ("Do the slow thing."));
  add_step (self, _ ("Press Stop and Save."));
  if (*guide->who == '\0')
    {
      add_step (self, _ ("Press Show File, and send it to whoever asked you."));
      return;
    }
  /* Translators: %s is who asks for the recording */
  g_autofree char *send = g_strdup_printf (_ ("Press Show File, and send it to %s."), guide->who);
  add_step (self, send);
}

static void
fill_faults (WprGuidePage *self, const WprGuide *guide)
{
  const GPtrArray *faults = guide->file->faults;
  for (guint i = 0; i < faults->len; i++)
    {
      const WprCustomFault *fault = faults->pdata[i];
      GtkWidget *where = guide->file->usable ? self->leaves_out : self->faults;
      GtkWidget *row = add_row (self, where, fault->what, fault->advice);
      if (fault->line == 0)
        continue;
      g_autofree char *place
          = g_strdup_printf (_ ("Line %u, column %u"), fault->line, fault->column);
      g_autofree char *both = g_strjoin (*fault->advice ? "\n" : "", fault->advice, place, NULL);
      g_autofree char *subtitle = g_markup_escape_text (both, -1);
      adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
    }
}

static void
fill_records (WprGuidePage *self, const WprPlan *plan)
{
  g_autoptr (GPtrArray) seen = g_ptr_array_new ();
  for (guint i = 0; i < plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = plan->collectors->pdata[i];
      for (guint j = 0; j < collector->items->len; j++)
        {
          const char *words = wpr_plan_item_describe (collector->items->pdata[j]);
          if (g_ptr_array_find_with_equal_func (seen, words, g_str_equal, NULL))
            continue;
          g_ptr_array_add (seen, (char *)words);
          add_row (self, self->records, words, "");
        }
    }
  g_autoptr (GPtrArray) told = wpr_guide_list_told (plan);
  for (guint i = 0; i < told->len; i++)
    add_row (self, self->records, told->pdata[i], "");
  g_autofree char *size = wpr_format_bytes (plan->memory_bytes);
  g_autofree char *kept
      = plan->mode == WPR_MODE_FILE
            ? g_strdup (_ ("Everything from start to stop is kept on the disk."))
            /* Translators: %s is a size */
            : g_strdup_printf (_ ("The newest events are kept, in %s of memory."), size);
  g_autofree char *count = wpr_format_count (plan->n_kinds);
  g_autofree char *kinds = g_strdup_printf (
      ngettext ("%s kind of events.", "%s kinds of events.", plan->n_kinds), count);
  g_autofree char *subtitle = g_strjoin (" ", kinds, kept, NULL);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self->records), subtitle);
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (self->records), seen->len <= MOST_SHOWN);
}

static void
fill_leaves_out (WprGuidePage *self, const WprPlan *plan)
{
  g_autoptr (GPtrArray) done = g_ptr_array_new ();
  g_autoptr (GPtrArray) untold = wpr_guide_list_untold (plan);
  g_autofree char *never = wpr_guide_describe_never (plan);
  g_autofree char *safe_never = g_markup_escape_text (never, -1);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self->leaves_out), safe_never);
  for (guint i = 0; i < untold->len; i++)
    add_row (self, self->leaves_out, untold->pdata[i], "");
  for (guint i = 0; i < plan->missing->len; i++)
    {
      const WprPlanMissing *missing = plan->missing->pdata[i];
      if (g_ptr_array_find_with_equal_func (done, missing->text, g_str_equal, NULL))
        continue;
      g_ptr_array_add (done, (char *)missing->text);
      g_autofree char *names = wpr_text_missing (plan, i);
      add_row (self, self->leaves_out, names, missing->text);
    }
  for (guint i = 0; i < plan->notices->len; i++)
    add_row (self, self->leaves_out, plan->notices->pdata[i], "");
  /* what was asked for and cannot be had is not a click away */
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (self->leaves_out), plan->missing->len > 0);
}

static void
fill (WprGuidePage *self)
{
  const WprGuide *guide = self->guide;
  clear_rows (self);
  g_autofree char *title = NULL;
  if (*guide->who != '\0')
    /* Translators: %s is who asks: "Helpdesk of Example GmbH" */
    title = g_strdup_printf (_ ("%s asks you for a recording"), guide->who);
  else
    title = g_strdup (_ ("You are asked for a recording"));
  gtk_label_set_label (GTK_LABEL (self->title), title);
  /* Translators: what is recorded, and the name of the file that says so */
  g_autofree char *subtitle
      = g_strcmp0 (guide->title, guide->file->shown) == 0
            ? g_strdup (guide->title)
            : g_strdup_printf (_ ("%s (from %s)"), guide->title, guide->file->shown);
  gtk_label_set_label (GTK_LABEL (self->subtitle), subtitle);
  gtk_widget_set_visible (self->faults, !guide->file->usable);
  gtk_widget_set_visible (self->steps, guide->file->usable);
  gtk_widget_set_visible (self->words, guide->file->usable);
  gtk_widget_set_visible (self->facts, guide->plan != NULL);
  fill_steps (self, guide);
  fill_faults (self, guide);
  if (guide->plan != NULL)
    {
      g_autofree char *told = wpr_guide_describe_told (guide->plan);
      g_autofree char *safe_told = g_markup_escape_text (told, -1);
      adw_action_row_set_subtitle (ADW_ACTION_ROW (self->told), safe_told);
      fill_records (self, guide->plan);
      fill_leaves_out (self, guide->plan);
    }
  g_autofree char *folder = wpr_text_folder (wpr_model_get_folder (self->model));
  /* Translators: %s is a folder */
  g_autofree char *where
      = g_strdup_printf (_ ("On this computer, in %s, until you send it."), folder);
  g_autofree char *safe = g_markup_escape_text (where, -1);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->place), safe);
}

void
wpr_guide_page_show (WprGuidePage *self, WprGuide *guide, const char *ticket, const char *note)
{
  g_clear_pointer (&self->guide, wpr_guide_unref);
  self->started = FALSE;
  self->guide = wpr_guide_ref (guide);
  gtk_editable_set_text (GTK_EDITABLE (self->ticket), ticket);
  gtk_editable_set_text (GTK_EDITABLE (self->note), note);
  fill (self);
  update (self);
}

gboolean
wpr_guide_page_is_at_work (WprGuidePage *self)
{
  State state = self->guide != NULL ? get_state (self) : STATE_READY;
  return state >= STATE_ASKING && state <= STATE_SAVING;
}

char *
wpr_guide_page_dup_faults (WprGuidePage *self)
{
  GString *text = g_string_new (NULL);
  const GPtrArray *faults = self->guide != NULL ? self->guide->file->faults : NULL;
  for (guint i = 0; faults != NULL && i < faults->len; i++)
    {
      const WprCustomFault *fault = faults->pdata[i];
      g_string_append_printf (text, "%s:%u:%u: %s %s\n", self->guide->file->shown, fault->line,
                              fault->column, fault->what, fault->advice);
    }
  return g_string_free (text, FALSE);
}

/* ---- class ---- */

static void
wpr_guide_page_dispose (GObject *object)
{
  WprGuidePage *self = WPR_GUIDE_PAGE (object);
  g_clear_object (&self->model);
  g_clear_pointer (&self->guide, wpr_guide_unref);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->numbers, g_ptr_array_unref);
  G_OBJECT_CLASS (wpr_guide_page_parent_class)->dispose (object);
}

static void
wpr_guide_page_class_init (WprGuidePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = wpr_guide_page_dispose;
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/performance_recorder/Wpr/guide-page.ui");
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, scroller);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, title);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, subtitle);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, faults);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, steps);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, words);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, ticket);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, note);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, facts);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, records);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, leaves_out);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, told);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, place);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, state);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, progress);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, go);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, other);
  gtk_widget_class_bind_template_child (widget_class, WprGuidePage, leave);
}

static void
wpr_guide_page_init (WprGuidePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->rows = g_ptr_array_new ();
  self->numbers = g_ptr_array_new ();
  g_signal_connect_swapped (self->ticket, "changed", G_CALLBACK (send_words), self);
  g_signal_connect_swapped (self->note, "changed", G_CALLBACK (send_words), self);
}

/* One row a signal of the model. */
static const struct
{
  const char *signal;
  void (*react) (WprGuidePage *self);
} reactions[] = {
  { "page", on_page },   { "planned", on_planned }, { "subject", on_subject },
  { "figures", update }, { "progress", update },    { "lock", update },
  { "notice", update },
};

void
wpr_guide_page_set_model (WprGuidePage *self, WprModel *model)
{
  self->model = g_object_ref (model);
  for (guint i = 0; i < G_N_ELEMENTS (reactions); i++)
    g_signal_connect_object (model, reactions[i].signal, G_CALLBACK (reactions[i].react), self,
                             G_CONNECT_SWAPPED);
}
