/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program: one window, its settings, its shortcuts. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define WPR_TYPE_APPLICATION (wpr_application_get_type ())
G_DECLARE_FINAL_TYPE (WprApplication, wpr_application, WPR, APPLICATION, AdwApplication)

/* beside: the folder of the executable; what is not installed yet is looked for from there. */
GApplication *wpr_application_new (const char *beside);

G_END_DECLS
