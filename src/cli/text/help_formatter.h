// How --help looks: texts wrapped to a terminal's width, and no more about a flag than a reader
// needs.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace koya::cli {

// Gives `command`, and all commands below it, that look.
void StyleHelp(CLI::App& command);

}  // namespace koya::cli
