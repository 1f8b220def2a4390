/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan in two lines and a list. */
#include "config.h"
#include "plan-bar.h"

#include <glib/gi18n.h>
#include "format.h"
#include "texts.h"

#define MISSING_CHARS 42

struct _WprPlanBar
{
  GtkBox parent;
  /* template */
  GtkWidget *forecast;
  GtkWidget *plan_line;
  GtkWidget *missing_button;
  GtkWidget *missing_label;
  GtkWidget *missing_list;
  /* state */
  gboolean narrow;
};

G_DEFINE_FINAL_TYPE (WprPlanBar, wpr_plan_bar, GTK_TYPE_BOX)

static void
wpr_plan_bar_class_init (WprPlanBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/performance_recorder/Wpr/plan-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, WprPlanBar, forecast);
  gtk_widget_class_bind_template_child (widget_class, WprPlanBar, plan_line);
  gtk_widget_class_bind_template_child (widget_class, WprPlanBar, missing_button);
  gtk_widget_class_bind_template_child (widget_class, WprPlanBar, missing_label);
  gtk_widget_class_bind_template_child (widget_class, WprPlanBar, missing_list);
}

static void
wpr_plan_bar_init (WprPlanBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

static GtkWidget *
new_missing_label (const char *what, const char *why)
{
  g_autofree char *markup = g_markup_printf_escaped ("<b>%s</b>\n<small>%s</small>", what, why);
  GtkWidget *label = gtk_label_new (NULL);
  gtk_label_set_markup (GTK_LABEL (label), markup);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  /* as wide as the popover, or its height is measured for another width */
  gtk_label_set_width_chars (GTK_LABEL (label), MISSING_CHARS);
  gtk_label_set_max_width_chars (GTK_LABEL (label), MISSING_CHARS);
  return label;
}

/* What is missing for the same reason stands together: twenty events need one explanation. */
static void
list_missing (WprPlanBar *self, const WprPlan *plan)
{
  g_autoptr (GPtrArray) done = g_ptr_array_new ();
  for (guint i = 0; i < plan->missing->len; i++)
    {
      const WprPlanMissing *missing = plan->missing->pdata[i];
      if (g_ptr_array_find_with_equal_func (done, missing->text, g_str_equal, NULL))
        continue;
      g_ptr_array_add (done, (char *)missing->text);
      g_autofree char *names = wpr_text_missing (plan, i);
      gtk_box_append (GTK_BOX (self->missing_list), new_missing_label (names, missing->text));
    }
}

static guint
count_denied (const WprPlan *plan)
{
  guint n = 0;
  for (guint i = 0; plan != NULL && i < plan->missing->len; i++)
    n += ((const WprPlanMissing *)plan->missing->pdata[i])->reason == WPR_MISSING_NEEDS_RIGHTS;
  return n;
}

static char *
describe_denied (guint n, gboolean can_ask)
{
  g_autofree char *count = wpr_format_count (n);
  /* Translators: of kinds of events that an administrator has to approve of */
  return g_strdup_printf (can_ask ? ngettext ("%s needs an approval", "%s need an approval", n)
                                  /* Translators: the same, where nobody can be asked */
                                  : ngettext ("%s needs rights", "%s need rights", n),
                          count);
}

static char *
describe_absent (guint n)
{
  g_autofree char *count = wpr_format_count (n);
  return g_strdup_printf (ngettext ("%s not available here", "%s not available here", n), count);
}

/* can_ask: an administrator who may approve. */
static void
show_missing (WprPlanBar *self, const WprPlan *plan, gboolean can_ask)
{
  guint n_missing = plan ? plan->missing->len : 0, n_denied = count_denied (plan);
  gtk_widget_set_visible (self->missing_button, n_missing > 0);
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child (self->missing_list)) != NULL)
    gtk_box_remove (GTK_BOX (self->missing_list), child);
  if (n_missing == 0)
    return;
  g_autofree char *denied = n_denied > 0 ? describe_denied (n_denied, can_ask) : NULL;
  g_autofree char *absent = n_missing > n_denied ? describe_absent (n_missing - n_denied) : NULL;
  g_autofree char *text = denied == NULL || absent == NULL
                              ? g_strdup (denied != NULL ? denied : absent)
                              /* Translators: "20 need an approval", "2 not available here" */
                              : g_strdup_printf (_ ("%s, %s"), denied, absent);
  gtk_label_set_label (GTK_LABEL (self->missing_label), text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->missing_button),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  list_missing (self, plan);
}

static char *
describe_plan (WprPlanBar *self, const WprPlan *plan)
{
  g_autofree char *kinds = wpr_format_count (plan->n_kinds);
  if (plan->n_kinds == 0)
    return g_strdup ("");
  if (plan->mode == WPR_MODE_FILE || self->narrow)
    /* Translators: a number of kinds of events */
    return g_strdup_printf (ngettext ("%s kind of event", "%s kinds of events", plan->n_kinds),
                            kinds);
  g_autofree char *memory = wpr_format_bytes (plan->memory_bytes);
  /* Translators: a number of kinds of events, a size */
  return g_strdup_printf (ngettext ("%s kind of events, %s of memory",
                                    "%s kinds of events, %s of memory", plan->n_kinds),
                          kinds, memory);
}

static char *
describe_forecast (WprModel *model, const WprPlan *plan, const GError *error)
{
  if (wpr_model_get_starting (model))
    return g_strdup (_ ("Starting…"));
  if (error != NULL)
    return g_strdup (error->message);
  if (plan == NULL)
    return g_strdup (_ ("Switch on at least one profile"));
  return wpr_text_forecast (plan, wpr_model_get_estimate (model));
}

void
wpr_plan_bar_set_narrow (WprPlanBar *self, gboolean narrow)
{
  self->narrow = narrow;
  if (narrow)
    gtk_widget_add_css_class (GTK_WIDGET (self), "narrow");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "narrow");
}

void
wpr_plan_bar_show (WprPlanBar *self, WprModel *model)
{
  const WprPlan *plan = wpr_model_get_plan (model);
  g_autofree char *forecast = describe_forecast (model, plan, wpr_model_get_plan_error (model));
  g_autofree char *line = plan ? describe_plan (self, plan) : g_strdup ("");
  gtk_label_set_label (GTK_LABEL (self->forecast), forecast);
  gtk_label_set_label (GTK_LABEL (self->plan_line), line);
  WprLock lock = wpr_model_get_lock (model);
  show_missing (self, plan, lock == WPR_LOCK_CLOSED || lock == WPR_LOCK_ASKING);
}
