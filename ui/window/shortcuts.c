/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys, one row each. */
#include "config.h"
#include "shortcuts.h"

static const WprShortcut shortcuts[] = {
  { "win.record", "<Control>r" },
  { "win.unlock", "<Control>u" },
  { "win.mark", "<Control>m" },
  { "win.save-ring", "<Control>s" },
  { "win.show-profiles", "<Control>p" },
  { "win.show-collectors", "<Control>l" },
  { "win.show-in-folder", "<Control>e" },
  { "win.leave-guide", "<Alt>Left" },
  { "win.copy-guide-faults", "<Control><Shift>c" },
  { "win.search", "<Control>f" },
  { "win.add-profile", "<Control>o" },
  { "win.show-record", "<Alt>1" },
  { "win.show-recordings", "<Alt>2" },
  { "win.preferences", "<Control>comma" },
  { "win.show-help-overlay", "<Control>question" },
  { "app.help", "F1" },
  { "app.quit", "<Control>q" },
  { "window.close", "<Control>w" },
};

const WprShortcut *
wpr_shortcut_get (guint index)
{
  return index < G_N_ELEMENTS (shortcuts) ? &shortcuts[index] : NULL;
}
