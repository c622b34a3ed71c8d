#include "cli/mirror/mirror_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <thread>
#include <utility>

#include "http/url.h"
#include "wire/modules.h"

namespace koya::cli {
namespace {

std::string ProviderPath(const hcl::ProviderSource& source) {
  return fmt::format("/mirror/{}/{}/{}/", http::PercentEncode(source.host.ascii()),
                     http::PercentEncode(source.address.ns()),
                     http::PercentEncode(source.address.type()));
}

std::string ModulePath(const hcl::ModuleSource& source) {
  return fmt::format("/origin/{}/v1/modules/{}/", http::PercentEncode(source.host.ascii()),
                     source.address.ToString());
}

std::vector<Version> SoundOnes(const std::vector<std::string>& texts) {
  std::vector<Version> versions;
  for (const std::string& text : texts) {
    if (Result<Version> version = Version::Parse(text)) versions.push_back(*std::move(version));
  }
  return versions;
}

// In how many seconds the server wants to be asked again; 0: it does not say.
unsigned RetryAfter(const http::ClientResponse& response) {
  if (response.status != 503 && response.status != 429) return 0;
  std::string_view text = response.Get("Retry-After").value_or("");
  unsigned seconds = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  bool sound = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return sound ? std::clamp(seconds, 1U, 60U) : 0;
}

}  // namespace

Result<http::ClientResponse> MirrorClient::SendRequest(const std::string& path,
                                                       const http::ClientRequest& request,
                                                       std::chrono::seconds patience) {
  auto deadline = std::chrono::steady_clock::now() + patience;
  while (true) {
    Result<http::ClientResponse> response = api_.Exchange(request, path);
    auto now = std::chrono::steady_clock::now();
    // A package whose last byte is long in coming: the server goes on fetching it meanwhile.
    bool slow = !response && response.error().kind == ErrorKind::kTimeout && request.sink;
    if (slow && now < deadline) continue;
    if (!response) return response;
    if (response->status >= 200 && response->status < 300) return response;
    std::chrono::seconds pause(RetryAfter(*response));
    if (pause.count() == 0 || now + pause > deadline) {
      return Failure(api_.Explain(*response, "GET", path));
    }
    std::this_thread::sleep_for(pause);
  }
}

Result<std::string> MirrorClient::Get(const std::string& path) {
  ASSIGN_OR_RETURN(http::ClientResponse response, SendRequest(path, {}, kPatience));
  return std::move(response.body);
}

Result<std::vector<Version>> MirrorClient::ListVersions(const hcl::ProviderSource& source) {
  ASSIGN_OR_RETURN(std::string body, Get(ProviderPath(source) + "index.json"));
  ASSIGN_OR_RETURN(std::vector<std::string> texts, wire::DecodeMirrorIndex(body));
  return SoundOnes(texts);
}

Result<wire::MirrorVersion> MirrorClient::GetRelease(const hcl::ProviderSource& source,
                                                     const Version& version) {
  std::string path = ProviderPath(source) + http::PercentEncode(version.ToString()) + ".json";
  ASSIGN_OR_RETURN(std::string body, Get(path));
  ASSIGN_OR_RETURN(wire::MirrorVersion release, wire::DecodeMirrorVersion(body));
  // The server's answer for whatever it has not, so that clients try their other sources.
  if (release.archives.empty()) {
    return FailNotFound(
        "the server has no such release: its registry has none, is not allowed "
        "(upstream.hosts, policy.*), or cannot be reached; the server's log says which");
  }
  return release;
}

// The server holds a package's last byte back until the whole is verified: asking for that one is
// asking for all.
Status MirrorClient::FetchPackage(const std::string& url) {
  http::Url base = api_.server();
  ASSIGN_OR_RETURN(http::Url resolved, http::ResolveUrl(base, url));
  // Under the address that the user named: the server may have other names for itself.
  std::string path = resolved.path + (resolved.query.empty() ? "" : "?" + resolved.query);
  std::uint64_t received = 0;
  http::ClientRequest request{.fields = {{"Range", "bytes=-1"}}};
  request.sink = [&received](std::span<const std::byte> bytes) -> Status {
    received += bytes.size();
    return {};
  };
  ASSIGN_OR_RETURN(http::ClientResponse response, SendRequest(path, request, kFillTimeout));
  // Something in between may know nothing of ranges: then all of it has come here.
  bool sound = response.status == 206 ? received == 1 : response.status == 200 && received > 0;
  if (!sound) {
    return FailUnavailable(
        "unexpected response to a request for the last byte of {}: status {} with {} bytes", path,
        response.status, received);
  }
  return {};
}

Result<std::vector<Version>> MirrorClient::ListVersions(const hcl::ModuleSource& source) {
  ASSIGN_OR_RETURN(std::string body, Get(ModulePath(source) + "versions"));
  ASSIGN_OR_RETURN(wire::ModuleVersions document, wire::DecodeModuleVersions(body));
  return SoundOnes(document.versions);
}

Status MirrorClient::FetchModule(const hcl::ModuleSource& source, const Version& version) {
  std::string path = ModulePath(source) + http::PercentEncode(version.ToString()) + "/download";
  RETURN_IF_ERROR(SendRequest(path, {}, kFillTimeout));
  return {};
}

}  // namespace koya::cli
