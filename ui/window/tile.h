/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A card with one figure: its name, the value, a gauge where there is one, a line of detail. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef enum
{
  WPR_TILE_PLAIN,
  WPR_TILE_WHOLE, /* nothing lost: a check */
  WPR_TILE_LOST   /* events lost: a warning, in the error colour */
} WprTileMood;

#define WPR_TYPE_TILE (wpr_tile_get_type ())
G_DECLARE_FINAL_TYPE (WprTile, wpr_tile, WPR, TILE, GtkWidget)

/* Properties "title" and "gauge" (gboolean: has one). */
void wpr_tile_set_title (WprTile *self, const char *title);
/* fraction is of the gauge, 0..1. What did not change is not drawn again. */
void wpr_tile_show (WprTile *self, const char *value, const char *detail, double fraction,
                    WprTileMood mood);
/* Only the gauge, and only where it leaps: between two calls of the other. */
void wpr_tile_move (WprTile *self, double fraction);

G_END_DECLS
