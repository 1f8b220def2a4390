/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of the recordings: the newest hundred, and more when asked. */
#include "config.h"
#include "recordings-page.h"

#include <glib/gi18n.h>
#include <string.h>
#include "format.h"
#include "narrow-bin.h"
#include "recording-row.h"
#include "recordings-actions.h"
#include "texts.h"
#include "unfinished-card.h"

/* More rows than anybody looks through take long to make: further ones are asked for. */
#define PAGE_ROWS 100
#define FILTER_MS 100  /* many notes come one after the other */
#define MONITOR_MS 500 /* a file that is written changes the folder many times */

struct _WprRecordingsPage
{
  AdwBin parent;
  /* template */
  GtkWidget *narrow, *search, *open_folder, *unfinished, *stack, *list, *more, *empty, *fault,
      *footer;
  /* owned */
  WprModel *model;
  WprRecordings *recordings;
  GtkFilter *filter;
  GListModel *shown; /* filtered */
  GtkSliceListModel *slice;
  guint refresh_source, filter_source;
};

G_DEFINE_FINAL_TYPE (WprRecordingsPage, wpr_recordings_page, ADW_TYPE_BIN)

/* ---- the list ---- */

/* Whole days ago, in local time; 0 today. */
static int
days_ago (gint64 us)
{
  g_autoptr (GDateTime) then = g_date_time_new_from_unix_local (us / G_USEC_PER_SEC);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  GDate a, b;
  if (then == NULL)
    return G_MAXINT;
  g_date_set_dmy (&a, g_date_time_get_day_of_month (then), g_date_time_get_month (then),
                  g_date_time_get_year (then));
  g_date_set_dmy (&b, g_date_time_get_day_of_month (now), g_date_time_get_month (now),
                  g_date_time_get_year (now));
  return g_date_days_between (&a, &b);
}

static const char *
name_day (WprRecordingItem *item)
{
  int days = days_ago (wpr_recording_item_get_saved_us (item));
  return days <= 0 ? _ ("Today") : days == 1 ? _ ("Yesterday") : _ ("Earlier");
}

/* The first of a day has its name above it. */
static void
set_header (GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
  WprRecordingItem *item
      = wpr_recording_row_get_item (WPR_RECORDING_ROW (gtk_list_box_row_get_child (row)));
  WprRecordingItem *above = NULL;
  if (before != NULL)
    above = wpr_recording_row_get_item (WPR_RECORDING_ROW (gtk_list_box_row_get_child (before)));
  if (above != NULL && strcmp (name_day (item), name_day (above)) == 0)
    {
      gtk_list_box_row_set_header (row, NULL);
      return;
    }
  GtkWidget *label = gtk_label_new (name_day (item));
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "heading");
  gtk_widget_add_css_class (label, "day");
  gtk_list_box_row_set_header (row, label);
}

static GtkWidget *
make_row (gpointer item, gpointer data)
{
  WprRecordingsPage *self = data;
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *content = wpr_recording_row_new ();
  wpr_recording_row_show (WPR_RECORDING_ROW (content), item, wpr_model_get_profiles (self->model));
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), content);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
  wpr_recordings_look (self->recordings, item);
  return row;
}

static void
on_more (WprRecordingsPage *self)
{
  gtk_slice_list_model_set_size (self->slice,
                                 gtk_slice_list_model_get_size (self->slice) + PAGE_ROWS);
}

static gboolean
matches (gpointer item, gpointer data)
{
  WprRecordingsPage *self = data;
  return wpr_recording_item_matches (item, gtk_editable_get_text (GTK_EDITABLE (self->search)));
}

/* ---- what is above and below it ---- */

static void
set_cards_narrow (WprRecordingsPage *self)
{
  gboolean narrow = wpr_narrow_bin_get_narrow (WPR_NARROW_BIN (self->narrow));
  for (GtkWidget *card = gtk_widget_get_first_child (self->unfinished); card != NULL;
       card = gtk_widget_get_next_sibling (card))
    wpr_unfinished_card_set_narrow (card, narrow);
}

static void
show_unfinished (WprRecordingsPage *self)
{
  const GPtrArray *list = wpr_recordings_get_unfinished (self->recordings);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (self->unfinished)) != NULL)
    gtk_box_remove (GTK_BOX (self->unfinished), child);
  for (guint i = 0; i < list->len; i++)
    gtk_box_append (GTK_BOX (self->unfinished),
                    wpr_unfinished_card_new (list->pdata[i], self->recordings, self->model));
  set_cards_narrow (self);
}

static void
show_footer (WprRecordingsPage *self)
{
  GListModel *items = wpr_recordings_get_items (self->recordings);
  guint n = g_list_model_get_n_items (items);
  guint64 bytes = 0;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (WprRecordingItem) item = g_list_model_get_item (items, i);
      bytes += wpr_recording_item_get_size (item);
    }
  const char *folder = wpr_recordings_get_folder (self->recordings);
  g_autofree char *size = wpr_format_bytes (bytes);
  g_autofree char *free_size = wpr_format_bytes (wpr_recordings_get_free_bytes (self->recordings));
  g_autofree char *shown = wpr_text_folder (folder ? folder : "");
  g_autofree char *digits = wpr_format_count (n);
  g_autofree char *count
      = g_strdup_printf (g_dngettext (GETTEXT_PACKAGE, "%s recording", "%s recordings", n), digits);
  /* Translators: "5 recordings", a size, a size, a folder */
  g_autofree char *text
      = n > 0 ? g_strdup_printf (_ ("%s, %s. %s free in %s."), count, size, free_size, shown)
              /* Translators: a size, a folder */
              : g_strdup_printf (_ ("%s free in %s."), free_size, shown);
  gtk_label_set_label (GTK_LABEL (self->footer), text);
  /* Translators: a folder */
  g_autofree char *where = g_strdup_printf (_ ("They are saved into %s."), shown);
  g_autofree char *escaped = g_markup_escape_text (where, -1);
  adw_status_page_set_description (ADW_STATUS_PAGE (self->empty), escaped);
}

/* GTK 4.8 tells screen readers of every page of a stack, unless it is hidden. */
static void
show_only (WprRecordingsPage *self, const char *name)
{
  GtkWidget *shown = gtk_stack_get_child_by_name (GTK_STACK (self->stack), name);
  gtk_widget_show (shown);
  gtk_stack_set_visible_child (GTK_STACK (self->stack), shown);
  for (GtkWidget *page = gtk_widget_get_first_child (self->stack); page != NULL;
       page = gtk_widget_get_next_sibling (page))
    gtk_widget_set_visible (page, page == shown);
}

static void
on_shown_changed (WprRecordingsPage *self)
{
  gboolean any = g_list_model_get_n_items (wpr_recordings_get_items (self->recordings)) > 0;
  gboolean found = g_list_model_get_n_items (self->shown) > 0;
  const char *fault = wpr_recordings_get_fault (self->recordings);
  gboolean read = wpr_recordings_was_read (self->recordings);
  adw_status_page_set_description (ADW_STATUS_PAGE (self->fault), fault ? fault : "");
  show_only (self, found ? "list" : any ? "nothing" : fault ? "fault" : read ? "empty" : "reading");
  gtk_widget_set_visible (self->more, g_list_model_get_n_items (self->shown)
                                          > gtk_slice_list_model_get_size (self->slice));
}

/* Notes are searched, too: then every file must be looked into, in its turn. */
static void
on_search (WprRecordingsPage *self)
{
  GListModel *items = wpr_recordings_get_items (self->recordings);
  const char *query = gtk_editable_get_text (GTK_EDITABLE (self->search));
  for (guint i = 0; *query != '\0' && i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (WprRecordingItem) item = g_list_model_get_item (items, i);
      wpr_recordings_look (self->recordings, item);
    }
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

/* What is searched for may be in the note that has just been read. */
static gboolean
filter_again (gpointer data)
{
  WprRecordingsPage *self = data;
  self->filter_source = 0;
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
  return G_SOURCE_REMOVE;
}

static void
on_looked (WprRecordingsPage *self)
{
  if (self->filter_source == 0 && *gtk_editable_get_text (GTK_EDITABLE (self->search)) != '\0')
    self->filter_source = g_timeout_add (FILTER_MS, filter_again, self);
}

static void
on_changed (WprRecordingsPage *self)
{
  show_unfinished (self);
  show_footer (self);
  on_shown_changed (self);
  if (*gtk_editable_get_text (GTK_EDITABLE (self->search)) != '\0')
    on_search (self);
}

/* ---- the folder ---- */

static gboolean
refresh_now (gpointer data)
{
  WprRecordingsPage *self = data;
  self->refresh_source = 0;
  wpr_recordings_read (self->recordings, wpr_model_get_folder (self->model));
  return G_SOURCE_REMOVE;
}

static void
on_folder_changed (WprRecordingsPage *self)
{
  if (self->refresh_source == 0)
    self->refresh_source = g_timeout_add (MONITOR_MS, refresh_now, self);
}

void
wpr_recordings_page_refresh (WprRecordingsPage *self)
{
  wpr_recordings_set_watched (self->recordings, TRUE);
  wpr_recordings_read (self->recordings, wpr_model_get_folder (self->model));
  on_shown_changed (self);
}

void
wpr_recordings_page_focus_search (WprRecordingsPage *self)
{
  gtk_widget_grab_focus (self->search);
}

static void
on_other_folder (WprRecordingsPage *self)
{
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    wpr_recordings_page_refresh (self);
}

/* Nobody looks: the folder is not watched. */
static void
on_unmap (WprRecordingsPage *self)
{
  wpr_recordings_set_watched (self->recordings, FALSE);
  g_clear_handle_id (&self->refresh_source, g_source_remove);
}

/* ---- class ---- */

/* The words of the button leave none for those of the search. */
static void
on_narrow (WprRecordingsPage *self)
{
  gboolean narrow = wpr_narrow_bin_get_narrow (WPR_NARROW_BIN (self->narrow));
  set_cards_narrow (self);
  g_object_set (self->search, "placeholder-text",
                narrow ? _ ("Search") : _ ("Search names and notes"), NULL);
  if (narrow)
    gtk_button_set_icon_name (GTK_BUTTON (self->open_folder), "folder-open-symbolic");
  else
    gtk_button_set_label (GTK_BUTTON (self->open_folder), _ ("Open Folder"));
  gtk_widget_set_tooltip_text (self->open_folder, narrow ? _ ("Open Folder") : NULL);
}

static void
wpr_recordings_page_dispose (GObject *object)
{
  WprRecordingsPage *self = WPR_RECORDINGS_PAGE (object);
  g_clear_handle_id (&self->refresh_source, g_source_remove);
  g_clear_handle_id (&self->filter_source, g_source_remove);
  g_clear_object (&self->slice);
  g_clear_object (&self->shown);
  g_clear_object (&self->recordings);
  g_clear_object (&self->model);
  G_OBJECT_CLASS (wpr_recordings_page_parent_class)->dispose (object);
}

static void
wpr_recordings_page_class_init (WprRecordingsPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = wpr_recordings_page_dispose;
  g_type_ensure (WPR_TYPE_NARROW_BIN);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/recordings-page.ui");
  gtk_widget_class_bind_template_child (widget_class, WprRecordingsPage, narrow);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingsPage, open_folder);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingsPage, search);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingsPage, unfinished);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingsPage, stack);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingsPage, list);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingsPage, more);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingsPage, empty);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingsPage, fault);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingsPage, footer);
  wpr_recordings_actions_install (widget_class);
}

static void
wpr_recordings_page_init (WprRecordingsPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_swapped (self->narrow, "notify::narrow", G_CALLBACK (on_narrow), self);
  g_signal_connect_swapped (self->search, "search-changed", G_CALLBACK (on_search), self);
  gtk_list_box_set_header_func (GTK_LIST_BOX (self->list), set_header, NULL, NULL);
  g_signal_connect_swapped (self->more, "clicked", G_CALLBACK (on_more), self);
  g_signal_connect (self, "map", G_CALLBACK (wpr_recordings_page_refresh), NULL);
  g_signal_connect (self, "unmap", G_CALLBACK (on_unmap), NULL);
}

WprRecordings *
wpr_recordings_page_get_recordings (WprRecordingsPage *self)
{
  return self->recordings;
}

void
wpr_recordings_page_set_model (WprRecordingsPage *self, WprModel *model, WprRecordings *recordings)
{
  self->model = g_object_ref (model);
  self->recordings = g_object_ref (recordings);
  self->filter = GTK_FILTER (gtk_custom_filter_new (matches, self, NULL));
  self->shown = G_LIST_MODEL (gtk_filter_list_model_new (
      g_object_ref (wpr_recordings_get_items (recordings)), self->filter));
  g_signal_connect_object (recordings, "looked", G_CALLBACK (on_looked), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (recordings, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (model, "folder", G_CALLBACK (on_other_folder), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (recordings, "stale", G_CALLBACK (on_folder_changed), self,
                           G_CONNECT_SWAPPED);
  self->slice = gtk_slice_list_model_new (g_object_ref (self->shown), 0, PAGE_ROWS);
  g_signal_connect_object (self->slice, "items-changed", G_CALLBACK (on_shown_changed), self,
                           G_CONNECT_SWAPPED);
  gtk_list_box_bind_model (GTK_LIST_BOX (self->list), G_LIST_MODEL (self->slice), make_row, self,
                           NULL);
}
