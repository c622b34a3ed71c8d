#include "web/providers/provider_head.h"

#include <utility>

#include "base/encoding.h"
#include "web/common/package_paths.h"
#include "web/common/view_parts.h"

namespace koya::web {
namespace {

constexpr std::size_t kMostProtocolsShown = 6;

std::string ProtocolsText(const std::vector<std::string>& protocols) {
  std::string text;
  for (std::size_t i = 0; i < protocols.size() && i < kMostProtocolsShown; ++i) {
    text += (text.empty() ? "" : ", ") + protocols[i];
  }
  return text;
}

}  // namespace

std::string ProviderPath(const ProviderName& name) {
  const std::string address = name.ns + "/" + name.type;
  if (name.host.empty()) return ProviderPath(address);
  return "/-/mirror" + ProviderPath(name.host + "/" + address);
}

std::string ProviderVersionPath(const ProviderName& name, std::string_view version) {
  return ProviderPath(name) + "/" + PercentEncode(version);
}

KOYA_VIEW(ProviderHead, latest, is_prerelease, signature, published_at, published_by, fetches,
          deprecation, docs, hold);

void AddProviderHead(View& view, const ProviderHead& head, ProviderTab tab) {
  const std::string base = ProviderPath(head.name);
  const std::string of_version = ProviderVersionPath(head.name, head.version);
  view.Of(head)
      .Set("provider_ns", head.name.ns)
      .Set("provider_type", head.name.type)
      .Set("provider_host", head.name.host)
      .Set("provider_description", head.description)
      .Set("shown_version", head.version)
      .Set("base_path", base)
      .Set("twin_path", of_version)
      .Set("overview_path", head.version == head.latest ? base : of_version)
      .Set("latest_path", head.menu_end.empty()
                              ? base
                              : ProviderVersionPath(head.name, head.latest) + head.menu_end)
      .Set("is_older", head.version != head.latest && !head.is_prerelease)
      .Set("protocols", ProtocolsText(head.protocols))
      .Set("tab", tab)
      .Set("visibility", VisibilityWord(head.visibility))
      .Set("may_deprecate", head.rights.may_deprecate)
      .Set("may_withdraw", head.rights.may_withdraw)
      .Set("version_path", of_version)
      .Set("versions_count", head.versions)
      .Set("keys_count", head.keys)
      .List("menu", head.menu, [&head](const ShownRelease& each) {
        return View()
            .Of(each)
            .Set("menu_path", ProviderVersionPath(head.name, each.version) + head.menu_end)
            .Set("is_shown", each.version == head.version);
      });
  AddOwners(view, head.owners);
  AddSource(view, head.source);
}

void PlaceProviderPage(PageFrame& frame, const ProviderHead& head, std::string path) {
  const ProviderName& name = head.name;
  if (name.host.empty()) {
    frame.current = Section::kProviders;
    frame.crumbs = {{name.ns, NamespacePath(name.ns)}};
    frame.feed = ProviderFeedPath(name.ns + "/" + name.type);
  } else {
    frame.current = Section::kMirror;
    frame.crumbs = {{name.host, "/-/mirror/packages?q=" + PercentEncode(name.host)}};
  }
  frame.canonical = std::move(path);
  frame.description = head.description;
}

}  // namespace koya::web
