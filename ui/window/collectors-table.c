/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collectors' figures in a GtkColumnView; its cells are bound in the template to the properties
 * of a small object a row. */
#include "config.h"
#include "collectors-table.h"

#include <glib/gi18n.h>
#include "format.h"

/* ---- a row ---- */

#define WPR_TYPE_COLLECTOR_ROW (wpr_collector_row_get_type ())
G_DECLARE_FINAL_TYPE (WprCollectorRow, wpr_collector_row, WPR, COLLECTOR_ROW, GObject)

enum
{
  TEXT_NAME,
  TEXT_BUFFER_KB,
  TEXT_BUFFERS,
  TEXT_WRITTEN,
  TEXT_FILL,
  TEXT_EVENTS,
  TEXT_RATE,
  TEXT_LOST,
  N_TEXTS
};
/* Property names, in the order of the texts; then "fill" and "lost-classes". */
static const char *const text_names[N_TEXTS]
    = { "name", "buffer-kb", "buffers", "written", "fill-text", "events", "rate", "lost" };
enum
{
  PROP_FILL = N_TEXTS + 1,
  PROP_LOST_CLASSES,
  N_PROPS
};

struct _WprCollectorRow
{
  GObject parent;
  char *texts[N_TEXTS];
  double fill;
  gboolean has_lost;
};

G_DEFINE_FINAL_TYPE (WprCollectorRow, wpr_collector_row, G_TYPE_OBJECT)

static GParamSpec *properties[N_PROPS];

static void
wpr_collector_row_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  static const char *const plain[] = { "numeric", NULL };
  static const char *const alarming[] = { "numeric", "lost", NULL };
  WprCollectorRow *self = WPR_COLLECTOR_ROW (object);
  if (id <= N_TEXTS)
    g_value_set_string (value, self->texts[id - 1]);
  else if (id == PROP_FILL)
    g_value_set_double (value, self->fill);
  else
    g_value_set_boxed (value, self->has_lost ? alarming : plain);
}

static void
wpr_collector_row_finalize (GObject *object)
{
  for (guint i = 0; i < N_TEXTS; i++)
    g_free (WPR_COLLECTOR_ROW (object)->texts[i]);
  G_OBJECT_CLASS (wpr_collector_row_parent_class)->finalize (object);
}

static void
wpr_collector_row_class_init (WprCollectorRowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  object_class->get_property = wpr_collector_row_get_property;
  object_class->finalize = wpr_collector_row_finalize;
  for (guint i = 0; i < N_TEXTS; i++)
    properties[i + 1] = g_param_spec_string (text_names[i], NULL, NULL, "",
                                             G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_FILL] = g_param_spec_double ("fill", NULL, NULL, 0, 1, 0,
                                               G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_LOST_CLASSES] = g_param_spec_boxed ("lost-classes", NULL, NULL, G_TYPE_STRV,
                                                      G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
wpr_collector_row_init (WprCollectorRow *self)
{
}

/* Takes the text; says so only where it is another one. */
static void
take_text (WprCollectorRow *self, guint which, char *text)
{
  if (g_strcmp0 (self->texts[which], text) == 0)
    {
      g_free (text);
      return;
    }
  g_free (self->texts[which]);
  self->texts[which] = text;
  g_object_notify_by_pspec (G_OBJECT (self), properties[which + 1]);
}

static void
update_row (WprCollectorRow *self, const WprCollectorStats *stats, WprMode mode)
{
  guint64 written = mode == WPR_MODE_FILE ? stats->bytes_written
                                          : stats->buffers_written * stats->buffer_kb * 1024;
  g_autofree char *free_count = wpr_format_count (stats->buffers_free);
  g_autofree char *total = wpr_format_count (stats->buffers_total);
  take_text (self, TEXT_NAME, g_strdup (stats->name));
  take_text (self, TEXT_BUFFER_KB, wpr_format_count (stats->buffer_kb));
  /* from left to right, whatever runs the other way */
  take_text (self, TEXT_BUFFERS, g_strdup_printf ("\u2066%s / %s\u2069", free_count, total));
  take_text (self, TEXT_WRITTEN, wpr_format_bytes (written));
  take_text (self, TEXT_FILL, wpr_format_percent (stats->fill, 0));
  take_text (self, TEXT_EVENTS, wpr_format_count (stats->events));
  take_text (self, TEXT_RATE, wpr_format_count ((guint64)stats->events_per_s));
  take_text (self, TEXT_LOST, wpr_format_count (stats->lost));
  if (self->fill != CLAMP (stats->fill, 0, 1))
    {
      self->fill = CLAMP (stats->fill, 0, 1);
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_FILL]);
    }
  if (self->has_lost != (stats->lost > 0))
    {
      self->has_lost = stats->lost > 0;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LOST_CLASSES]);
    }
}

/* ---- the table ---- */

struct _WprCollectorsTable
{
  AdwBin parent;
  GtkWidget *view;
  GListStore *rows;
};

/* The column that is a bar and a figure. */
#define FILL 4

G_DEFINE_FINAL_TYPE (WprCollectorsTable, wpr_collectors_table, ADW_TYPE_BIN)

static void
wpr_collectors_table_dispose (GObject *object)
{
  g_clear_object (&WPR_COLLECTORS_TABLE (object)->rows);
  G_OBJECT_CLASS (wpr_collectors_table_parent_class)->dispose (object);
}

static void
wpr_collectors_table_class_init (WprCollectorsTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = wpr_collectors_table_dispose;
  g_type_ensure (WPR_TYPE_COLLECTOR_ROW);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/collectors-table.ui");
  gtk_widget_class_bind_template_child (widget_class, WprCollectorsTable, view);
}

/* Over figures, which end where the column does, its title does, too; GTK 4.8 has no word for it.
 */
static void
align_titles (WprCollectorsTable *self)
{
  GtkWidget *header = gtk_widget_get_first_child (self->view);
  GtkWidget *title = header ? gtk_widget_get_first_child (header) : NULL;
  for (guint i = 0; title != NULL; i++, title = gtk_widget_get_next_sibling (title))
    for (GtkWidget *child = gtk_widget_get_first_child (title); child != NULL && i > 0 && i != FILL;
         child = gtk_widget_get_next_sibling (child))
      gtk_widget_set_halign (child, GTK_ALIGN_END);
}

static void
wpr_collectors_table_init (WprCollectorsTable *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->rows = g_list_store_new (WPR_TYPE_COLLECTOR_ROW);
  g_autoptr (GtkNoSelection) selection
      = gtk_no_selection_new (G_LIST_MODEL (g_object_ref (self->rows)));
  gtk_column_view_set_model (GTK_COLUMN_VIEW (self->view), GTK_SELECTION_MODEL (selection));
  align_titles (self);
}

void
wpr_collectors_table_show (WprCollectorsTable *self, const WprStats *stats)
{
  GListModel *model = G_LIST_MODEL (self->rows);
  while (g_list_model_get_n_items (model) > stats->n_collectors)
    g_list_store_remove (self->rows, g_list_model_get_n_items (model) - 1);
  for (guint i = 0; i < stats->n_collectors; i++)
    {
      g_autoptr (WprCollectorRow) row = g_list_model_get_item (model, i);
      gboolean is_new = row == NULL;
      if (is_new)
        row = g_object_new (WPR_TYPE_COLLECTOR_ROW, NULL);
      update_row (row, &stats->collectors[i], stats->mode);
      if (is_new)
        g_list_store_append (self->rows, row);
    }
}
