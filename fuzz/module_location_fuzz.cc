// Module locations given by a registry or a page: a followed one is https or ssh and contains
// nothing that a command, a path or a log would misread, and a rejection shows no query and no
// password.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <variant>

#include "base/text.h"
#include "domain/host_name.h"
#include "upstream/modules/location_text.h"
#include "upstream/modules/module_location.h"
#include "upstream/modules/registry_modules.h"
#include "wire/foreign/foreign_versions.h"

namespace koya::upstream {
namespace {

void Must(bool holds) {
  if (!holds) std::abort();
}

const http::Url& Asked() {
  static const http::Url asked = *http::ParseUrl("https://registry.test/v1/a/b/c/1.0.0/download");
  return asked;
}

void CheckFolder(const std::string& folder, bool star) {
  Must(!folder.starts_with('/') && !folder.ends_with('/'));
  Must(("/" + folder + "/").find("/../") == std::string::npos);
  std::size_t pattern = folder.find('*');
  Must(pattern == std::string::npos || (star && pattern == 0));
  Must(NormalFolder(folder) == folder);
}

void Check(const GitLocation& git) {
  Must(git.url.scheme == "https" || git.url.scheme == "ssh");
  Must(git.url.query.empty() && git.url.fragment.empty() && !git.url.has_user_info);
  Must(git.url.path.size() > 1 && !git.url.host.starts_with('-'));
  Must(HostName::ParseWire(git.url.Authority()).has_value());
  Must(git.user.empty() || (git.url.scheme == "ssh" && git.user.front() != '-'));
  Must(git.ref.empty() || (git.ref.front() != '-' && git.ref.find(':') == std::string::npos &&
                           git.ref.find("..") == std::string::npos));
  CheckFolder(git.folder, false);
}

void CheckWeb(const http::Url& url) {
  Must(url.scheme == "https" && !url.has_user_info && url.fragment.empty());
}

void Check(const Result<ModuleLocation>& read) {
  if (!read) {
    Must(read.error().kind == ErrorKind::kBadUpstream && !read.error().message.empty());
    Must(IsUtf8(read.error().message) && read.error().message.size() < 2000);
    return;
  }
  if (const auto* git = std::get_if<GitLocation>(&*read)) return Check(*git);
  if (const auto* page = std::get_if<PageLocation>(&*read)) {
    CheckWeb(page->url);
    return CheckFolder(page->folder, false);
  }
  const auto& archive = std::get<PackedLocation>(*read);
  CheckWeb(archive.url);
  CheckFolder(archive.folder, true);
}

}  // namespace
}  // namespace koya::upstream

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace upstream = koya::upstream;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  upstream::Check(upstream::ParseModuleLocation(upstream::Asked(), text));
  upstream::Check(upstream::ParseDirectLocation(upstream::Asked(), text));
  const std::string found = upstream::FindTerraformGet(text);
  if (found.size() > size) std::abort();
  if (auto list = koya::wire::DecodeForeignModuleVersions(text)) {
    upstream::CanonicalVersionsOf(list->versions);
  }
  if (auto version = upstream::CanonicalVersion(text)) {
    if (upstream::CanonicalVersion(version->ToString()) != version) std::abort();
  }
  return 0;
}
