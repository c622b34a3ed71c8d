// The tab of dependencies.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "web/common/template_engine.h"
#include "web/common/view_parts.h"
#include "web/mirror/mirror_parts.h"
#include "web/modules/module_graph.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"

namespace koya::web {
namespace {

const ResolvedNeed& ResolvedAt(const std::vector<ResolvedNeed>& needs, std::size_t at) {
  static const ResolvedNeed kNowhere;
  return at < needs.size() ? needs[at] : kNowhere;
}

std::vector<View> RequirementViews(const ModulePage& page, const ModuleNeeds& needs) {
  std::vector<View> views;
  const std::vector<inspect::Requirement>& requirements = page.contents->root.requirements;
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    const inspect::Requirement& each = requirements[i];
    const ResolvedNeed& resolved = ResolvedAt(needs.providers, i);
    View view;
    view.Text("need_name", each.source.empty() ? each.name : each.source)
        .Text("need_constraint", each.constraint)
        .Text("need_path", resolved.path)
        .Text("need_version", resolved.version)
        .Text("need_locked", each.locked)
        .Flag("has_verdict", resolved.verdict.has_value())
        .Flag("is_implied", each.implied)
        .Flag("is_built_in", each.address.empty());
    AddVerdict(view, resolved.verdict.value_or(ShownVerdict::kAllowed), resolved.rule);
    AddPlace(page, each.place, view);
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<View> CallViews(const ModulePage& page, const ModuleNeeds& needs) {
  std::vector<View> views;
  const std::vector<inspect::ModuleCall>& calls = page.contents->root.calls;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const inspect::ModuleCall& each = calls[i];
    if (each.hidden) continue;
    const ResolvedNeed& resolved = ResolvedAt(needs.modules, i);
    View view;
    view.Text("call_name", each.name)
        .Text("call_source", each.source)
        .Text("call_constraint", each.constraint)
        .Text("call_path", resolved.path)
        .Text("call_version", resolved.version)
        .Flag("is_local", each.kind == "local")
        .Flag("is_here", each.kind != "local" && !resolved.path.empty())
        .Flag("is_outside", each.kind != "local" && resolved.path.empty())
        .Text("repetition", each.repetition.Kind());
    AddPlace(page, each.place, view);
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace

std::vector<ModuleNeedAddress> ModuleNeedAddresses(const ModulePage& page) {
  std::vector<ModuleNeedAddress> addresses;
  if (page.contents == nullptr) return addresses;
  for (const inspect::Requirement& each : page.contents->root.requirements) {
    addresses.push_back({.is_provider = true,
                         .address = each.address,
                         .constraint = each.constraint,
                         .local_path = ""});
  }
  for (const inspect::ModuleCall& each : page.contents->root.calls) {
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
  std::vector<View> requirements;
  std::vector<View> calls;
  std::optional<View> graph;
  std::string required_version;
  std::string required_opentofu;
  if (page.contents != nullptr) {
    requirements = RequirementViews(page, needs);
    calls = CallViews(page, needs);
    required_version = page.contents->root.required_version;
    required_opentofu = page.contents->root.required_opentofu;
    const ModuleGraph drawn = MakeModuleGraph(page.record->address.name(), *page.contents);
    if (drawn.nodes.size() > 1) graph = GraphView(drawn);
  }
  const auto is_judged = [](const ResolvedNeed& need) { return need.verdict.has_value(); };
  const bool has_clients = !required_version.empty() || !required_opentofu.empty();
  view.Text("required_version", required_version)
      .Text("required_opentofu", required_opentofu)
      .Flag("has_clients", has_clients)
      .Flag("has_verdicts", std::ranges::any_of(needs.providers, is_judged))
      .Flag("has_needs", !requirements.empty())
      .Flag("has_calls", !calls.empty())
      .Flag("has_nothing", requirements.empty() && calls.empty() && !has_clients)
      .List("needs", std::move(requirements))
      .List("calls", std::move(calls))
      .Maybe("graph", std::move(graph));
  return RenderTemplate("module_dependencies", frame.language, view);
}

}  // namespace koya::web
