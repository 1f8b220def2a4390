/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows follow the files: a switch a profile, an expander a file with faults. */
#include "config.h"
#include "custom-group.h"

#include <string.h>
#include "faults-row.h"
#include "profile-row.h"
#include "row-texts.h"

/* Rows an idle call: each takes about 1 ms, and the window must answer between two frames. */
#define ROWS_A_CALL 20

/* Pixels: the heading of the group stays in view. */
#define ABOVE_NEWEST 60

struct _WprCustomGroup
{
  AdwPreferencesGroup parent;
  /* template */
  GtkWidget *list;
  GtkWidget *add_row;
  /* owned */
  WprCustoms *customs;
  GPtrArray *rows;    /* of CustomRow, in the order of the list; Add is none */
  GQueue *due;        /* names of files whose rows are to be made */
  GHashTable *wanted; /* ids of profiles to switch on when their files come */
  char *query;
  guint due_source;
};

/* A row and the file it is of. */
typedef struct
{
  char *file;
  GtkWidget *widget; /* borrowed from the list */
} CustomRow;

G_DEFINE_FINAL_TYPE (WprCustomGroup, wpr_custom_group, ADW_TYPE_PREFERENCES_GROUP)

static guint changed_signal, arrived_signal;

static void
free_row (gpointer data)
{
  CustomRow *row = data;
  g_free (row->file);
  g_free (row);
}

static void
wpr_custom_group_dispose (GObject *object)
{
  WprCustomGroup *self = WPR_CUSTOM_GROUP (object);
  g_clear_handle_id (&self->due_source, g_source_remove);
  g_clear_object (&self->customs);
  G_OBJECT_CLASS (wpr_custom_group_parent_class)->dispose (object);
}

static void
wpr_custom_group_finalize (GObject *object)
{
  WprCustomGroup *self = WPR_CUSTOM_GROUP (object);
  g_ptr_array_unref (self->rows);
  g_queue_free_full (self->due, g_free);
  g_hash_table_unref (self->wanted);
  g_free (self->query);
  G_OBJECT_CLASS (wpr_custom_group_parent_class)->finalize (object);
}

static void
wpr_custom_group_class_init (WprCustomGroupClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = wpr_custom_group_dispose;
  G_OBJECT_CLASS (klass)->finalize = wpr_custom_group_finalize;
  changed_signal = g_signal_new ("changed", WPR_TYPE_CUSTOM_GROUP, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
  arrived_signal = g_signal_new ("arrived", WPR_TYPE_CUSTOM_GROUP, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/custom-group.ui");
  gtk_widget_class_bind_template_child (widget_class, WprCustomGroup, list);
  gtk_widget_class_bind_template_child (widget_class, WprCustomGroup, add_row);
}

/* ---- rows ---- */

static void
on_toggled (WprCustomGroup *self)
{
  g_signal_emit (self, changed_signal, 0);
}

static void
insert (WprCustomGroup *self, guint at, const char *file, GtkWidget *widget)
{
  CustomRow *row = g_new0 (CustomRow, 1);
  row->file = g_strdup (file);
  row->widget = widget;
  gtk_list_box_insert (GTK_LIST_BOX (self->list), widget, (int)at);
  g_ptr_array_insert (self->rows, (int)at, row);
}

static void
insert_profile (WprCustomGroup *self, guint at, const WprCustomFile *file, WprProfileItem *item)
{
  GtkWidget *row = wpr_profile_row_new (item);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), wpr_custom_menu_new (file));
  wpr_profile_row_search (WPR_PROFILE_ROW (row), self->query);
  if (g_hash_table_remove (self->wanted, wpr_profile_item_get_id (item)))
    wpr_profile_row_set_on (WPR_PROFILE_ROW (row), TRUE);
  g_signal_connect_swapped (row, "toggled", G_CALLBACK (on_toggled), self);
  insert (self, at, file->name, row);
}

/* To the top of the view: below it stand the faults. */
static void
scroll_to (GtkWidget *row)
{
  GtkWidget *scroll = gtk_widget_get_ancestor (row, GTK_TYPE_SCROLLED_WINDOW);
  double y = 0;
  if (scroll == NULL || !gtk_widget_translate_coordinates (row, scroll, 0, 0, NULL, &y))
    return;
  GtkAdjustment *view = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroll));
  gtk_adjustment_set_value (view, gtk_adjustment_get_value (view) + y - ABOVE_NEWEST);
}

/* A view scrolls to what has a place in it: a new row has one after the next layout. */
static gboolean
focus_when_placed (GtkWidget *row, GdkFrameClock *clock, gpointer data)
{
  if (gtk_widget_get_height (row) == 0)
    return G_SOURCE_CONTINUE;
  /* an expander's header has the keyboard, not the row */
  if (WPR_IS_FAULTS_ROW (row))
    gtk_widget_child_focus (row, GTK_DIR_TAB_FORWARD);
  else
    gtk_widget_grab_focus (row);
  scroll_to (row);
  return G_SOURCE_REMOVE;
}

/* Rows of the file go; what was switched on of them is remembered for those that come. Where they
 * were; the end if there were none. */
static guint
take_out (WprCustomGroup *self, const char *name, gboolean *was_on)
{
  guint at = self->rows->len;
  for (guint i = self->rows->len; i > 0; i--)
    {
      CustomRow *row = self->rows->pdata[i - 1];
      if (!g_str_equal (row->file, name))
        continue;
      if (WPR_IS_PROFILE_ROW (row->widget)
          && wpr_profile_row_get_on (WPR_PROFILE_ROW (row->widget)))
        {
          WprProfileItem *item = wpr_profile_row_get_item (WPR_PROFILE_ROW (row->widget));
          g_hash_table_add (self->wanted, g_strdup (wpr_profile_item_get_id (item)));
          *was_on = TRUE;
        }
      at = i - 1;
      gtk_list_box_remove (GTK_LIST_BOX (self->list), row->widget);
      g_ptr_array_remove_index (self->rows, at);
    }
  return at;
}

/* How many rows it has now. */
static guint
put_in (WprCustomGroup *self, const WprCustomFile *file)
{
  gboolean changed = FALSE;
  guint at = take_out (self, file->name, &changed);
  guint first = at;
  for (guint i = 0; i < file->items->len; i++)
    {
      insert_profile (self, at, file, file->items->pdata[i]);
      changed |= wpr_profile_row_get_on (
          WPR_PROFILE_ROW (((CustomRow *)self->rows->pdata[at])->widget));
      at++;
    }
  if (file->faults->len > 0)
    {
      GtkWidget *row = wpr_faults_row_new (file);
      wpr_faults_row_search (WPR_FAULTS_ROW (row), self->query);
      insert (self, at++, file->name, row);
    }
  if (at == first)
    return 0;
  GtkWidget *newest = ((CustomRow *)self->rows->pdata[first])->widget;
  if (file->fresh && gtk_widget_get_visible (newest))
    gtk_widget_add_tick_callback (newest, focus_when_placed, NULL, NULL);
  /* of a new one it is to be found out what it adds */
  if (changed || file->fresh)
    g_signal_emit (self, changed_signal, 0);
  return at - first;
}

static gboolean
make_due_rows (gpointer data)
{
  WprCustomGroup *self = data;
  guint n_made = 0;
  while (n_made < ROWS_A_CALL && !g_queue_is_empty (self->due))
    {
      g_autofree char *name = g_queue_pop_head (self->due);
      const WprCustomFile *file = wpr_customs_get_file (self->customs, name);
      if (file != NULL)
        n_made += put_in (self, file);
    }
  g_signal_emit (self, arrived_signal, 0);
  if (!g_queue_is_empty (self->due))
    return G_SOURCE_CONTINUE;
  self->due_source = 0;
  return G_SOURCE_REMOVE;
}

static void
on_file (WprCustomGroup *self, const char *name)
{
  g_queue_push_tail (self->due, g_strdup (name));
  if (self->due_source == 0)
    self->due_source = g_idle_add (make_due_rows, self);
}

static gboolean
is_of_file (gpointer id, gpointer value, gpointer name)
{
  return g_str_has_prefix (id, name) && ((char *)id)[strlen (name)] == '!';
}

static void
on_removed (WprCustomGroup *self, const char *name)
{
  gboolean changed = FALSE;
  take_out (self, name, &changed);
  g_hash_table_foreach_remove (self->wanted, is_of_file, (gpointer)name);
  /* also what was remembered of it goes */
  g_signal_emit (self, changed_signal, 0);
  g_signal_emit (self, arrived_signal, 0);
}

/* ---- public ---- */

static void
wpr_custom_group_init (WprCustomGroup *self)
{
  self->rows = g_ptr_array_new_with_free_func (free_row);
  self->due = g_queue_new ();
  self->wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->query = g_strdup ("");
  gtk_widget_init_template (GTK_WIDGET (self));
  wpr_lay_out_rows (self->add_row);
}

GtkWidget *
wpr_custom_group_new (WprCustoms *customs)
{
  WprCustomGroup *self = g_object_new (WPR_TYPE_CUSTOM_GROUP, NULL);
  self->customs = g_object_ref (customs);
  g_signal_connect_object (customs, "file", G_CALLBACK (on_file), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (customs, "removed", G_CALLBACK (on_removed), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}

void
wpr_custom_group_want (WprCustomGroup *self, const char *id)
{
  g_hash_table_add (self->wanted, g_strdup (id));
}

void
wpr_custom_group_list_on (WprCustomGroup *self, GStrvBuilder *ids, gboolean waiting)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      const CustomRow *row = self->rows->pdata[i];
      if (WPR_IS_PROFILE_ROW (row->widget)
          && wpr_profile_row_get_on (WPR_PROFILE_ROW (row->widget)))
        g_strv_builder_add (ids, wpr_profile_item_get_id (
                                     wpr_profile_row_get_item (WPR_PROFILE_ROW (row->widget))));
    }
  GHashTableIter iter;
  gpointer id;
  g_hash_table_iter_init (&iter, self->wanted);
  while (waiting && g_hash_table_iter_next (&iter, &id, NULL))
    g_strv_builder_add (ids, id);
}

void
wpr_custom_group_show_worth (WprCustomGroup *self, WprModel *model)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      GtkWidget *widget = ((CustomRow *)self->rows->pdata[i])->widget;
      if (!WPR_IS_PROFILE_ROW (widget))
        continue;
      WprProfileItem *item = wpr_profile_row_get_item (WPR_PROFILE_ROW (widget));
      wpr_profile_row_show_worth (WPR_PROFILE_ROW (widget),
                                  wpr_model_get_worth (model, wpr_profile_item_get_id (item)));
    }
}

guint
wpr_custom_group_search (WprCustomGroup *self, const char *query, GStrvBuilder *hidden)
{
  guint n_shown = 0;
  g_free (self->query);
  self->query = g_strdup (query);
  for (guint i = 0; i < self->rows->len; i++)
    {
      GtkWidget *widget = ((CustomRow *)self->rows->pdata[i])->widget;
      if (WPR_IS_FAULTS_ROW (widget))
        n_shown += wpr_faults_row_search (WPR_FAULTS_ROW (widget), query);
      else if (wpr_profile_row_search (WPR_PROFILE_ROW (widget), query))
        n_shown++;
      else if (wpr_profile_row_get_on (WPR_PROFILE_ROW (widget)))
        g_strv_builder_add (hidden, wpr_profile_item_get_title (
                                        wpr_profile_row_get_item (WPR_PROFILE_ROW (widget))));
    }
  gtk_widget_set_visible (GTK_WIDGET (self), n_shown > 0 || *query == '\0');
  return n_shown;
}
