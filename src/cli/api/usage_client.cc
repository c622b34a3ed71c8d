#include "cli/api/usage_client.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace koya::cli {
namespace {

// A server's pages end, even when they go in circles.
constexpr int kMostPages = 1000;

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

RequestLine<void, wire::UsedBy> CountedThing::UsedByLine() const {
  if (const auto* module = std::get_if<ModuleAddress>(&address)) {
    return At(wire::kGetModuleUsedBy, *module);
  }
  return At(wire::kGetProviderUsedBy, std::get<ProviderAddress>(address));
}

RequestLine<void, wire::UsageImpact> CountedThing::ImpactLine(const Version& version) const {
  if (const auto* module = std::get_if<ModuleAddress>(&address)) {
    return At(wire::kGetModuleImpact, *module, version);
  }
  return At(wire::kGetProviderImpact, std::get<ProviderAddress>(address), version);
}

Result<wire::UsedBy> FindUsedBy(ApiClient& api, const CountedThing& thing,
                                const std::string& days) {
  wire::UsedBy all;
  for (int pages = 0; pages < kMostPages; ++pages) {
    std::string offset = std::to_string(all.consumers.size());
    ASSIGN_OR_RETURN(
        wire::UsedBy page,
        api.Send(
            thing.UsedByLine().WithAny("days", days).With("limit", "1000").With("offset", offset)));
    const bool is_last = page.consumers.empty();
    std::ranges::move(page.consumers, std::back_inserter(all.consumers));
    page.consumers = std::move(all.consumers);
    all = std::move(page);
    if (is_last || all.consumers.size() >= all.meta.total) break;
  }
  all.meta.current_offset = 0;
  return all;
}

Result<wire::UnusedPage> ListUnused(ApiClient& api, const std::string& kind, const std::string& ns,
                                    const std::string& days) {
  wire::UnusedPage all;
  std::string offset = "0";
  for (int pages = 0; pages < kMostPages; ++pages) {
    ASSIGN_OR_RETURN(wire::UnusedPage page, api.Send(At(wire::kListUnused)
                                                         .With("kind", kind)
                                                         .WithAny("namespace", ns)
                                                         .WithAny("days", days)
                                                         .With("offset", offset)));
    all.days = page.days;
    all.counted = page.counted;
    all.counted_since = std::move(page.counted_since);
    std::ranges::move(page.rows, std::back_inserter(all.rows));
    if (page.next.empty() || page.next == offset) break;
    offset = std::move(page.next);
  }
  return all;
}

}  // namespace koya::cli
