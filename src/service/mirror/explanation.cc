#include "service/mirror/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "catalog/upstream_catalog.h"
#include "service/mirror/context.h"
#include "service/mirror/gate.h"
#include "service/mirror/module_mirror.h"
#include "service/mirror/package_words.h"
#include "service/mirror/provider_mirror.h"
#include "wire/providers.h"

namespace koya::service {
namespace {

Failure NoAddress(std::string_view text) {
  return FailInvalid(
      "\"{}\" is not an address: write NAMESPACE/TYPE for a provider or NAMESPACE/NAME/SYSTEM "
      "for a module, with HOST/ before it if its registry is not the default one",
      Printable(text, 80));
}

std::vector<std::string_view> PartsOf(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size() && parts.size() <= 4;) {
    const std::size_t end = std::min(text.find('/', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// No namespace has either.
bool LooksLikeHost(std::string_view part) { return part.find_first_of(".:") != part.npos; }

using Way = ExplainedWay::Way;
using WayState = ExplainedWay::State;

// Limit of versions that a question without a version examines: the newest pinned ones.
constexpr std::size_t kMostVersions = 100;

// The subject of the question, and facts about all its versions.
struct Asked {
  std::string name;        // with the version, if the question names one
  std::string host;        // its registry, for people
  Status pulled;           // whether `host` may be asked
  UpstreamState registry;  // how it has answered
  bool is_signed = true;   // fetched releases have their author's signature
  bool any_version = false;
};

std::string LastAnswer(const Asked& asked) {
  const UpstreamState& registry = asked.registry;
  switch (registry.kind) {
    case UpstreamState::Kind::kUnasked:
      return fmt::format("this server has sent no request to {} since it started", asked.host);
    case UpstreamState::Kind::kFresh:
      return fmt::format("the last response of {} was at {}", asked.host,
                         FormatRfc3339(registry.answered_at));
    case UpstreamState::Kind::kStale:
    case UpstreamState::Kind::kFailing:
      break;
  }
  return fmt::format("{} has not responded since {}: {}", asked.host,
                     FormatRfc3339(registry.failing_since), registry.cause);
}

ExplainedWay Blocked(Way way, const Error& why) {
  return {.way = way, .state = WayState::kBlocked, .text = why.message, .refusal = why.message};
}

// Not stored: fetched from its registry, if that may be asked.
ExplainedWay NotStored(const Asked& asked, Way way) {
  if (!asked.pulled) return Blocked(way, asked.pulled.error());
  return {.way = way,
          .state = WayState::kAllowed,
          .text = fmt::format("not stored here: it is fetched from {} if that has it; {}",
                              asked.host, LastAnswer(asked))};
}

// Never seen here.
ExplainedWay Unseen(const Asked& asked, Way way) {
  const bool lacks_signature = way == Way::kOrigin && !asked.is_signed;
  if (asked.pulled && lacks_signature) return Blocked(way, WithoutSignature(asked.name).error());
  return NotStored(asked, way);
}

// Its registry may have the missing signature, and is assumed to while it answers; until it is
// fetched clients get the refusal.
ExplainedWay Unsigned(const Asked& asked, const Error& why) {
  ExplainedWay explained = Blocked(Way::kOrigin, why);
  if (!asked.pulled || !asked.is_signed) return explained;
  explained.text +=
      fmt::format(", until {} provides the signature; {}", asked.host, LastAnswer(asked));
  if (asked.registry.kind == UpstreamState::Kind::kFresh) explained.state = WayState::kAllowed;
  return explained;
}

std::string PlatformsText(const std::vector<Platform>& platforms) {
  std::string text;
  for (const Platform& each : platforms) {
    text += (text.empty() ? " for " : ", ") + each.ToString();
  }
  return text;
}

// `version`: the stored version. `whole`: all of that version is stored.
ExplainedWay Stored(const Asked& asked, Way way, const Version& version,
                    std::vector<Platform> platforms, bool whole) {
  ExplainedWay explained{.way = way, .state = WayState::kAvailable};
  explained.text = fmt::format("{}stored here{}: clients get it even while {} is down",
                               asked.any_version ? version.ToString() + " is " : "",
                               PlatformsText(platforms), asked.host);
  explained.others_come = asked.pulled && (asked.any_version || !whole);
  if (explained.others_come) {
    explained.text +=
        fmt::format("; other {} are fetched from {} if that has them; {}",
                    asked.any_version ? "versions" : "platforms", asked.host, LastAnswer(asked));
  }
  if (asked.any_version) explained.version = version;
  explained.platforms = std::move(platforms);
  return explained;
}

ExplainedWay WayOf(const Asked& asked, Way way, const UpstreamRelease& release) {
  Status fit = way == Way::kOrigin ? CheckFitForOrigin(release) : Status();
  if (!fit && !release.signature) return Unsigned(asked, fit.error());
  if (!fit) return Blocked(way, fit.error());
  std::vector<Platform> held;
  for (const UpstreamPackage& package : release.packages) {
    if (package.held) held.push_back(package.platform);
  }
  if (held.empty()) return NotStored(asked, way);
  const bool whole = held.size() == release.packages.size();
  return Stored(asked, way, release.version, std::move(held), whole);
}

ExplainedWay WayOf(const Asked& asked, Way way, const UpstreamModuleVersion& version) {
  if (!version.held) return NotStored(asked, way);
  return Stored(asked, way, version.version, {}, true);
}

void Describe(const UpstreamRelease& release, MirrorExplanation& explanation) {
  explanation.pinned = true;
  explanation.seen_at = release.seen_at;
  explanation.held =
      static_cast<std::uint64_t>(std::ranges::count_if(release.packages, &UpstreamPackage::held));
}

void Describe(const UpstreamModuleVersion& version, MirrorExplanation& explanation) {
  explanation.pinned = true;
  explanation.seen_at = version.seen_at;
  explanation.held = version.held ? 1 : 0;
}

Task<std::vector<Version>> ListPinned(UpstreamCatalog& catalog, UpstreamProvider provider) {
  return catalog.ListUpstreamVersions(std::move(provider));
}
Task<std::vector<Version>> ListPinned(UpstreamCatalog& catalog, UpstreamModule module) {
  return catalog.ListUpstreamModuleVersions(std::move(module));
}
Task<UpstreamRelease> FindPinned(UpstreamCatalog& catalog, UpstreamProvider provider,
                                 Version version) {
  return catalog.FindUpstreamRelease(std::move(provider), std::move(version));
}
Task<UpstreamModuleVersion> FindPinned(UpstreamCatalog& catalog, UpstreamModule module,
                                       Version version) {
  return catalog.FindUpstreamModule(std::move(module), std::move(version));
}

// Those that clients choose first come first: releases before prereleases.
void SortAsChosen(std::vector<Version>& versions) {
  std::ranges::sort(versions, [](const Version& a, const Version& b) {
    if (a.is_prerelease() != b.is_prerelease()) return b.is_prerelease();
    return b < a;
  });
}

// Finds the newest stored version for each way.
template <class Thing>
Task<MirrorExplanation> ExplainAny(UpstreamCatalog& catalog, Asked asked, Thing thing,
                                   std::vector<Version> versions, MirrorExplanation explanation) {
  SortAsChosen(versions);
  if (versions.size() > kMostVersions) {
    versions.erase(versions.begin() + kMostVersions, versions.end());
  }
  auto is_available = [](const ExplainedWay& way) { return way.state == WayState::kAvailable; };
  bool is_newest = true;
  for (const Version& version : versions) {
    if (std::ranges::all_of(explanation.ways, is_available)) break;
    ASSIGN_OR_CO_RETURN(auto pinned, co_await FindPinned(catalog, thing, version));
    for (ExplainedWay& way : explanation.ways) {
      if (is_available(way)) continue;
      ExplainedWay found = WayOf(asked, way.way, pinned);
      // Where nothing more can come, the newest says why it is not given.
      if (is_available(found) || (is_newest && !asked.pulled)) way = std::move(found);
    }
    is_newest = false;
  }
  co_return explanation;
}

template <class Thing>
Task<MirrorExplanation> ExplainPinned(UpstreamCatalog& catalog, Asked asked, Thing thing,
                                      std::optional<Version> version,
                                      MirrorExplanation explanation) {
  ASSIGN_OR_CO_RETURN(std::vector<Version> versions, co_await ListPinned(catalog, thing));
  explanation.versions = versions.size();
  for (ExplainedWay& way : explanation.ways) way = Unseen(asked, way.way);
  if (!version) {
    co_return co_await ExplainAny(catalog, std::move(asked), std::move(thing), std::move(versions),
                                  std::move(explanation));
  }
  if (std::ranges::count(versions, *version) == 0) co_return explanation;
  ASSIGN_OR_CO_RETURN(auto pinned,
                      co_await FindPinned(catalog, std::move(thing), *std::move(version)));
  Describe(pinned, explanation);
  for (ExplainedWay& way : explanation.ways) way = WayOf(asked, way.way, pinned);
  co_return explanation;
}

// Adds when its registry's list of versions lacks a version that was never fetched.
Task<MirrorExplanation> AddListing(ProviderMirror& providers, UpstreamProvider provider,
                                   Version version, MirrorExplanation explanation) {
  Result<MirroredVersions> list = co_await providers.ListKept(std::move(provider));
  if (!list && list.error().kind == ErrorKind::kNotFound) co_return explanation;
  if (!list) co_return Failure(std::move(list).error());
  const std::string spelled = version.ToString();
  const auto& listed = list->document->versions;
  const bool is_listed = std::ranges::count(listed, spelled, &wire::ProviderVersion::version) > 0;
  if (is_listed || list->checked_at == 0) co_return explanation;
  explanation.unlisted_at = list->checked_at;
  for (ExplainedWay& way : explanation.ways) {
    if (way.state != WayState::kAllowed) continue;
    way.text += fmt::format("; its list of versions of {} has no {}",
                            FormatRfc3339(list->checked_at), spelled);
  }
  co_return explanation;
}

Task<MirrorExplanation> ExplainProvider(ExplainedMirror mirror, Asked asked,
                                        UpstreamProvider provider, std::optional<Version> version,
                                        MirrorExplanation explanation) {
  Task<MirrorExplanation> explain = ExplainPinned(mirror.context.catalog, std::move(asked),
                                                  provider, version, std::move(explanation));
  ASSIGN_OR_CO_RETURN(explanation, co_await std::move(explain));
  if (!version || explanation.pinned || !explanation.may_pull) co_return explanation;
  co_return co_await AddListing(mirror.providers, std::move(provider), *std::move(version),
                                std::move(explanation));
}

}  // namespace

const HostName& MirrorQuestion::host() const {
  return std::visit([](const auto& each) -> const HostName& { return each.host; }, thing);
}

std::string MirrorQuestion::Key() const {
  return std::visit([](const auto& each) { return each.Key(); }, thing);
}

Result<MirrorQuestion> ParseMirrorQuestion(std::string_view address, std::string_view version,
                                           const HostName& usual_host) {
  std::vector<std::string_view> parts = PartsOf(address);
  if (parts.size() < 2 || parts.size() > 4) return NoAddress(address);
  HostName host = usual_host;
  if (parts.size() == 4 || (parts.size() == 3 && LooksLikeHost(parts[0]))) {
    ASSIGN_OR_RETURN(host, HostName::ParseWire(parts[0]));
    parts.erase(parts.begin());
  }
  std::optional<Version> of;
  if (!version.empty()) {
    ASSIGN_OR_RETURN(of, Version::ParseLookup(version));
  }
  if (parts.size() == 2) {
    ASSIGN_OR_RETURN(ProviderAddress provider, ProviderAddress::FromParts(parts[0], parts[1]));
    return MirrorQuestion{UpstreamProvider{std::move(host), std::move(provider)}, std::move(of)};
  }
  ASSIGN_OR_RETURN(ModuleAddress module, ModuleAddress::FromParts(parts[0], parts[1], parts[2]));
  return MirrorQuestion{UpstreamModule{std::move(host), std::move(module)}, std::move(of)};
}

bool MirrorExplanation::is_available() const {
  return std::ranges::count(ways, WayState::kAvailable, &ExplainedWay::state) > 0;
}

std::string MirrorExplanation::Refusal() const {
  auto is_blocked = [](const ExplainedWay& way) { return way.state == WayState::kBlocked; };
  if (ways.empty() || !std::ranges::all_of(ways, is_blocked)) return {};
  return ways.back().refusal;  // by the way that asks for less
}

Task<MirrorExplanation> ExplainMirror(ExplainedMirror mirror, MirrorQuestion question) {
  const PullPolicy& policy = mirror.context.policy;
  auto judge = [&policy](const auto& each) { return policy.EvaluateRules(each); };
  const bool is_module = question.is_module();
  MirrorExplanation explanation{.verdict = std::visit(judge, question.thing),
                                .may_pull = policy.MayPull(question.host()),
                                .registry = mirror.states.Of(question.host())};
  explanation.ways.push_back({.way = Way::kOrigin});
  if (!is_module) explanation.ways.push_back({.way = Way::kMirror});
  std::string name = question.Key();
  if (question.version) name += ' ' + question.version->ToString();
  Asked asked{.name = std::move(name),
              .host = question.host().display(),
              .pulled = policy.CheckHost(question.host(), question.Key()),
              .registry = explanation.registry,
              .is_signed = !mirror.providers.from_network_mirror(),
              .any_version = !question.version};
  Status open = is_module ? mirror.modules.CheckEnabled() : Status();
  if (open) open = co_await mirror.context.gate.CheckSubject(question.Key());
  Task<MirrorExplanation> explain =
      is_module
          ? ExplainPinned(mirror.context.catalog, std::move(asked),
                          std::get<UpstreamModule>(question.thing), question.version, explanation)
          : ExplainProvider(mirror, std::move(asked), std::get<UpstreamProvider>(question.thing),
                            question.version, explanation);
  ASSIGN_OR_CO_RETURN(explanation, co_await std::move(explain));
  if (open) co_return explanation;
  // Known facts are shown all the same.
  for (ExplainedWay& way : explanation.ways) way = Blocked(way.way, open.error());
  co_return explanation;
}

}  // namespace koya::service
