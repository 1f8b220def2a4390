/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text that changes without a new layout. */
#include "config.h"
#include "figure.h"

/* Pango puts a text of Latin letters to the left also where lines begin on the right: a mark of
 * that direction in front, and the text in a direction of its own. */
char *
wpr_figure_align (GtkWidget *widget, const char *text)
{
  return gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL
             ? g_strdup_printf ("\u200f\u2068%s\u2069", text)
             : g_strdup (text);
}

gboolean
wpr_figure_show (GtkWidget *widget, const char *text, gboolean grows)
{
  GtkInscription *inscription = GTK_INSCRIPTION (widget);
  g_autofree char *aligned = wpr_figure_align (widget, text);
  if (g_strcmp0 (gtk_inscription_get_text (inscription), aligned) == 0)
    return FALSE;
  guint n_chars = 0;
  /* a Chinese character takes the room of two others */
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    n_chars += g_unichar_iswide (g_utf8_get_char (at)) ? 2 : 1;
  if (grows && gtk_inscription_get_nat_chars (inscription) != n_chars)
    gtk_inscription_set_nat_chars (inscription, n_chars);
  gtk_inscription_set_text (inscription, aligned);
  return TRUE;
}
