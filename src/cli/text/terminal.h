// Controls the terminal and the desktop that the process was started from. Main thread only.
#pragma once

#include <string>

#include "cli/text/shell.h"

namespace koya::cli {

// Turns the echo of standard input on or off. While it is off, a signal that ends the program turns
// it on first, so that the user's shell has its echo back.
void ShowInput(bool shown);

// Opens `url` with xdg-open, in a session of its own and without this terminal. False: there is no
// xdg-open on PATH, or no desktop (neither DISPLAY nor WAYLAND_DISPLAY nor BROWSER is set).
bool OpenBrowser(const Variables& variables, const std::string& url);

}  // namespace koya::cli
