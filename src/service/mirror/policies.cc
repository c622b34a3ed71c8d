#include "service/mirror/policies.h"

#include <expected>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "catalog/policy_catalog.h"
#include "catalog/upstream_catalog.h"
#include "domain/audit_record.h"
#include "domain/upstream_record.h"
#include "policy/pull_pattern.h"
#include "service/mirror/cached_index.h"
#include "wire/modules.h"
#include "wire/providers.h"

namespace koya::service {
namespace {

constexpr std::uint64_t kKeysAtOnce = 1000;  // the catalog's longest page

Status CheckPolicyReason(std::string_view reason) {
  constexpr std::size_t kLongest = 1000;
  if (!reason.empty() && reason.size() <= kLongest && IsPlainText(reason)) return {};
  return FailInvalid("a change of the policy needs a reason: 1 to {} bytes of plain text",
                     kLongest);
}

// How providers and modules are found.
struct ProviderStock {
  using Lists = ProviderLists;
  using Address = ProviderAddress;
  static constexpr std::string_view kKindOfList = "provider-versions:";
  static auto ListSummaries(UpstreamCatalog& catalog, PageRequest page) {
    return catalog.ListMirroredProviders({}, page);
  }
  static auto ListPinned(UpstreamCatalog& catalog, UpstreamProvider provider) {
    return catalog.ListUpstreamVersions(std::move(provider));
  }
};
struct ModuleStock {
  using Lists = ModuleLists;
  using Address = ModuleAddress;
  static constexpr std::string_view kKindOfList = "module-versions:";
  static auto ListSummaries(UpstreamCatalog& catalog, PageRequest page) {
    return catalog.ListMirroredModules({}, page);
  }
  static auto ListPinned(UpstreamCatalog& catalog, UpstreamModule module) {
    return catalog.ListUpstreamModuleVersions(std::move(module));
  }
};

// Parses "HOST/ADDRESS".
template <class Stock>
Result<typename Stock::Lists::Subject> ParseSubject(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return FailInvalid("\"{}\" is no address", Printable(text));
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(text.substr(0, slash)));
  ASSIGN_OR_RETURN(typename Stock::Address address, Stock::Address::Parse(text.substr(slash + 1)));
  return typename Stock::Lists::Subject{std::move(host), std::move(address)};
}

// The versions of a stored list that can be read: clients ignore the others.
template <class Lists>
std::set<std::string> VersionsOf(const CachedDocument& stored) {
  std::set<std::string> versions;
  const Result<typename Lists::Document> document = Lists::Decode(stored.body);
  if (!document) return versions;
  for (const ListedRelease& each : Lists::Releases(*document)) {
    if (Result<Version> version = Version::Parse(each.version)) {
      versions.insert(version->ToString());
    }
  }
  return versions;
}

// Of one provider or module: those that are pinned, and those of its stored list.
template <class Stock, class Subject>
Task<std::set<std::string>> ListKnownVersions(MirrorContext context, Subject subject) {
  ASSIGN_OR_CO_RETURN(const std::vector<Version> pinned,
                      co_await Stock::ListPinned(context.catalog, subject));
  const Result<CachedDocument> stored =
      co_await context.catalog.FindDocument(Stock::Lists::DocumentKey(subject));
  if (!stored && stored.error().kind != ErrorKind::kNotFound) {
    co_return std::unexpected(stored.error());
  }
  std::set<std::string> versions;
  if (stored) {
    auto read = [&stored] { return VersionsOf<typename Stock::Lists>(*stored); };
    versions = co_await Offload(context.pools.workers, std::move(read));
  }
  for (const Version& version : pinned) versions.insert(version.ToString());
  co_return versions;
}

// Collects the providers or modules that match a pattern, by key.
template <class Stock>
class Matches {
 public:
  using Subjects = std::map<std::string, typename Stock::Lists::Subject>;

  explicit Matches(policy::PullPattern pattern) : pattern_(std::move(pattern)) {}

  void Add(std::string_view text) {
    auto subject = ParseSubject<Stock>(text);
    if (!subject) return;  // no version of it can be requested
    std::string key = subject->Key();
    if (pattern_.Matches(policy::AddressParts(key))) {
      subjects_.try_emplace(std::move(key), *std::move(subject));
    }
  }
  // More than can be admitted at once, however many versions they have.
  bool TooMany() const { return subjects_.size() > PolicyCatalog::kMostAdmissions; }
  Subjects Take() { return std::move(subjects_); }

 private:
  policy::PullPattern pattern_;
  Subjects subjects_;
};

// Those with a pinned version, or with a stored list of versions.
template <class Stock>
Task<typename Matches<Stock>::Subjects> FindMatches(MirrorContext context,
                                                    policy::PullPattern pattern) {
  Matches<Stock> matches(std::move(pattern));
  bool more = true;
  for (PageRequest next{.offset = 0, .limit = kKeysAtOnce}; more; next.offset += next.limit) {
    ASSIGN_OR_CO_RETURN(const Page<UpstreamSummary> page,
                        co_await Stock::ListSummaries(context.catalog, next));
    for (const UpstreamSummary& each : page.items) {
      matches.Add(each.host.ascii() + "/" + each.address);
    }
    more = page.more && !matches.TooMany();
  }
  const std::string kind(Stock::kKindOfList);
  std::vector<std::string> keys = {kind};
  while (!keys.empty() && !matches.TooMany()) {
    std::string last = keys.back();
    ASSIGN_OR_CO_RETURN(
        keys, co_await context.catalog.ListDocumentKeys(kind, std::move(last), kKeysAtOnce));
    for (const std::string& key : keys) matches.Add(std::string_view(key).substr(kind.size()));
  }
  co_return matches.Take();
}

// At most one more than can be admitted at once: the catalog says that they are too many.
template <class Stock>
Task<std::vector<Admission>> CollectAdmissions(MirrorContext context, policy::PullPattern pattern) {
  constexpr std::size_t kMost = PolicyCatalog::kMostAdmissions + 1;
  ASSIGN_OR_CO_RETURN(const auto subjects,
                      co_await FindMatches<Stock>(context, std::move(pattern)));
  std::vector<Admission> admissions;
  for (const auto& [key, subject] : subjects) {
    ASSIGN_OR_CO_RETURN(const std::set<std::string> versions,
                        co_await ListKnownVersions<Stock>(context, subject));
    for (const std::string& version : versions) {
      if (admissions.size() == kMost) co_return admissions;
      admissions.push_back({key, version});
    }
  }
  co_return admissions;
}

}  // namespace

Task<PolicyRevision> Policies::FindPolicy() { co_return co_await catalog_.FindPolicy(); }

Task<PolicyRevision> Policies::FindRevision(std::int64_t revision) {
  co_return co_await catalog_.FindPolicyRevision(revision);
}

Task<std::vector<PolicyRevision>> Policies::ListRevisions() {
  co_return co_await catalog_.ListPolicyRevisions(kMostListed);
}

Task<PolicyChange> Policies::SetPolicy(Actor by, NewPolicyRevision next) {
  CO_RETURN_IF_ERROR(CheckPolicyReason(next.reason));
  auto read = [&next] { return policy::ParsePolicy(next.text); };
  auto parsed = co_await Offload(context_.pools.workers, std::move(read));
  if (!parsed) co_return PolicyChange{.revision = 0, .problems = std::move(parsed).error()};
  ASSIGN_OR_CO_RETURN(const std::int64_t revision,
                      co_await catalog_.SetPolicy(std::move(by), std::move(next)));
  co_return PolicyChange{.revision = revision, .problems = {}};
}

Task<PolicyChange> Policies::Rollback(Actor by, std::int64_t revision, std::string reason) {
  ASSIGN_OR_CO_RETURN(PolicyRevision earlier, co_await catalog_.FindPolicyRevision(revision));
  NewPolicyRevision next{.text = std::move(earlier.text),
                         .reason = std::move(reason),
                         .expected = {},
                         .copy_of = revision};
  co_return co_await SetPolicy(std::move(by), std::move(next));
}

Task<std::uint64_t> Policies::Baseline(Actor by, std::string pattern, std::string reason) {
  CO_RETURN_IF_ERROR(CheckPolicyReason(reason));
  ASSIGN_OR_CO_RETURN(policy::PullPattern parsed, policy::PullPattern::Parse(pattern));
  constexpr std::size_t kPartsOfProvider = 3;
  Task<std::vector<Admission>> collecting =
      parsed.size() == kPartsOfProvider
          ? CollectAdmissions<ProviderStock>(context_, std::move(parsed))
          : CollectAdmissions<ModuleStock>(context_, std::move(parsed));
  ASSIGN_OR_CO_RETURN(std::vector<Admission> admissions, co_await std::move(collecting));
  co_return co_await catalog_.AdmitAll(std::move(by), std::move(admissions), std::move(pattern),
                                       std::move(reason));
}

}  // namespace koya::service
