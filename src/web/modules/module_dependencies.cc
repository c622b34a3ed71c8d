// The tab of dependencies.
#include "web/modules/module_dependencies.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "web/common/template_engine.h"
#include "web/common/view.h"
#include "web/mirror/mirror_pages.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"

namespace koya::web {
namespace {

// In units of the picture, which scales.
constexpr std::size_t kNodeWidth = 210;
constexpr std::size_t kNodeHeight = 30;
constexpr std::size_t kColumnStep = 290;
constexpr std::size_t kRowStep = 40;
constexpr std::size_t kGraphMargin = 4;
// Above all nodes: where lines pass columns that they have no end in.
constexpr std::size_t kLane = 16;
constexpr std::size_t kLongestLabel = 28;  // characters

class GraphMaker {
 public:
  GraphMaker(const inspect::ModuleContents& contents, std::string_view host)
      : contents_(contents), host_(host) {}

  ModuleGraph Make(const std::string& name) {
    graph_.nodes.push_back({GraphNode::Kind::kModule, name});
    rows_[0] = 1;
    AddNeeds(0, contents_.root, 0);
    return std::move(graph_);
  }

 private:
  // Finds or adds the node of that kind and `key`; nullopt: there is no room.
  std::optional<std::size_t> Node(GraphNode::Kind kind, const std::string& key,
                                  const std::string& label, std::size_t column) {
    auto [known, is_new] = places_.try_emplace({kind, key}, graph_.nodes.size());
    if (!is_new) return known->second;
    if (graph_.nodes.size() == ModuleGraph::kMostNodes) {
      places_.erase(known);
      graph_.cut = true;
      return std::nullopt;
    }
    graph_.nodes.push_back({kind, label, column, rows_[column]++});
    return known->second;
  }

  void AddEdge(std::size_t from, std::size_t to) {
    std::pair<std::size_t, std::size_t> edge{from, to};
    if (from != to && std::ranges::find(graph_.edges, edge) == graph_.edges.end()) {
      graph_.edges.push_back(edge);
    }
  }

  const inspect::ModulePart* LocalPart(const inspect::ModuleCall& call) const {
    if (call.kind != "local") return nullptr;
    auto found = std::ranges::find(contents_.submodules, call.address, &inspect::ModulePart::path);
    return found == contents_.submodules.end() ? nullptr : &*found;
  }

  void AddNeeds(std::size_t from, const inspect::ModulePart& part, std::size_t depth) {
    for (const inspect::ModuleCall& call : part.calls) {
      if (!call.hidden) AddCall(from, call, depth);
    }
    for (const inspect::Requirement& need : part.requirements) {
      auto node = Node(GraphNode::Kind::kProvider, need.address.empty() ? need.name : need.address,
                       ShortProvider(need, host_), depth + 1);
      if (node) AddEdge(from, *node);
    }
  }

  void AddCall(std::size_t from, const inspect::ModuleCall& call, std::size_t depth) {
    const inspect::ModulePart* local = LocalPart(call);
    const std::size_t before = graph_.nodes.size();
    const std::string& key = local == nullptr ? call.source : local->path;
    auto node = Node(local == nullptr ? GraphNode::Kind::kCall : GraphNode::Kind::kLocal, key,
                     ShortAddress(key, host_), depth + 1);
    if (!node) return;
    AddEdge(from, *node);
    // A known node already has its dependencies; a deeper picture is not readable.
    const bool is_new = graph_.nodes.size() > before;
    if (local != nullptr && is_new && depth < 2) AddNeeds(*node, *local, depth + 1);
  }

  const inspect::ModuleContents& contents_;
  std::string_view host_;
  ModuleGraph graph_;
  std::map<std::pair<GraphNode::Kind, std::string>, std::size_t> places_;  // by kind and key
  std::map<std::size_t, std::size_t> rows_;                                // of each column
};

std::size_t LeftOf(const GraphNode& node) { return kGraphMargin + node.column * kColumnStep; }
std::size_t TopOf(const GraphNode& node) { return kLane + kGraphMargin + node.row * kRowStep; }

// Cut in its middle, where addresses differ least.
std::string ShortLabel(const std::string& label) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < label.size(); ++i) {
    if ((label[i] & 0xC0) != 0x80) starts.push_back(i);
  }
  if (starts.size() <= kLongestLabel) return label;
  const std::size_t head = starts[kLongestLabel / 3];
  const std::size_t tail = starts[starts.size() - (kLongestLabel - kLongestLabel / 3 - 1)];
  return fmt::format("{}…{}", label.substr(0, head), label.substr(tail));
}

View NodeView(const GraphNode& node) {
  return View()
      .Set("kind", node.kind)
      .Set("node_left", LeftOf(node))
      .Set("node_top", TopOf(node))
      .Set("node_text_left", LeftOf(node) + 10)
      .Set("node_text_top", TopOf(node) + 20)
      .Set("node_label", ShortLabel(node.label));
}

std::string EdgePath(const GraphNode& from, const GraphNode& to) {
  const std::size_t begin = LeftOf(from) + kNodeWidth;
  const std::size_t end = LeftOf(to);
  const std::size_t from_middle = TopOf(from) + kNodeHeight / 2;
  const std::size_t to_middle = TopOf(to) + kNodeHeight / 2;
  // Within a column, and back: around the right.
  if (to.column <= from.column) {
    const std::size_t side = begin + 36;
    return fmt::format("M{} {}C{} {} {} {} {} {}", begin, from_middle, side, from_middle, side,
                       to_middle, LeftOf(to) + kNodeWidth, to_middle);
  }
  if (to.column > from.column + 1) {
    return fmt::format("M{} {}C{} {} {} {} {} {}H{}C{} {} {} {} {} {}", begin, from_middle,
                       begin + 40, from_middle, begin + 10, kGraphMargin, begin + 50, kGraphMargin,
                       end - 50, end - 10, kGraphMargin, end - 40, to_middle, end, to_middle);
  }
  const std::size_t half = begin + (end - begin) / 2;
  return fmt::format("M{} {}C{} {} {} {} {} {}", begin, from_middle, half, from_middle, half,
                     to_middle, end, to_middle);
}

}  // namespace

ModuleGraph MakeModuleGraph(const std::string& name, const inspect::ModuleContents& contents,
                            std::string_view host) {
  return GraphMaker(contents, host).Make(name);
}

View GraphView(const ModuleGraph& graph) {
  std::size_t columns = 0;
  std::size_t rows = 0;
  for (const GraphNode& node : graph.nodes) {
    columns = std::max(columns, node.column);
    rows = std::max(rows, node.row);
  }
  return View()
      .Set("graph_width", 2 * kGraphMargin + columns * kColumnStep + kNodeWidth + 36)
      .Set("graph_height", kLane + 2 * kGraphMargin + rows * kRowStep + kNodeHeight)
      .Set("graph_cut", graph.cut)
      .List("nodes", graph.nodes, NodeView)
      .List("edges", graph.edges, [&graph](const auto& edge) {
        return View().Set(".", EdgePath(graph.nodes[edge.first], graph.nodes[edge.second]));
      });
}

KOYA_VIEW(ResolvedNeed, path, version, is_mirrored);
KOYA_VIEW(inspect::Requirement, constraint, locked, implied);
KOYA_VIEW(inspect::ModuleCall, name, kind, constraint);

namespace {

const ResolvedNeed& ResolvedAt(const std::vector<ResolvedNeed>& needs, std::size_t at) {
  static const ResolvedNeed kNowhere;
  return at < needs.size() ? needs[at] : kNowhere;
}

View RequirementView(const ModulePage& page, const inspect::Requirement& each,
                     const ResolvedNeed& resolved) {
  View view;
  view.Of(each)
      .Of(resolved)
      .Set("need_name", ShortProvider(each, page.host))
      .Set("is_built_in", each.address.empty())
      .Set("has_verdict", resolved.verdict.has_value());
  AddVerdict(view, resolved.verdict.value_or(ShownVerdict::kAllowed), resolved.rule);
  AddPlace(page, each.place, view);
  return view;
}

View CallView(const ModulePage& page, const inspect::ModuleCall& each,
              const ResolvedNeed& resolved) {
  View view;
  view.Of(each)
      .Of(resolved)
      .Set("source", ShortAddress(each.source, page.host))
      .Set("repetition", each.repetition.Kind())
      .Set("is_unknown", each.IsUnknown());
  AddPlace(page, each.place, view);
  return view;
}

}  // namespace

std::vector<ModuleNeedAddress> ModuleNeedAddresses(const ModulePage& page) {
  std::vector<ModuleNeedAddress> addresses;
  for (const inspect::Requirement& each : page.root().requirements) {
    addresses.push_back({.is_provider = true,
                         .address = each.address,
                         .constraint = each.constraint,
                         .local_path = ""});
  }
  for (const inspect::ModuleCall& each : page.root().calls) {
    const bool local = each.kind == "local" && !each.address.empty();
    addresses.push_back({.is_provider = false,
                         .address = each.kind == "registry" ? each.address : "",
                         .constraint = each.constraint,
                         .local_path = local ? ModuleFolderPath(page, each.address) : ""});
  }
  return addresses;
}

std::string RenderModuleDependencies(const PageFrame& frame, const ModulePage& page,
                                     const ModuleNeeds& needs) {
  View view = ModuleView(frame, page, ModuleTab::kDependencies);
  const inspect::ModulePart& root = page.root();
  std::vector<View> requirements;
  for (std::size_t i = 0; i < root.requirements.size(); ++i) {
    requirements.push_back(
        RequirementView(page, root.requirements[i], ResolvedAt(needs.providers, i)));
  }
  std::vector<View> calls;
  for (std::size_t i = 0; i < root.calls.size(); ++i) {
    if (root.calls[i].hidden) continue;
    calls.push_back(CallView(page, root.calls[i], ResolvedAt(needs.modules, i)));
  }
  std::optional<View> graph;
  if (page.contents != nullptr) {
    const ModuleGraph drawn =
        MakeModuleGraph(page.record->address.name(), *page.contents, page.host);
    if (drawn.nodes.size() > 1) graph = GraphView(drawn);
  }
  const auto is_judged = [](const ResolvedNeed& need) { return need.verdict.has_value(); };
  view.Set("required_version", root.required_version)
      .Set("required_opentofu", root.required_opentofu)
      .Set("has_clients", !root.required_version.empty() || !root.required_opentofu.empty())
      .Set("has_locked", !std::ranges::all_of(root.requirements, &std::string::empty,
                                              &inspect::Requirement::locked))
      .Set("has_verdicts", std::ranges::any_of(needs.providers, is_judged))
      .List("needs", std::move(requirements))
      .List("calls", std::move(calls))
      .Set("graph", std::move(graph));
  return RenderTemplate("module_dependencies", frame.language, view);
}

}  // namespace koya::web
