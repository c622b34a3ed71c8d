#include "cli/api/usage_client.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace koya::cli {
namespace {

// A server's pages end, even when they go in circles.
constexpr int kMostUnusedPages = 1000;

}  // namespace

Result<CountedThing> CountedThing::Parse(std::string_view text) {
  // No namespace has a dot, and every host does, or a port.
  const std::string_view first = text.substr(0, text.find('/'));
  std::optional<HostName> host;
  if (first.find_first_of(".:") != first.npos && first.size() < text.size()) {
    ASSIGN_OR_RETURN(host, HostName::Parse(first));
    text.remove_prefix(first.size() + 1);
  }
  if (std::ranges::count(text, '/') == 1) {
    ASSIGN_OR_RETURN(ProviderAddress provider, ProviderAddress::Parse(text));
    return CountedThing{std::move(host), std::move(provider)};
  }
  ASSIGN_OR_RETURN(ModuleAddress module, ModuleAddress::Parse(text));
  return CountedThing{std::move(host), std::move(module)};
}

RequestLine<void, wire::UsageReport> CountedThing::UsageLine() const {
  if (const auto* module = std::get_if<ModuleAddress>(&address)) {
    return host ? At(wire::kGetMirroredModuleUsage, *host, *module)
                : At(wire::kGetModuleUsage, *module);
  }
  const auto& provider = std::get<ProviderAddress>(address);
  return host ? At(wire::kGetMirroredProviderUsage, *host, provider)
              : At(wire::kGetProviderUsage, provider);
}

RequestLine<void, wire::UsageImpact> CountedThing::ImpactLine(const Version& version) const {
  if (const auto* module = std::get_if<ModuleAddress>(&address)) {
    return At(wire::kGetModuleImpact, *module, version);
  }
  return At(wire::kGetProviderImpact, std::get<ProviderAddress>(address), version);
}

Result<wire::UnusedPage> ListUnused(ApiClient& api, const std::string& kind, const std::string& ns,
                                    const std::string& days) {
  wire::UnusedPage all;
  std::string offset = "0";
  for (int pages = 0; pages < kMostUnusedPages; ++pages) {
    ASSIGN_OR_RETURN(wire::UnusedPage page, api.Send(At(wire::kListUnused)
                                                         .With("kind", kind)
                                                         .WithAny("namespace", ns)
                                                         .WithAny("days", days)
                                                         .With("offset", offset)));
    all.days = page.days;
    all.counted = page.counted;
    std::ranges::move(page.rows, std::back_inserter(all.rows));
    if (page.next.empty() || page.next == offset) break;
    offset = std::move(page.next);
  }
  return all;
}

}  // namespace koya::cli
