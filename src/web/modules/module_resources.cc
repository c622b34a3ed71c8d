// The tab of resources.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "web/common/template_engine.h"
#include "web/modules/module_pages.h"
#include "web/modules/module_parts.h"
#include "web/providers/provider_docs_pages.h"

namespace koya::web {
namespace {

constexpr std::size_t kMostResources = 1000;
constexpr std::array<std::string_view, 4> kModes{"managed", "data", "ephemeral", "action"};

// The local name of the provider that a resource belongs to.
std::string LocalProvider(const inspect::Resource& resource) {
  return resource.provider.substr(0, resource.provider.find('.'));
}

// "HOST/NAMESPACE/TYPE" of the resource's provider, as required; "": not stated.
std::string_view ProviderAddressOf(const inspect::ModulePart& part,
                                   const inspect::Resource& resource) {
  auto found =
      std::ranges::find(part.requirements, LocalProvider(resource), &inspect::Requirement::name);
  return found == part.requirements.end() ? std::string_view() : found->address;
}

// The provider that a resource belongs to, as it is required: "hashicorp/aws"; else its local name.
std::string ProviderOf(const inspect::ModulePart& part, const inspect::Resource& resource) {
  std::string_view address = ProviderAddressOf(part, resource);
  if (address.empty()) return LocalProvider(resource);
  // Without the host that most have.
  constexpr std::string_view kUsualHost = "registry.opentofu.org/";
  if (address.starts_with(kUsualHost)) address.remove_prefix(kUsualHost.size());
  return std::string(address);
}

// What documentation calls the kind of a resource.
std::string_view DocKindOf(const inspect::Resource& resource) {
  constexpr std::array<std::string_view, 4> kDocKinds{"resources", "data-sources",
                                                      "ephemeral-resources", "actions"};
  const auto mode = std::ranges::find(kModes, resource.mode);
  return mode == kModes.end() ? kDocKinds[0] : kDocKinds[mode - kModes.begin()];
}

// Path of the resource's documentation here; "": none. Pages are called "thing" or "demo_thing".
std::string DocsOf(const ModulePage& page, const inspect::ModulePart& part,
                   const inspect::Resource& resource) {
  const std::string_view address = ProviderAddressOf(part, resource);
  const auto docs = page.docs.find(std::string(address));
  if (docs == page.docs.end()) return {};
  const std::string prefix = std::string(address.substr(address.rfind('/') + 1)) + "_";
  const std::string kind(DocKindOf(resource));
  std::string name = resource.type;
  if (name.starts_with(prefix) && docs->second.pages.contains({kind, name.substr(prefix.size())})) {
    name.erase(0, prefix.size());
  } else if (!docs->second.pages.contains({kind, name})) {
    return {};
  }
  return DocPath(docs->second.docs_path, kind, name);
}

View ResourceView(const ModulePage& page, const inspect::ModulePart& part,
                  const inspect::Resource& resource) {
  View view;
  view.Set("resource_address", resource.Address())
      .Set("resource_docs", DocsOf(page, part, resource))
      .Set("mode", resource.mode)
      .Set("repetition", resource.repetition.Kind())
      .Set("is_protected",
           !resource.prevent_destroy.empty() && resource.prevent_destroy != "false");
  AddPlace(page, resource.place, view);
  return view;
}

// By provider, in order of name; within one, as they stand in the module.
std::vector<View> ProviderGroups(const ModulePage& page, const inspect::ModulePart& part) {
  std::map<std::string, std::vector<View>> groups;
  std::size_t shown = 0;
  for (const inspect::Resource& each : part.resources) {
    if (each.hidden) continue;
    if (++shown > kMostResources) break;
    groups[ProviderOf(part, each)].push_back(ResourceView(page, part, each));
  }
  std::vector<View> views;
  for (auto& [provider, resources] : groups) {
    views.push_back(View()
                        .Set("group_provider", provider)
                        .Set("group_count", resources.size())
                        .List("group", std::move(resources)));
  }
  return views;
}

template <class Block>
View BlockWithPlace(const ModulePage& page, const Block& block) {
  View view;
  AddPlace(page, block.place, view.Of(block));
  return view;
}

}  // namespace

KOYA_VIEW(inspect::Refactoring, kind, from, to, id, destroys);
KOYA_VIEW(inspect::Check, name, assertions);

void AddResourceLists(const ModulePage& page, const inspect::ModulePart& part, View& view) {
  const auto make = [&page](const auto& each) { return BlockWithPlace(page, each); };
  view.List("groups", ProviderGroups(page, part))
      .List("refactorings", part.refactorings, make)
      .List("checks", part.checks, make);
}

std::string RenderModuleResources(const PageFrame& frame, const ModulePage& page) {
  View view = ModuleView(frame, page, ModuleTab::kResources);
  AddResourceLists(page, page.root(), view);
  return RenderTemplate("module_resources", frame.language, view);
}

}  // namespace koya::web
