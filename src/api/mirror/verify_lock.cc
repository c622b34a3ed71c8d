#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/admission.h"
#include "api/common/call.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "domain/provider_record.h"
#include "domain/release_file.h"
#include "domain/upstream_record.h"
#include "hcl/lock_file.h"
#include "service/common/blob_reading.h"
#include "service/mirror/context.h"
#include "service/mirror/gate.h"
#include "service/mirror/inventory.h"
#include "service/providers/providers.h"
#include "signing/sha256sums.h"
#include "wire/providers.h"
#include "wire/trust.h"
#include "wire/verify.h"

namespace koya::api {
namespace {

// More are no lock file of one configuration; each costs a look at the catalog.
constexpr std::size_t kMostProviders = 200;

// The hashes of a release's files, as this registry knows them.
struct KnownHashes {
  std::map<std::string, std::string, std::less<>> files;  // by hash: the file's name
  bool all_files = false;  // the digests of all files that its author lists
  bool all_h1 = false;     // the h1 of all its packages
};

void AddSums(const std::string& sums, KnownHashes& known) {
  for (const signing::SumsLine& line : signing::ReadSums(sums).lines) {
    known.files.emplace("zh:" + line.digest.hex(), line.name);
  }
  known.all_files = true;
}

void AddH1(const std::vector<std::string>& hashes, const std::string& file, KnownHashes& known) {
  for (const std::string& hash : hashes) {
    if (hash.starts_with("h1:")) known.files.emplace(hash, file);
  }
}

std::string_view StateOf(const KnownHashes& known, std::string_view hash) {
  if (known.files.contains(hash)) return "known";
  if (hash.starts_with("zh:")) return known.all_files ? "differs" : "unknown";
  if (hash.starts_with("h1:") && known.all_h1) return "differs";
  return "unchecked";  // a package that was never here, or a scheme that is not computed here
}

void AddHashes(const KnownHashes& known, const std::vector<std::string>& hashes,
               wire::LockedProviderReport& report) {
  for (const std::string& hash : hashes) {
    const auto found = known.files.find(hash);
    const std::string_view state = StateOf(known, hash);
    report.hashes.push_back({.hash = hash,
                             .known = state == "known",
                             .state = std::string(state),
                             .file = found == known.files.end() ? "" : found->second});
  }
}

// The repository of the CI job that published a version, else the publisher's token.
std::string PublisherOf(const ProviderRelease& release) {
  const auto claims = wire::DecodeProvenance(release.provenance);
  if (!claims) return release.published_by;
  for (const char* name : {"repository", "project_path", "sub"}) {
    if (const auto claim = claims->find(name); claim != claims->end()) return claim->second;
  }
  return release.published_by;
}

Task<KnownHashes> ReadOwn(Call& call, const hcl::LockedProvider& locked,
                          wire::LockedProviderReport& report) {
  CO_RETURN_IF_ERROR(co_await AdmitToNamespace(call, locked.source.address.ns()));
  service::Providers& providers = call.services.providers.published;
  ASSIGN_OR_CO_RETURN(const ProviderRelease release,
                      co_await providers.FindVersion(locked.source.address, locked.version));
  report.seen = FormatRfc3339(release.published_at);
  report.from = "published";
  report.key = release.key_fingerprint;
  report.by = PublisherOf(release);
  ASSIGN_OR_CO_RETURN(
      service::OpenReleaseFile sums,
      co_await providers.OpenFile(locked.source.address, locked.version,
                                  SumsFileName(locked.source.address, locked.version)));
  ASSIGN_OR_CO_RETURN(const std::string text, co_await service::ReadWhole(*sums.blob, sums.digest));
  KnownHashes known{.all_h1 = true};
  AddSums(text, known);
  for (const ProviderPackage& package : release.packages) {
    AddH1(package.h1, package.filename, known);
  }
  co_return known;
}

// Whether the h1 of every package in SHA256SUMS is known.
bool KnowsAllH1(const KnownHashes& known, const UpstreamRelease& release) {
  if (!known.all_files) return false;
  return std::ranges::all_of(known.files, [&](const auto& line) {
    if (!line.first.starts_with("zh:") || !line.second.ends_with(".zip")) return true;
    return std::ranges::any_of(release.packages, [&](const UpstreamPackage& package) {
      return package.filename == line.second &&
             std::ranges::any_of(package.hashes,
                                 [](const std::string& hash) { return hash.starts_with("h1:"); });
    });
  });
}

Task<KnownHashes> ReadMirrored(Call& call, const hcl::LockedProvider& locked,
                               wire::LockedProviderReport& report) {
  CO_RETURN_IF_ERROR(AdmitToMirror(call));
  service::Inventory& inventory = call.services.mirror.inventory;
  const UpstreamProvider provider{locked.source.host, locked.source.address};
  ASSIGN_OR_CO_RETURN(const UpstreamRelease release,
                      co_await inventory.FindRelease(provider, locked.version));
  report.seen = FormatRfc3339(release.seen_at);
  report.from = provider.host.display();
  KnownHashes known;
  Result<service::ReleaseDocuments> documents =
      co_await inventory.ReadDocuments(provider, locked.version);
  if (documents) {
    AddSums(documents->sums, known);
    for (const wire::SigningKey& key : documents->keys) {
      report.key += (report.key.empty() ? "" : ", ") + key.key_id;
    }
  } else if (documents.error().kind != ErrorKind::kNotFound) {
    co_return Failure(std::move(documents).error());
  }
  for (const UpstreamPackage& package : release.packages) {
    known.files.emplace("zh:" + package.digest.hex(), package.filename);
    AddH1(package.hashes, package.filename, known);
  }
  known.all_h1 = KnowsAllH1(known, release);
  co_return known;
}

// The verdict of the policy that is in force.
Task<std::string> VerdictOn(Call& call, UpstreamProvider provider, Version version) {
  service::Gate& rules = call.services.mirror.context.gate;
  ASSIGN_OR_CO_RETURN(service::SubjectGate gate, co_await rules.Open(provider.Key()));
  ASSIGN_OR_CO_RETURN(gate,
                      co_await rules.AddFacts(std::move(gate), std::move(provider), std::nullopt));
  co_return std::string(policy::VerdictName(gate.Judge(version).verdict));
}

Task<wire::LockedProviderReport> ReportOn(Call& call, const hcl::LockedProvider& locked) {
  const bool own = call.services.IsOwn(locked.source.host);
  const UpstreamProvider provider{locked.source.host, locked.source.address};
  wire::LockedProviderReport report{.address = locked.source.ToString(),
                                    .version = locked.version.ToString(),
                                    .verdict = "allow"};
  if (!own) {
    ASSIGN_OR_CO_RETURN(report.verdict, co_await VerdictOn(call, provider, locked.version));
  }
  Result<KnownHashes> known =
      co_await (own ? ReadOwn(call, locked, report) : ReadMirrored(call, locked, report));
  if (known) {
    AddHashes(*known, locked.hashes, report);
    co_return report;
  }
  const ErrorKind kind = known.error().kind;
  if (kind != ErrorKind::kNotFound && kind != ErrorKind::kGone) {
    co_return Failure(std::move(known).error());
  }
  if (kind == ErrorKind::kGone) report.verdict = "withdrawn";
  for (const std::string& hash : locked.hashes) {
    report.hashes.push_back({.hash = hash, .state = "unknown"});
  }
  co_return report;
}

// What this registry knows of each hash in a lock file.
Task<http::Response> VerifyLock(Call& call) {
  ASSIGN_OR_CO_RETURN(const std::string text,
                      co_await ReadSmallBody(call.exchange.body, kMessageBody));
  ASSIGN_OR_CO_RETURN(const std::vector<hcl::LockedProvider> locked, hcl::ParseLockFile(text));
  if (locked.size() > kMostProviders) {
    co_return Fail(ErrorKind::kTooLarge,
                   fmt::format("the lock file has {} providers, and {} can be verified at once: "
                               "split it",
                               locked.size(), kMostProviders));
  }
  wire::LockReport report;
  for (const hcl::LockedProvider& each : locked) {
    ASSIGN_OR_CO_RETURN(wire::LockedProviderReport provider, co_await ReportOn(call, each));
    report.items.push_back(std::move(provider));
  }
  co_return JsonReply(200, wire::Encode(report));
}

}  // namespace

std::span<const Route> LockRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kVerifyLock, Access::kRead, ResourceScope::kListing, BodyLimit::kMessage,
                 VerifyLock, "Verify the hashes in a lock file"),
  };
  return kRoutes;
}

}  // namespace koya::api
