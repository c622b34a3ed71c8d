#include "cli/api/usage_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"

namespace koya::cli {
namespace {

// A server's pages end, even when they go in circles.
constexpr int kMostUnusedPages = 1000;

std::string EncodedParts(std::string_view address) {
  std::string path;
  while (!address.empty()) {
    const std::size_t end = std::min(address.find('/'), address.size());
    path += "/" + http::PercentEncode(address.substr(0, end));
    address.remove_prefix(std::min(end + 1, address.size()));
  }
  return path;
}

std::string WithDays(std::string path, std::optional<std::uint64_t> days) {
  if (days) path += fmt::format("{}days={}", path.contains('?') ? '&' : '?', *days);
  return path;
}

}  // namespace

Result<CountedThing> CountedThing::Parse(std::string_view text) {
  // No namespace has a dot, and every host does, or a port.
  const std::string_view first = text.substr(0, text.find('/'));
  std::string host;
  if (first.find_first_of(".:") != first.npos && first.size() < text.size()) {
    ASSIGN_OR_RETURN(HostName name, HostName::Parse(first));
    host = name.ascii() + "/";
    text.remove_prefix(first.size() + 1);
  }
  if (std::ranges::count(text, '/') == 1) {
    ASSIGN_OR_RETURN(ProviderAddress address, ProviderAddress::Parse(text));
    return CountedThing("providers", host + address.ToString(), host.empty());
  }
  ASSIGN_OR_RETURN(ModuleAddress address, ModuleAddress::Parse(text));
  return CountedThing("modules", host + address.ToString(), host.empty());
}

std::string CountedThing::UsagePath() const {
  return fmt::format("/api/v1/usage/{}{}{}", ours_ ? "" : "mirror/", kind_, EncodedParts(address_));
}

std::string CountedThing::ImpactPath(const Version& version) const {
  return fmt::format("/api/v1/usage/impact{}/{}", EncodedParts(address_),
                     http::PercentEncode(version.ToString()));
}

Result<wire::UsageReport> UsageClient::Report(const CountedThing& thing, const std::string& by,
                                              std::optional<std::uint64_t> days) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(WithDays(thing.UsagePath() + "?by=" + by, days)));
  return wire::Decode<wire::UsageReport>(body);
}

Result<wire::UsageImpact> UsageClient::Impact(const CountedThing& thing, const Version& version,
                                              std::optional<std::uint64_t> days) {
  ASSIGN_OR_RETURN(std::string body, api_.Get(WithDays(thing.ImpactPath(version), days)));
  return wire::Decode<wire::UsageImpact>(body);
}

Result<wire::UsageLag> UsageClient::Lag(const std::string& ns, std::optional<std::uint64_t> days) {
  const std::string path = "/api/v1/usage/lag?namespace=" + http::PercentEncode(ns);
  ASSIGN_OR_RETURN(std::string body, api_.Get(WithDays(path, days)));
  return wire::Decode<wire::UsageLag>(body);
}

Result<wire::UnusedPage> UsageClient::Unused(const std::string& kind, const std::string& ns,
                                             std::optional<std::uint64_t> days) {
  std::string path = "/api/v1/usage/unused?kind=" + kind;
  if (!ns.empty()) path += "&namespace=" + http::PercentEncode(ns);
  path = WithDays(std::move(path), days);
  wire::UnusedPage all;
  std::string offset = "0";
  for (int pages = 0; pages < kMostUnusedPages; ++pages) {
    ASSIGN_OR_RETURN(std::string body, api_.Get(path + "&offset=" + http::PercentEncode(offset)));
    ASSIGN_OR_RETURN(wire::UnusedPage page, wire::Decode<wire::UnusedPage>(body));
    all.days = page.days;
    all.counted = page.counted;
    std::ranges::move(page.rows, std::back_inserter(all.rows));
    if (page.next.empty() || page.next == offset) break;
    offset = std::move(page.next);
  }
  return all;
}

Result<wire::ForgottenUsage> UsageClient::ForgetPrincipal(const std::string& principal) {
  ASSIGN_OR_RETURN(http::ClientResponse response,
                   api_.Send("POST", "/api/v1/usage/forget", wire::EncodeForgetRequest(principal)));
  return wire::Decode<wire::ForgottenUsage>(response.body);
}

}  // namespace koya::cli
