// What the process around the program does with the terminal and the desktop that it was started
// in. The main thread.
#pragma once

#include <string>

#include "cli/text/shell.h"

namespace koya::cli {

// Shows what is typed on standard input, or does not. While it does not, a signal that ends the
// program shows it again first, so that the user's shell is not left mute.
void ShowInput(bool shown);

// Gives `url` to xdg-open, in a session of its own and without this terminal. False: there is no
// xdg-open on PATH, or no desktop (neither DISPLAY nor WAYLAND_DISPLAY nor BROWSER is set).
bool OpenBrowser(const Variables& variables, const std::string& url);

}  // namespace koya::cli
