/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages behind the first: each is built when it is first to be shown, which keeps its time out
 * of the start and its memory out of windows that never come to it. */
#include "config.h"
#include "window-private.h"

static GtkWidget *
new_recording (WprWindow *self)
{
  GtkWidget *page = g_object_new (WPR_TYPE_RECORDING_PAGE, NULL);
  wpr_recording_page_set_model (WPR_RECORDING_PAGE (page), self->model);
  return page;
}

static GtkWidget *
new_saving (WprWindow *self)
{
  GtkWidget *page = g_object_new (WPR_TYPE_SAVING_PAGE, NULL);
  wpr_saving_page_set_model (WPR_SAVING_PAGE (page), self->model, self->settings);
  return page;
}

static GtkWidget *
new_guide (WprWindow *self)
{
  GtkWidget *page = g_object_new (WPR_TYPE_GUIDE_PAGE, NULL);
  wpr_guide_page_set_model (WPR_GUIDE_PAGE (page), self->model);
  return page;
}

static GtkWidget *
new_result (WprWindow *self)
{
  return g_object_new (WPR_TYPE_RESULT_PAGE, NULL);
}

/* One row a page of the stack. */
static const struct
{
  const char *name;
  gsize offset;
  GtkWidget *(*build) (WprWindow *self);
} pages[] = {
  { "choose", G_STRUCT_OFFSET (WprWindow, choose), NULL },
  { "recording", G_STRUCT_OFFSET (WprWindow, recording), new_recording },
  { "saving", G_STRUCT_OFFSET (WprWindow, saving), new_saving },
  { "guide", G_STRUCT_OFFSET (WprWindow, guide), new_guide },
  { "result", G_STRUCT_OFFSET (WprWindow, result), new_result },
};

void
wpr_window_need_page (WprWindow *self, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      GtkWidget **page = &G_STRUCT_MEMBER (GtkWidget *, self, pages[i].offset);
      if (*page != NULL || !g_str_equal (pages[i].name, name))
        continue;
      *page = pages[i].build (self);
      gtk_widget_hide (*page); /* until it is shown: show_only() in window.c says why */
      gtk_stack_add_named (GTK_STACK (self->pages), *page, name);
    }
}

void
wpr_window_need_recordings (WprWindow *self)
{
  const char *place = adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (self->places));
  if (self->recordings != NULL || g_strcmp0 (place, "recordings") != 0)
    return;
  self->recordings = g_object_new (WPR_TYPE_RECORDINGS_PAGE, NULL);
  wpr_recordings_page_set_model (WPR_RECORDINGS_PAGE (self->recordings), self->model, self->list);
  adw_bin_set_child (ADW_BIN (self->recordings_place), self->recordings);
}
