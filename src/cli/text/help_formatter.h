// Formats --help: wraps texts to a terminal's width, and shows only the facts about a flag that
// users need.
#pragma once

#include <memory>

namespace CLI {
class App;
}

namespace koya::cli {

// Applies this format to `command` and all commands below it.
void StyleHelp(CLI::App& command);

}  // namespace koya::cli
