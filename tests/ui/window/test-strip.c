/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of the graph, painted once and moved, are those that would be drawn anew. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "strip.h"

#define WIDTH 620 /* ten pixels a second between 10 and 610 */
#define HEIGHT 130
#define ROUNDING 3 /* of 255: edges are blended twice, or once */
/* What leaves the picture is forgotten reading by reading: left of this, half a second, lines drawn
 * anew are a little off. */
#define LEAVING 18

static const WprStripColors colors
    = { { 0, 0, 1, .3f }, { 0, 0, 1, 1 }, { 1, 0, 1, 1 } }; /* area, rate, fill */

static void
push (WprHistory *history, guint tenth, double rate, const WprCollectorStats *collector)
{
  WprStats stats = { .mode = WPR_MODE_FILE,
                     .elapsed_ns = (gint64)tenth * 100000000,
                     .events_per_s = rate,
                     .fill = .1 + tenth % 7 / 10.0,
                     .holds_s = -1,
                     .n_collectors = collector != NULL ? 1 : 0,
                     .collectors = collector };
  wpr_history_push (history, &stats);
}

static double
rate_at (guint tenth)
{
  return 1000 + tenth / 5 * 37 % 11 * 150; /* counts come twice a second */
}

static cairo_surface_t *
draw (WprStrip *strip, const WprHistory *history)
{
  WprPlot plot = { .history = history, .left = 10, .right = 610, .top = 20, .bottom = 120 };
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  wpr_strip_place (strip, &plot, 1);
  wpr_strip_append (strip, &plot, snapshot, WPR_STRIP_KEPT, &colors, plot.left, plot.right);
  GskRenderNode *node = gtk_snapshot_free_to_node (snapshot);
  cairo_t *cr = cairo_create (image);
  gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  gsk_render_node_unref (node);
  cairo_surface_flush (image);
  return image;
}

static guint
count_other_pixels (cairo_surface_t *one, cairo_surface_t *other)
{
  const guint8 *a = cairo_image_surface_get_data (one), *b = cairo_image_surface_get_data (other);
  guint n = 0;
  for (guint i = 0; i < WIDTH * HEIGHT * 4; i++)
    n += i / 4 % WIDTH >= LEAVING && abs (a[i] - b[i]) > ROUNDING;
  return n;
}

static void
assert_drawn_as_anew (WprStrip *strip, const WprHistory *history)
{
  WprStrip *anew = wpr_strip_new ();
  cairo_surface_t *moved = draw (strip, history), *whole = draw (anew, history);
  assert_int_equal (count_other_pixels (moved, whole), 0);
  cairo_surface_destroy (moved);
  cairo_surface_destroy (whole);
  wpr_strip_free (anew);
}

static void
moved_lines_are_those_drawn_anew (void **state)
{
  g_autoptr (WprHistory) history = wpr_history_new ();
  WprStrip *strip = wpr_strip_new ();
  /* the lines come from the right, reach the left edge after a minute, and leave there */
  for (guint tenth = 0; tenth < 700; tenth++)
    {
      push (history, tenth, rate_at (tenth), NULL);
      if (tenth == 0 || tenth % 7 == 0)
        assert_drawn_as_anew (strip, history);
    }
  wpr_strip_free (strip);
}

static void
a_loss_that_is_known_later_is_painted (void **state)
{
  static const WprLossSecond loss = { .cpu = 1, .second = 3, .count = 5 };
  static const WprCollectorStats collector
      = { .name = "", .session = "", .n_losses = 1, .losses = &loss };
  g_autoptr (WprHistory) history = wpr_history_new ();
  WprStrip *strip = wpr_strip_new ();
  for (guint tenth = 0; tenth < 60; tenth++)
    push (history, tenth, rate_at (tenth), NULL);
  cairo_surface_t *whole = draw (strip, history);
  push (history, 60, rate_at (60), &collector);
  cairo_surface_t *lossy = draw (strip, history);
  assert_true (count_other_pixels (whole, lossy) > 100);
  assert_drawn_as_anew (strip, history);
  cairo_surface_destroy (whole);
  cairo_surface_destroy (lossy);
  wpr_strip_free (strip);
}

static void
it_moves_by_whole_pixels (void **state)
{
  g_autoptr (WprHistory) history = wpr_history_new ();
  WprStrip *strip = wpr_strip_new ();
  push (history, 0, 1, NULL);
  assert_true (wpr_strip_moves (strip, history));
  cairo_surface_destroy (draw (strip, history));
  history->now = .04; /* less than half a pixel */
  assert_false (wpr_strip_moves (strip, history));
  history->now = .1;
  assert_true (wpr_strip_moves (strip, history));
  wpr_strip_free (strip);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (moved_lines_are_those_drawn_anew),
    cmocka_unit_test (a_loss_that_is_known_later_is_painted),
    cmocka_unit_test (it_moves_by_whole_pixels),
  };
  g_type_ensure (GSK_TYPE_RENDER_NODE);
  g_type_ensure (GSK_TYPE_CAIRO_NODE);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
