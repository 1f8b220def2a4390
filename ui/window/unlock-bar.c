/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One sentence, of what the lock is like or of what became of the question, and one button. */
#include "config.h"
#include "unlock-bar.h"

#include <glib/gi18n.h>
#include "texts.h"

struct _WprUnlockBar
{
  AdwBin parent;
  /* template */
  GtkWidget *info_bar;
  GtkWidget *box;
  GtkWidget *lock;
  GtkWidget *spinner;
  GtkWidget *sentence;
  GtkWidget *cost;
  GtkWidget *unlock;
  GtkWidget *cancel;
};

G_DEFINE_FINAL_TYPE (WprUnlockBar, wpr_unlock_bar, ADW_TYPE_BIN)

static void
wpr_unlock_bar_class_init (WprUnlockBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/performance_recorder/Wpr/unlock-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, WprUnlockBar, info_bar);
  gtk_widget_class_bind_template_child (widget_class, WprUnlockBar, box);
  gtk_widget_class_bind_template_child (widget_class, WprUnlockBar, lock);
  gtk_widget_class_bind_template_child (widget_class, WprUnlockBar, spinner);
  gtk_widget_class_bind_template_child (widget_class, WprUnlockBar, sentence);
  gtk_widget_class_bind_template_child (widget_class, WprUnlockBar, cost);
  gtk_widget_class_bind_template_child (widget_class, WprUnlockBar, unlock);
  gtk_widget_class_bind_template_child (widget_class, WprUnlockBar, cancel);
}

static void
wpr_unlock_bar_init (WprUnlockBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
wpr_unlock_bar_show (WprUnlockBar *self, WprModel *model)
{
  WprLock lock = wpr_model_get_lock (model);
  g_autofree char *text = wpr_text_lock (model);
  gboolean asking = lock == WPR_LOCK_ASKING;
  gtk_label_set_label (GTK_LABEL (self->sentence), text);
  const WprPlan *plan = wpr_model_get_plan (model);
  /* what is seen with the rights there are; what would help is in the sentence above */
  const char *cost = plan != NULL ? plan->rights_text : "";
  gtk_label_set_label (GTK_LABEL (self->cost), cost);
  gtk_widget_set_visible (self->cost, *cost != '\0');
  gtk_widget_set_visible (self->lock, !asking);
  gtk_widget_set_visible (self->spinner, asking);
  gtk_widget_set_visible (self->unlock, lock == WPR_LOCK_CLOSED);
  gtk_widget_set_visible (self->cancel, asking);
  gtk_spinner_set_spinning (GTK_SPINNER (self->spinner), asking);
  gtk_info_bar_set_message_type (GTK_INFO_BAR (self->info_bar),
                                 *wpr_model_get_lock_words (model) != '\0' ? GTK_MESSAGE_WARNING
                                                                           : GTK_MESSAGE_INFO);
  gtk_widget_set_visible (GTK_WIDGET (self), *text != '\0');
}

void
wpr_unlock_bar_set_narrow (WprUnlockBar *self, gboolean narrow)
{
  GtkAlign align = narrow ? GTK_ALIGN_END : GTK_ALIGN_CENTER;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->box),
                                  narrow ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL);
  gtk_widget_set_halign (self->unlock, align);
  gtk_widget_set_halign (self->cancel, align);
}
