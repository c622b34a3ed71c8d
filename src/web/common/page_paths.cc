#include "web/common/page_paths.h"

#include <algorithm>

#include "base/encoding.h"
#include "domain/search_record.h"

namespace koya::web {
namespace {

// Segment by segment; slashes stay.
void AppendSegments(std::string_view text, std::string& path) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('/'), text.size());
    path += '/';
    path += PercentEncode(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string JoinedPath(std::string_view start, std::string_view address, std::string_view version,
                       std::string_view rest) {
  std::string path(start);
  for (std::string_view part : {address, version, rest}) AppendSegments(part, path);
  return path;
}

// "in-" and the name: inputs and outputs have places of their own on their pages.
std::string Anchored(std::string path, std::string_view prefix, std::string_view name) {
  return path + "#" + std::string(prefix) + PercentEncode(name);
}

// An input, output or resource: of the module, or of a submodule that stands before its name.
std::string PathOfInside(const SearchHit& hit, std::string_view version, std::string_view tab,
                         std::string_view anchor) {
  const std::size_t slash = hit.name.rfind('/');
  std::string_view name = hit.name;
  std::string rest(tab);
  if (slash != hit.name.npos) {
    rest = "submodules/" + hit.name.substr(0, slash);
    name.remove_prefix(slash + 1);
  }
  std::string path = ModulePath(hit.address, version, rest);
  return anchor.empty() ? path : Anchored(std::move(path), anchor, name);
}

// For a package of another registry: a provider has its own page, modules are in the list of stored
// packages.
std::string MirroredPath(const SearchHit& hit, std::string_view version, std::string_view rest) {
  if (hit.subject_kind == SearchKind::kProvider) {
    return JoinedPath("/-/mirror/providers", hit.address, version, rest);
  }
  return "/-/mirror/packages?q=" + PercentEncode(hit.address);
}

std::string PathOfMirroredHit(const SearchHit& hit) {
  if (hit.kind != SearchKind::kDoc) return PackagePath(hit);
  return MirroredPath(hit, hit.version, "docs/" + hit.name);
}

}  // namespace

std::string ModulePath(std::string_view address, std::string_view version, std::string_view rest) {
  return JoinedPath("/modules", address, version, rest);
}

std::string ProviderPath(std::string_view address, std::string_view version,
                         std::string_view rest) {
  return JoinedPath("/providers", address, version, rest);
}

std::string NamespacePath(std::string_view ns) { return JoinedPath("/namespaces", ns, {}, {}); }

std::string FeedPath(std::string_view ns) { return JoinedPath("/-/feeds", ns, {}, {}) + ".atom"; }

std::string ModuleFeedPath(std::string_view address) {
  return JoinedPath("/-/feeds/modules", address, {}, {}) + ".atom";
}

std::string ProviderFeedPath(std::string_view address) {
  return JoinedPath("/-/feeds/providers", address, {}, {}) + ".atom";
}

std::string PackagePath(const SearchHit& hit) {
  const std::string_view version = hit.newest ? std::string_view() : hit.version;
  if (!hit.host.empty()) return MirroredPath(hit, version, {});
  return hit.subject_kind == SearchKind::kProvider ? ProviderPath(hit.address, version)
                                                   : ModulePath(hit.address, version);
}

std::string PathOfHit(const SearchHit& hit) {
  if (!hit.url.empty()) return hit.url;
  if (!hit.host.empty()) return PathOfMirroredHit(hit);
  switch (hit.kind) {
    case SearchKind::kModule:
    case SearchKind::kProvider:
      return PackagePath(hit);
    case SearchKind::kSubmodule:
      return ModulePath(hit.address, hit.version, "submodules/" + hit.name);
    case SearchKind::kExample:
      return ModulePath(hit.address, hit.version, "examples/" + hit.name);
    case SearchKind::kResource:
      return PathOfInside(hit, hit.version, "resources", "");
    case SearchKind::kInput:
      return PathOfInside(hit, hit.version, "inputs", "in-");
    case SearchKind::kOutput:
      return PathOfInside(hit, hit.version, "outputs", "out-");
    case SearchKind::kDoc:
      return ProviderPath(hit.address, hit.version, "docs/" + hit.name);
    case SearchKind::kGuide:
    case SearchKind::kSetting:
    case SearchKind::kError:
      break;
  }
  return PackagePath(hit);
}

}  // namespace koya::web
