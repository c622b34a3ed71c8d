// A dependency graph of a module: the module on the left, then the modules and providers that it
// uses, then theirs. A picture of plain shapes and words, laid out here; the table beside it shows
// the same facts. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inspect/contents.h"
#include "web/common/view.h"

namespace koya::web {

struct GraphNode {
  enum class Kind { kModule, kLocal, kCall, kProvider };
  Kind kind = Kind::kModule;
  std::string label;
  std::size_t column = 0;
  std::size_t row = 0;  // within its column
};

struct ModuleGraph {
  static constexpr std::size_t kMostNodes = 60;
  std::vector<GraphNode> nodes;                            // the first is the module
  std::vector<std::pair<std::size_t, std::size_t>> edges;  // from and to, in `nodes`
  bool cut = false;                                        // more than kMostNodes exist
};

// `host`: of this registry, which labels leave out.
ModuleGraph MakeModuleGraph(const std::string& name, const inspect::ModuleContents& contents,
                            std::string_view host);

// Returns a view with the fields of the piece _module_graph.
View GraphView(const ModuleGraph& graph);

}  // namespace koya::web
