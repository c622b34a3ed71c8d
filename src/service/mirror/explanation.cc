#include "service/mirror/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "catalog/upstream_catalog.h"
#include "service/mirror/context.h"

namespace koya::service {
namespace {

Failure NoAddress(std::string_view text) {
  return Fail(ErrorKind::kInvalid,
              fmt::format("\"{}\" is not an address: write NAMESPACE/TYPE for a provider or "
                          "NAMESPACE/NAME/SYSTEM for a module, with HOST/ before it if it is of "
                          "another registry than the usual one",
                          Printable(text, 80)));
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

// What is here of one version, and of how many there is something.
struct KeptHere {
  std::uint64_t versions = 0;
  bool pinned = false;
  std::uint64_t held = 0;
  UnixSeconds seen_at = 0;
};

Task<KeptHere> FindKept(UpstreamCatalog& catalog, UpstreamProvider provider,
                        std::optional<Version> version) {
  KeptHere kept;
  ASSIGN_OR_CO_RETURN(std::vector<Version> versions,
                      co_await catalog.ListUpstreamVersions(provider));
  kept.versions = versions.size();
  if (!version) co_return kept;
  Result<UpstreamRelease> release =
      co_await catalog.FindUpstreamRelease(std::move(provider), *std::move(version));
  if (!release && release.error().kind == ErrorKind::kNotFound) co_return kept;
  if (!release) co_return Failure(std::move(release).error());
  kept.pinned = true;
  kept.seen_at = release->seen_at;
  kept.held =
      static_cast<std::uint64_t>(std::ranges::count_if(release->packages, &UpstreamPackage::held));
  co_return kept;
}

Task<KeptHere> FindKept(UpstreamCatalog& catalog, UpstreamModule module,
                        std::optional<Version> version) {
  KeptHere kept;
  ASSIGN_OR_CO_RETURN(std::vector<Version> versions,
                      co_await catalog.ListUpstreamModuleVersions(module));
  kept.versions = versions.size();
  if (!version) co_return kept;
  Result<UpstreamModuleVersion> found =
      co_await catalog.FindUpstreamModule(std::move(module), *std::move(version));
  if (!found && found.error().kind == ErrorKind::kNotFound) co_return kept;
  if (!found) co_return Failure(std::move(found).error());
  kept.pinned = true;
  kept.seen_at = found->seen_at;
  kept.held = found->held ? 1 : 0;
  co_return kept;
}

Task<KeptHere> FindKept(UpstreamCatalog& catalog, MirrorQuestion question) {
  if (auto* provider = std::get_if<UpstreamProvider>(&question.thing)) {
    return FindKept(catalog, std::move(*provider), std::move(question.version));
  }
  return FindKept(catalog, std::get<UpstreamModule>(std::move(question.thing)),
                  std::move(question.version));
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

Task<MirrorExplanation> ExplainMirror(const MirrorContext& context, MirrorQuestion question) {
  MirrorExplanation told;
  const PullPolicy& policy = context.policy;
  auto check = [&policy](const auto& each) { return policy.Check(each); };
  told.verdict =
      std::visit([&policy](const auto& each) { return policy.Judge(each); }, question.thing);
  told.may_pull = policy.MayPull(question.host());
  const std::string key = question.Key();
  const Status allowed = std::visit(check, question.thing);
  const Status pulled = policy.CheckHost(question.host(), key);
  const bool of_version = question.version.has_value();
  ASSIGN_OR_CO_RETURN(KeptHere kept, co_await FindKept(context.catalog, std::move(question)));
  told.versions = kept.versions;
  told.pinned = kept.pinned;
  told.held = kept.held;
  told.seen_at = kept.seen_at;
  if (!allowed) {
    told.refusal = allowed.error().message;
  } else if (!pulled && (of_version ? kept.held == 0 : kept.versions == 0)) {
    told.refusal = pulled.error().message;
  }
  co_return told;
}

}  // namespace koya::service
