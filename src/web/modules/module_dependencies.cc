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
