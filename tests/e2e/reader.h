/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a screen reader asks of a window, over the accessibility bus. Each question is a call, and
 * nothing is remembered: libatspi (2.46) keeps a copy of the tree, which signals change while a
 * question waits, and dies of it now and then. The names are libatspi's, so that who knows it can
 * read the tests; of its header only the constants are used.
 * A question that gets no answer within ANSWER_MS is one whose answer is nothing: NULL, 0, FALSE.
 */
#pragma once

#include <atspi/atspi-constants.h>
#include <gio/gio.h>

#define ATSPI_TYPE_ACCESSIBLE (atspi_accessible_get_type ())
G_DECLARE_FINAL_TYPE (AtspiAccessible, atspi_accessible, ATSPI, ACCESSIBLE, GObject)

/* Connects to the accessibility bus of the session. Before anything else, once. */
void atspi_init (void);

/* The program of that process, once it is on the bus and has a window; NULL until then. */
AtspiAccessible *atspi_find_application (guint pid);

/* Its children, in order; never NULL, empty also for one that is gone. Free with
 * g_ptr_array_unref. */
GPtrArray *atspi_accessible_get_children (AtspiAccessible *accessible);
/* The first of them; NULL if there is none. */
AtspiAccessible *atspi_accessible_get_first_child (AtspiAccessible *accessible);
/* How many there are; the only question whose silence is told apart: FALSE. */
gboolean atspi_accessible_count_children (AtspiAccessible *accessible, guint *count);
AtspiRole atspi_accessible_get_role (AtspiAccessible *accessible);
gboolean atspi_accessible_has_state (AtspiAccessible *accessible, AtspiStateType state);
/* Free each with g_free; NULL if there is no answer. */
char *atspi_accessible_get_role_name (AtspiAccessible *accessible);
char *atspi_accessible_get_name (AtspiAccessible *accessible);
char *atspi_accessible_get_description (AtspiAccessible *accessible);
/* What a label or an entry says; NULL where it is of no text. */
char *atspi_accessible_get_text (AtspiAccessible *accessible);
/* Where it lies in its window, in pixels; FALSE where it lies nowhere. */
gboolean atspi_accessible_get_place (AtspiAccessible *accessible, int *x, int *width);
/* Its first action; FALSE where it has none. */
gboolean atspi_accessible_act (AtspiAccessible *accessible);
