/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How to record. A number that cannot work is refused where it is typed, with the limit: the plan
 * knows it. */
#include "config.h"
#include "options-pane.h"

#include <glib/gi18n.h>
#include "format.h"
#include "texts.h"

struct _WprOptionsPane
{
  AdwBin parent;
  /* template */
  GtkWidget *mode_memory;
  GtkWidget *mode_file;
  GtkWidget *mode_note;
  GtkWidget *level_light;
  GtkWidget *level_verbose;
  GtkWidget *level_note;
  GtkWidget *buffers_row;
  GtkWidget *automatic;
  GtkWidget *size;
  GtkWidget *number;
  GtkWidget *refusal_row;
  GtkWidget *refusal;
  GtkWidget *stop_row;
  GtkStringList *stop_times;
  GtkWidget *size_row;
  GtkStringList *stop_sizes;
  GtkWidget *folder_row;
  /* state */
  gboolean filling;      /* the numbers are being written, not typed */
  guint kept_s, kept_mb; /* of last time, where they are none of the usual ones */
  double bytes_per_s;    /* of the plan; 0: not known */
};

G_DEFINE_FINAL_TYPE (WprOptionsPane, wpr_options_pane, ADW_TYPE_BIN)

static guint changed_signal;

/* What can be chosen, and the number behind it; 0 first. */
typedef struct
{
  guint number;
  const char *words;
} Stop;

static const Stop times[] = {
  { 0, N_ ("Never") },
  { 60, N_ ("After 1 minute") },
  { 300, N_ ("After 5 minutes") },
  { 900, N_ ("After 15 minutes") },
  { 3600, N_ ("After 1 hour") },
};

/* MB. 4 GB is what a USB stick's file system takes. */
static const Stop sizes[] = {
  { 0, N_ ("Never") },      { 256, N_ ("At 256 MB") },  { 1024, N_ ("At 1 GB") },
  { 4095, N_ ("At 4 GB") }, { 16384, N_ ("At 16 GB") },
};

static gboolean
is_active (GtkWidget *toggle)
{
  return gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (toggle));
}

static char *
describe_mode (WprOptionsPane *self)
{
  if (!is_active (self->mode_file))
    return g_strdup (_ ("Keeps the newest events. Start now, save when it has happened."));
  if (self->bytes_per_s <= 0)
    return g_strdup (_ ("Keeps everything from start to stop."));
  g_autofree char *rate = wpr_text_about_bytes (self->bytes_per_s * 60);
  /* Translators: %s is a size */
  return g_strdup_printf (_ ("Keeps everything from start to stop. Grows by about %s a minute."),
                          rate);
}

static void
show_notes (WprOptionsPane *self)
{
  g_autofree char *mode = describe_mode (self);
  gtk_label_set_label (GTK_LABEL (self->mode_note), mode);
  /* what the memory holds has a size of its own */
  gtk_widget_set_visible (self->size_row, is_active (self->mode_file));
  gtk_label_set_label (
      GTK_LABEL (self->level_note),
      is_active (self->level_light)
          ? _ ("Only what happens and when. Smallest, and slows the computer least.")
          : _ ("Adds call stacks: where in a program the time goes. About three times the data."));
}

static void
emit_changed (WprOptionsPane *self)
{
  self->bytes_per_s = 0;
  show_notes (self);
  if (!self->filling)
    g_signal_emit (self, changed_signal, 0);
}

/* Toggles of a group change in pairs: the one that goes on speaks for both. */
static void
on_toggled (WprOptionsPane *self, GtkToggleButton *button)
{
  if (gtk_toggle_button_get_active (button))
    emit_changed (self);
}

/* As typed, before the spin button has taken it over: 0 for nothing or no number. */
static guint
typed_number (GtkWidget *spin)
{
  guint64 number = 0;
  const char *text = gtk_editable_get_text (GTK_EDITABLE (spin));
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT, &number, NULL))
    return 0;
  return (guint)number;
}

static void
fill_stops (WprOptionsPane *self, GtkWidget *row, GtkStringList *list, const Stop *stops, guint n)
{
  for (guint i = 0; i < n; i++)
    gtk_string_list_append (list, _ (stops[i].words));
  g_signal_connect_swapped (row, "notify::selected", G_CALLBACK (emit_changed), self);
}

/* What is chosen; the last may be a number that was kept and is none of the usual ones. */
static guint
get_stop (GtkWidget *row, const Stop *stops, guint n, guint kept)
{
  guint i = adw_combo_row_get_selected (ADW_COMBO_ROW (row));
  return i < n ? stops[i].number : kept;
}

static void
set_stop (GtkWidget *row, GtkStringList *list, const Stop *stops, guint n, guint number,
          const char *own_words)
{
  guint i = 0;
  while (i < n && stops[i].number != number)
    i++;
  if (i == n && g_list_model_get_n_items (G_LIST_MODEL (list)) == n)
    gtk_string_list_append (list, own_words);
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), i);
}

static void
set_stops (WprOptionsPane *self, const WprWish *wish)
{
  g_autofree char *span = wpr_format_span (wish->stop_after_s);
  g_autofree char *size = wpr_format_bytes ((guint64)wish->stop_at_mb << 20);
  /* Translators: %s is a span of time */
  g_autofree char *after = g_strdup_printf (_ ("After %s"), span);
  /* Translators: %s is a size */
  g_autofree char *at = g_strdup_printf (_ ("At %s"), size);
  self->kept_s = wish->stop_after_s;
  self->kept_mb = wish->stop_at_mb;
  set_stop (self->stop_row, self->stop_times, times, G_N_ELEMENTS (times), self->kept_s, after);
  set_stop (self->size_row, self->stop_sizes, sizes, G_N_ELEMENTS (sizes), self->kept_mb, at);
}

static void
wpr_options_pane_class_init (WprOptionsPaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  changed_signal = g_signal_new ("changed", WPR_TYPE_OPTIONS_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/options-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, mode_memory);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, mode_file);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, mode_note);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, level_light);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, level_verbose);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, level_note);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, buffers_row);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, automatic);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, size);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, number);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, refusal_row);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, refusal);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, stop_row);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, stop_times);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, size_row);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, stop_sizes);
  gtk_widget_class_bind_template_child (widget_class, WprOptionsPane, folder_row);
}

static void
wpr_options_pane_init (WprOptionsPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  GtkWidget *toggles[]
      = { self->mode_memory, self->mode_file, self->level_light, self->level_verbose };
  for (guint i = 0; i < G_N_ELEMENTS (toggles); i++)
    g_signal_connect_swapped (toggles[i], "toggled", G_CALLBACK (on_toggled), self);
  g_signal_connect_swapped (self->automatic, "notify::active", G_CALLBACK (emit_changed), self);
  g_signal_connect_swapped (self->size, "changed", G_CALLBACK (emit_changed), self);
  g_signal_connect_swapped (self->number, "changed", G_CALLBACK (emit_changed), self);
  fill_stops (self, self->stop_row, self->stop_times, times, G_N_ELEMENTS (times));
  fill_stops (self, self->size_row, self->stop_sizes, sizes, G_N_ELEMENTS (sizes));
  show_notes (self);
}

void
wpr_options_pane_get (WprOptionsPane *self, WprWish *wish)
{
  gboolean automatic = gtk_switch_get_active (GTK_SWITCH (self->automatic));
  wish->mode = is_active (self->mode_file) ? WPR_MODE_FILE : WPR_MODE_MEMORY;
  wish->level = is_active (self->level_light) ? WPR_LEVEL_LIGHT : WPR_LEVEL_VERBOSE;
  wish->buffer_kb = automatic ? 0 : typed_number (self->size);
  wish->buffers = automatic ? 0 : typed_number (self->number);
  wish->stop_after_s = get_stop (self->stop_row, times, G_N_ELEMENTS (times), self->kept_s);
  wish->stop_at_mb = get_stop (self->size_row, sizes, G_N_ELEMENTS (sizes), self->kept_mb);
}

void
wpr_options_pane_set (WprOptionsPane *self, const WprWish *wish)
{
  self->filling = TRUE;
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (wish->mode == WPR_MODE_FILE ? self->mode_file : self->mode_memory), TRUE);
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (wish->level == WPR_LEVEL_LIGHT ? self->level_light : self->level_verbose),
      TRUE);
  gtk_switch_set_active (GTK_SWITCH (self->automatic), wish->buffer_kb == 0 && wish->buffers == 0);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->size), wish->buffer_kb);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->number), wish->buffers);
  set_stops (self, wish);
  self->filling = FALSE;
  show_notes (self);
}

/* Automatic shows what the profiles say: the person begins from there. */
static void
fill_numbers (WprOptionsPane *self, const WprPlan *plan)
{
  if (plan->collectors->len == 0)
    return;
  const WprPlanCollector *collector = plan->collectors->pdata[0];
  self->filling = TRUE;
  if (typed_number (self->size) != collector->buffer_kb)
    gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->size), collector->buffer_kb);
  if (typed_number (self->number) != collector->buffers_granted)
    gtk_spin_button_set_value (GTK_SPIN_BUTTON (self->number), collector->buffers_granted);
  self->filling = FALSE;
}

/* "Automatic: 384 MB, 5% of memory"; how long that holds is the forecast's. */
static char *
describe_cost (WprOptionsPane *self, const WprPlan *plan, guint64 memory_bytes)
{
  gboolean automatic = gtk_switch_get_active (GTK_SWITCH (self->automatic));
  g_autofree char *size = wpr_format_bytes (plan->memory_bytes);
  g_autofree char *share = wpr_text_share (plan->memory_bytes, memory_bytes);
  if (automatic)
    /* Translators: a size, a percentage */
    return g_strdup_printf (_ ("Automatic: %s, %s of memory"), size, share);
  if (plan->mode == WPR_MODE_FILE || self->bytes_per_s <= 0)
    /* Translators: a size, a percentage */
    return g_strdup_printf (_ ("%s, %s of memory"), size, share);
  g_autofree char *span = wpr_text_about (plan->memory_bytes / self->bytes_per_s);
  /* Translators: a size, a percentage, a span of time */
  return g_strdup_printf (_ ("%s, %s of memory, holds about %s"), size, share, span);
}

void
wpr_options_pane_show_plan (WprOptionsPane *self, const WprPlan *plan, const GError *error,
                            const WprEstimate *estimate, guint64 memory_bytes)
{
  self->bytes_per_s = estimate != NULL && estimate->known ? estimate->bytes_per_s : 0;
  show_notes (self);
  gboolean automatic = gtk_switch_get_active (GTK_SWITCH (self->automatic));
  gboolean refused
      = error != NULL && !automatic && g_error_matches (error, WPR_ERROR, WPR_ERROR_USAGE);
  gtk_widget_set_visible (self->refusal_row, refused);
  if (refused)
    {
      gtk_label_set_label (GTK_LABEL (self->refusal), error->message);
      adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self->buffers_row), error->message);
      gtk_widget_add_css_class (self->buffers_row, "refusing");
      return;
    }
  gtk_widget_remove_css_class (self->buffers_row, "refusing");
  if (plan == NULL)
    {
      adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self->buffers_row),
                                     automatic ? _ ("Automatic") : "");
      return;
    }
  g_autofree char *cost = describe_cost (self, plan, memory_bytes);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self->buffers_row), cost);
  if (automatic)
    fill_numbers (self, plan);
}

void
wpr_options_pane_set_folder (WprOptionsPane *self, const char *folder)
{
  g_autofree char *shown = wpr_text_folder (folder);
  g_autofree char *escaped = g_markup_escape_text (shown, -1);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->folder_row), escaped);
}
