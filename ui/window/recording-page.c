/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a running recording. Readings come ten times a second, and as often the graph moves
 * on, as far as that is cheap: it is a small picture. What a person reads of them changes with the
 * recorder's counts, twice a second, in one larger picture. What cannot wait, does not. */
#include "config.h"
#include "recording-page.h"

#include <glib/gi18n.h>
#include <string.h>
#include <time.h>
#include "collectors-table.h"
#include "figure.h"
#include "format.h"
#include "graph.h"
#include "naming.h"
#include "narrow-bin.h"
#include "profiles-switches.h"
#include "texts.h"
#include "tile.h"

#define EXPAND_MS 260 /* the row's own animation takes 250 */
#define SCROLL_MARGIN 12
/* Where nothing is counted the other figures follow on their own, a little slower than counts. */
#define LATEST_US (7 * G_USEC_PER_SEC / 10)
#define NS_PER_S G_GINT64_CONSTANT (1000000000)
#define SPEAK_US G_USEC_PER_SEC /* sentences: once a second, not ten times */
/* The graph moves on between counts where this thread has used less of a CPU lately: all of the
 * window together, with the thread that reads, is to stay below 1 %. */
#define MOVE_SHARE 0.007
#define LATELY_US (2 * G_USEC_PER_SEC)

struct _WprRecordingPage
{
  AdwBin parent;
  /* template */
  GtkWidget *narrow;
  GtkWidget *notice_bar, *notice_label;
  GtkWidget *scroll, *body, *hero, *clock, *what, *origin;
  GtkWidget *loss_revealer, *loss_title, *loss_text, *loss_card, *loss_cures, *fewer_stacks;
  GtkWidget *counts, *rate, *total, *graph, *legend;
  GtkWidget *tiles, *tile_fill, *tile_lost, *tile_size, *tile_cost;
  GtkWidget *collectors_row, *collectors, *switches, *note;
  GtkWidget *bottom, *left_buttons, *right_buttons, *mark, *save_ring, *save_ring_label;
  GtkWidget *discard, *stop;
  GtkWidget *mark_popover, *mark_entry, *mark_add;
  /* owned */
  WprModel *model;
  gint64 spoken_us, shown_us, loss_us;
  gint64 lately_us, cpu_us; /* since when it is looked at what is used, and what was until then */
  /* what is shown */
  guint64 shown_events;
  gint64 shown_second;
  gboolean shown_lost;
  guint shown_flags;
  char *rate_shown;
  char *silence; /* what the bar says before any remark; NULL: nothing */
  guint scroll_source;
  GtkWidget *opened; /* the row that was opened last */
};

G_DEFINE_FINAL_TYPE (WprRecordingPage, wpr_recording_page, ADW_TYPE_BIN)

static void
set_text (GtkWidget *label, const char *text)
{
  if (strcmp (gtk_label_get_label (GTK_LABEL (label)), text) != 0)
    gtk_label_set_label (GTK_LABEL (label), text);
}

/* ---- figures ---- */

/* Number and unit are one text: the unit follows the number's width without a new layout. */
static void
show_rate_markup (WprRecordingPage *self, const char *rate)
{
  if (g_strcmp0 (self->rate_shown, rate) == 0)
    return;
  g_free (self->rate_shown);
  self->rate_shown = g_strdup (rate);
  g_autofree char *markup = g_markup_printf_escaped (
      "<span weight=\"bold\" size=\"120%%\">%s</span>  %s", rate, _ ("events a second"));
  g_autofree char *aligned = wpr_figure_align (self->rate, markup);
  gtk_inscription_set_markup (GTK_INSCRIPTION (self->rate), aligned);
}

static void
show_rate (WprRecordingPage *self, const WprStats *stats)
{
  g_autofree char *clock = wpr_format_clock (stats->elapsed_ns);
  g_autofree char *rate = wpr_format_count ((guint64)stats->events_per_s);
  g_autofree char *count = wpr_format_count (stats->events);
  /* Translators: a number of events */
  g_autofree char *total = g_strdup_printf (_ ("%s so far"), count);
  wpr_figure_show (self->clock, clock, TRUE);
  show_rate_markup (self, rate);
  wpr_figure_show (self->total, total, TRUE);
}

/* In memory mode 100 % is normal: the gauge then says how far back the ring reaches. */
static void
show_fill (WprRecordingPage *self, const WprStats *stats)
{
  WprTile *tile = WPR_TILE (self->tile_fill);
  if (stats->mode == WPR_MODE_MEMORY)
    {
      guint64 bytes = 0;
      for (guint i = 0; i < stats->n_collectors; i++)
        bytes
            += (guint64)stats->collectors[i].buffers_total * stats->collectors[i].buffer_kb * 1024;
      g_autofree char *size = wpr_format_bytes (bytes);
      g_autofree char *holds
          = stats->holds_s >= 0 ? wpr_format_minutes (stats->holds_s) : g_strdup ("–");
      /* Translators: a size */
      g_autofree char *detail = g_strdup_printf (_ ("%s, newest kept"), size);
      wpr_tile_set_title (tile, _ ("Memory holds the last"));
      wpr_tile_show (tile, holds, detail, stats->fill, WPR_TILE_PLAIN);
      return;
    }
  g_autofree char *fill = wpr_format_percent (stats->fill, 0);
  const char *collector = stats->worst_collector < stats->n_collectors
                              ? wpr_text_collector (&stats->collectors[stats->worst_collector])
                              : "";
  /* Translators: a collector, the number of a CPU */
  g_autofree char *where = g_strdup_printf (_ ("%s, CPU %u"), collector, stats->worst_cpu);
  wpr_tile_set_title (tile, _ ("Fullest buffer"));
  wpr_tile_show (tile, fill, where, stats->fill, WPR_TILE_PLAIN);
}

static void
show_losses (WprRecordingPage *self, const WprStats *stats)
{
  gboolean lost = stats->lost > 0;
  g_autofree char *count = wpr_format_count (stats->lost);
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->loss_revealer), lost);
  if (!lost)
    {
      wpr_tile_show (WPR_TILE (self->tile_lost), count, _ ("Nothing is missing"), 0,
                     WPR_TILE_WHOLE);
      return;
    }
  g_autofree char *all = wpr_format_count (stats->events);
  g_autofree char *share = wpr_format_loss_share (stats->lost, stats->events);
  /* Translators: a number of events, a percentage: "of 3,412,081, or 0.04%" */
  g_autofree char *detail = g_strdup_printf (_ ("of %s, or %s"), all, share);
  wpr_tile_show (WPR_TILE (self->tile_lost), count, detail, 0, WPR_TILE_LOST);
  gint64 now_us = g_get_monotonic_time ();
  if (now_us - self->loss_us < SPEAK_US)
    return;
  self->loss_us = now_us;
  g_autofree char *title = wpr_text_loss (stats->lost, stats->events);
  g_autofree char *where = wpr_text_loss_where (stats);
  g_autofree char *text = where ? g_strdup_printf (
                              /* Translators: %s is where and when: "System collector, CPU 1,
                                 between 1:41 and 1:43" */
                              _ ("%s: they came faster than they could be written."), where)
                                : g_strdup (_ ("They came faster than they could be written."));
  set_text (self->loss_title, title);
  set_text (self->loss_text, text);
}

static void
show_size (WprRecordingPage *self, const WprStats *stats)
{
  WprTile *tile = WPR_TILE (self->tile_size);
  gboolean memory = stats->mode == WPR_MODE_MEMORY;
  g_autofree char *size = wpr_format_bytes (memory ? stats->save_bytes : stats->bytes_written);
  g_autofree char *space = wpr_format_bytes (stats->disk_free_bytes);
  /* Translators: a size */
  g_autofree char *about = g_strdup_printf (_ ("about %s"), size);
  g_autofree char *detail = NULL;
  if (!memory && stats->disk_full_s >= 0)
    {
      g_autofree char *full = wpr_format_span (stats->disk_full_s);
      /* Translators: a size, a span of time */
      detail = g_strdup_printf (_ ("%s free, full in %s"), space, full);
    }
  else
    detail = g_strdup_printf (_ ("%s free"), space);
  wpr_tile_set_title (tile, memory ? _ ("If saved now") : _ ("On disk"));
  wpr_tile_show (tile, memory ? about : size, detail, 0, WPR_TILE_PLAIN);
}

static void
show_collectors (WprRecordingPage *self, const WprStats *stats)
{
  guint n_buffers = 0, n_collectors = stats->n_collectors;
  for (guint i = 0; i < stats->n_collectors; i++)
    n_buffers += stats->collectors[i].buffers_total;
  g_autofree char *buffers = wpr_format_count (n_buffers);
  g_autofree char *first
      = g_strdup_printf (ngettext ("%u collector", "%u collectors", n_collectors), n_collectors);
  g_autofree char *second
      = g_strdup_printf (ngettext ("%s buffer", "%s buffers", n_buffers), buffers);
  /* Translators: "2 collectors, 384 buffers" */
  g_autofree char *subtitle = g_strdup_printf (_ ("%s, %s"), first, second);
  if (g_strcmp0 (adw_expander_row_get_subtitle (ADW_EXPANDER_ROW (self->collectors_row)), subtitle)
      != 0)
    adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self->collectors_row), subtitle);
  if (adw_expander_row_get_expanded (ADW_EXPANDER_ROW (self->collectors_row)))
    wpr_collectors_table_show (WPR_COLLECTORS_TABLE (self->collectors), stats);
}

/* A count, a second of the clock, the first loss, a mark. */
static gboolean
is_due (WprRecordingPage *self, const WprStats *stats, const WprHistory *history, gint64 now_us)
{
  return stats->events != self->shown_events || stats->elapsed_ns / NS_PER_S != self->shown_second
         || (stats->lost > 0) != self->shown_lost || history->flags->len != self->shown_flags
         || now_us - self->shown_us >= LATEST_US;
}

static gboolean
can_afford_move (WprRecordingPage *self, gint64 now_us)
{
  struct timespec cpu;
  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &cpu);
  gint64 cpu_us = cpu.tv_sec * G_USEC_PER_SEC + cpu.tv_nsec / 1000;
  if (now_us - self->lately_us >= LATELY_US)
    {
      self->lately_us = now_us;
      self->cpu_us = cpu_us;
    }
  return (double)(cpu_us - self->cpu_us) <= MOVE_SHARE * (double)(now_us - self->lately_us);
}

static void
on_figures (WprRecordingPage *self)
{
  const WprStats *stats = wpr_model_get_stats (self->model);
  if (stats == NULL)
    return;
  gint64 now_us = g_get_monotonic_time ();
  const WprHistory *history = wpr_model_get_history (self->model);
  if (!is_due (self, stats, history, now_us))
    {
      wpr_tile_move (WPR_TILE (self->tile_fill), stats->fill);
      if (adw_get_enable_animations (self->graph) && can_afford_move (self, now_us))
        wpr_graph_move (WPR_GRAPH (self->graph));
      return;
    }
  self->shown_us = now_us;
  self->shown_events = stats->events;
  self->shown_second = stats->elapsed_ns / NS_PER_S;
  self->shown_lost = stats->lost > 0;
  self->shown_flags = history->flags->len;
  show_rate (self, stats);
  show_fill (self, stats);
  show_losses (self, stats);
  show_size (self, stats);
  g_autofree char *cost = wpr_format_percent (stats->recorder_cpu, 1);
  wpr_tile_show (WPR_TILE (self->tile_cost), cost, _ ("of one CPU"), 0, WPR_TILE_PLAIN);
  gtk_widget_set_visible (self->legend, stats->mode == WPR_MODE_FILE);
  show_collectors (self, stats);
  wpr_graph_set_history (WPR_GRAPH (self->graph), history);
  if (now_us - self->spoken_us < SPEAK_US)
    return;
  self->spoken_us = now_us;
  g_autofree char *words = wpr_text_graph (stats, history);
  wpr_graph_set_description (WPR_GRAPH (self->graph), words);
}

/* The end of what was opened, or its beginning where the whole does not fit. */
static gboolean
scroll_to_opened (gpointer data)
{
  WprRecordingPage *self = data;
  GtkAdjustment *view = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->scroll));
  GtkWidget *content = gtk_widget_get_ancestor (self->body, ADW_TYPE_CLAMP);
  double value = gtk_adjustment_get_value (view), page = gtk_adjustment_get_page_size (view);
  graphene_rect_t place;
  self->scroll_source = 0;
  if (!gtk_widget_compute_bounds (self->opened, content, &place))
    return G_SOURCE_REMOVE;
  value = MAX (value, place.origin.y + place.size.height + SCROLL_MARGIN - page);
  gtk_adjustment_set_value (view, MIN (value, place.origin.y - SCROLL_MARGIN));
  return G_SOURCE_REMOVE;
}

static void
show_opened (WprRecordingPage *self, GParamSpec *pspec, GtkWidget *row)
{
  self->opened = row;
  if (adw_expander_row_get_expanded (ADW_EXPANDER_ROW (row)) && self->scroll_source == 0)
    self->scroll_source = g_timeout_add (EXPAND_MS, scroll_to_opened, self);
}

static void
on_expanded (WprRecordingPage *self)
{
  const WprStats *stats = wpr_model_get_stats (self->model);
  if (stats != NULL)
    show_collectors (self, stats);
}

/* ---- subject, notices ---- */

/* Also when profiles were switched meanwhile. */
static void
show_what (WprRecordingPage *self)
{
  const WprSubject *subject = wpr_model_get_subject (self->model);
  g_autofree char *what = wpr_text_subject (subject);
  gtk_label_set_label (GTK_LABEL (self->what), what);
  gtk_widget_set_visible (self->fewer_stacks, wpr_model_can_have_fewer_stacks (self->model));
}

/* That nothing is heard matters more than what was said before, which stands again afterwards. */
static void
show_bar (WprRecordingPage *self)
{
  GtkInfoBar *bar = GTK_INFO_BAR (self->notice_bar);
  const WprNotice *remark = wpr_model_get_remark (self->model);
  gboolean grave = self->silence == NULL && remark != NULL && remark->severity == WPR_NOTICE_ERROR;
  const char *text = self->silence != NULL ? self->silence : remark != NULL ? remark->text : NULL;
  gtk_info_bar_set_revealed (bar, text != NULL);
  if (text == NULL)
    return;
  gtk_info_bar_set_message_type (bar, grave ? GTK_MESSAGE_ERROR : GTK_MESSAGE_WARNING);
  gtk_label_set_label (GTK_LABEL (self->notice_label), text);
}

static void
on_subject (WprRecordingPage *self)
{
  const WprSubject *subject = wpr_model_get_subject (self->model);
  g_autofree char *origin = wpr_text_origin (subject);
  show_what (self);
  gtk_label_set_label (GTK_LABEL (self->origin), origin ? origin : "");
  gtk_widget_set_visible (self->origin, origin != NULL);
  gtk_widget_set_visible (self->save_ring, subject->mode == WPR_MODE_MEMORY);
  gtk_editable_set_text (GTK_EDITABLE (self->note), "");
  g_clear_pointer (&self->silence, g_free);
  show_bar (self);
  gtk_revealer_set_reveal_child (GTK_REVEALER (self->loss_revealer), FALSE);
  wpr_graph_set_history (WPR_GRAPH (self->graph), NULL);
  self->spoken_us = self->shown_us = self->loss_us = 0;
}

static void
on_silence (WprRecordingPage *self, const char *text)
{
  g_free (self->silence);
  self->silence = g_strdup (text);
  show_bar (self);
}

/* Closed: what stood behind it is next. */
static void
close_bar (WprRecordingPage *self)
{
  if (self->silence != NULL)
    g_clear_pointer (&self->silence, g_free);
  else
    wpr_model_close_remark (self->model);
  show_bar (self);
}

static void
on_note (WprRecordingPage *self)
{
  wpr_model_set_note (self->model, gtk_editable_get_text (GTK_EDITABLE (self->note)));
}

static void
on_words (WprRecordingPage *self)
{
  wpr_model_describe_mark (self->model, gtk_editable_get_text (GTK_EDITABLE (self->mark_entry)));
  gtk_popover_popdown (GTK_POPOVER (self->mark_popover));
}

void
wpr_recording_page_ask_words (WprRecordingPage *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->mark_entry), "");
  gtk_popover_popup (GTK_POPOVER (self->mark_popover));
  gtk_widget_grab_focus (self->mark_entry);
}

static void
open_row (GtkWidget *row)
{
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (row), TRUE);
  gtk_widget_child_focus (row, GTK_DIR_TAB_FORWARD);
}

void
wpr_recording_page_open_profiles (WprRecordingPage *self)
{
  open_row (self->switches);
}

void
wpr_recording_page_open_collectors (WprRecordingPage *self)
{
  open_row (self->collectors_row);
}

/* ---- the narrow layout ---- */

static void
place_tile (WprRecordingPage *self, GtkWidget *tile, int column, int row)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (self->tiles);
  GtkLayoutChild *place = gtk_layout_manager_get_layout_child (layout, tile);
  gtk_grid_layout_child_set_column (GTK_GRID_LAYOUT_CHILD (place), column);
  gtk_grid_layout_child_set_row (GTK_GRID_LAYOUT_CHILD (place), row);
}

static void
on_narrow (WprRecordingPage *self)
{
  gboolean narrow = wpr_narrow_bin_get_narrow (WPR_NARROW_BIN (self->narrow));
  GtkOrientation stacked = narrow ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL;
  int margin = narrow ? 12 : 24;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->hero), stacked);
  gtk_box_set_spacing (GTK_BOX (self->hero), narrow ? 6 : 24);
  gtk_widget_set_margin_start (self->body, margin);
  gtk_widget_set_margin_end (self->body, margin);
  place_tile (self, self->tile_size, narrow ? 0 : 2, narrow ? 1 : 0);
  place_tile (self, self->tile_cost, narrow ? 1 : 3, narrow ? 1 : 0);
  gtk_grid_set_column_spacing (GTK_GRID (self->tiles), narrow ? 6 : 12);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->counts), stacked);
  gtk_box_set_spacing (GTK_BOX (self->counts), narrow ? 3 : 6);
  gtk_widget_set_valign (self->rate, narrow ? GTK_ALIGN_FILL : GTK_ALIGN_BASELINE);
  gtk_widget_set_valign (self->total, narrow ? GTK_ALIGN_FILL : GTK_ALIGN_BASELINE);
  gtk_inscription_set_xalign (GTK_INSCRIPTION (self->total), narrow ? 0 : 1);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->note),
                                 narrow ? _ ("What is wrong? (optional)")
                                        : _ ("What is wrong? It goes into the file (optional)"));
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->loss_card), stacked);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->bottom), stacked);
  gtk_box_set_spacing (GTK_BOX (self->bottom), narrow ? 6 : 12);
  g_object_set (gtk_widget_get_layout_manager (self->left_buttons), "fill", narrow, NULL);
  g_object_set (gtk_widget_get_layout_manager (self->right_buttons), "fill", narrow, NULL);
  g_object_set (gtk_widget_get_layout_manager (self->loss_cures), "fill", narrow, "wrap", narrow,
                NULL);
  gtk_label_set_label (GTK_LABEL (self->save_ring_label),
                       narrow ? _ ("Save and Go On") : _ ("Save Now, Keep Recording"));
  if (narrow)
    {
      gtk_widget_remove_css_class (self->discard, "flat");
      gtk_widget_add_css_class (self->bottom, "narrow");
    }
  else
    {
      gtk_widget_add_css_class (self->discard, "flat");
      gtk_widget_remove_css_class (self->bottom, "narrow");
    }
}

/* The largest text at 360 pixels: words that have a line of their own give way, the page does not
 * become wider than the window. */
static void
let_shrink (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget))
    gtk_label_set_ellipsize (GTK_LABEL (widget), PANGO_ELLIPSIZE_END);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    let_shrink (child);
}

/* ---- widget ---- */

static void
wpr_recording_page_dispose (GObject *object)
{
  WprRecordingPage *self = WPR_RECORDING_PAGE (object);
  g_clear_handle_id (&self->scroll_source, g_source_remove);
  g_clear_pointer (&self->mark_popover, gtk_widget_unparent);
  g_clear_object (&self->model);
  g_clear_pointer (&self->rate_shown, g_free);
  g_clear_pointer (&self->silence, g_free);
  G_OBJECT_CLASS (wpr_recording_page_parent_class)->dispose (object);
}

/* One row a child of the template. */
#define CHILD(name)                                \
  {                                                \
#name, G_STRUCT_OFFSET(WprRecordingPage, name) \
  }
static const struct
{
  const char *name;
  gssize offset;
} children[] = {
  CHILD (narrow),         CHILD (scroll),       CHILD (notice_bar),
  CHILD (notice_label),   CHILD (body),         CHILD (hero),
  CHILD (clock),          CHILD (what),         CHILD (origin),
  CHILD (loss_revealer),  CHILD (loss_title),   CHILD (loss_text),
  CHILD (rate),           CHILD (total),        CHILD (graph),
  CHILD (legend),         CHILD (tiles),        CHILD (tile_fill),
  CHILD (tile_lost),      CHILD (tile_size),    CHILD (tile_cost),
  CHILD (collectors_row), CHILD (collectors),   CHILD (note),
  CHILD (bottom),         CHILD (left_buttons), CHILD (right_buttons),
  CHILD (mark),           CHILD (save_ring),    CHILD (save_ring_label),
  CHILD (discard),        CHILD (stop),         CHILD (mark_popover),
  CHILD (mark_entry),     CHILD (mark_add),     CHILD (loss_card),
  CHILD (loss_cures),     CHILD (fewer_stacks), CHILD (switches),
  CHILD (counts),
};
#undef CHILD

static void
wpr_recording_page_class_init (WprRecordingPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = wpr_recording_page_dispose;
  g_type_ensure (WPR_TYPE_NARROW_BIN);
  g_type_ensure (WPR_TYPE_GRAPH);
  g_type_ensure (WPR_TYPE_TILE);
  g_type_ensure (WPR_TYPE_COLLECTORS_TABLE);
  g_type_ensure (WPR_TYPE_PROFILES_SWITCHES);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/recording-page.ui");
  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    gtk_widget_class_bind_template_child_full (widget_class, children[i].name, FALSE,
                                               children[i].offset);
}

static void
wpr_recording_page_init (WprRecordingPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  let_shrink (self->bottom);
  let_shrink (self->legend);
  let_shrink (self->loss_cures);
  wpr_name_bar (self->notice_bar);
  gtk_widget_set_parent (self->mark_popover, self->mark);
  g_signal_connect_swapped (self->narrow, "notify::narrow", G_CALLBACK (on_narrow), self);
  g_signal_connect_swapped (self->collectors_row, "notify::expanded", G_CALLBACK (on_expanded),
                            self);
  g_signal_connect_swapped (self->collectors_row, "notify::expanded", G_CALLBACK (show_opened),
                            self);
  g_signal_connect_swapped (self->switches, "notify::expanded", G_CALLBACK (show_opened), self);
  g_signal_connect_swapped (self->notice_bar, "response", G_CALLBACK (close_bar), self);
  g_signal_connect_swapped (self->note, "changed", G_CALLBACK (on_note), self);
  g_signal_connect_swapped (self->mark_entry, "activate", G_CALLBACK (on_words), self);
  g_signal_connect_swapped (self->mark_add, "clicked", G_CALLBACK (on_words), self);
}

void
wpr_recording_page_set_model (WprRecordingPage *self, WprModel *model)
{
  self->model = g_object_ref (model);
  g_signal_connect_object (model, "subject", G_CALLBACK (on_subject), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (model, "switched", G_CALLBACK (show_what), self, G_CONNECT_SWAPPED);
  wpr_profiles_switches_set_model (WPR_PROFILES_SWITCHES (self->switches), model);
  g_signal_connect_object (model, "figures", G_CALLBACK (on_figures), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (model, "notice", G_CALLBACK (show_bar), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (model, "silence", G_CALLBACK (on_silence), self, G_CONNECT_SWAPPED);
  if (wpr_model_get_subject (model) != NULL)
    on_subject (self);
}
