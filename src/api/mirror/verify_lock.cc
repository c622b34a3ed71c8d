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
#include "api/common/page_answer.h"
#include "api/common/page_context.h"
#include "api/common/reply.h"
#include "api/common/route.h"
#include "base/clock.h"
#include "domain/provider_record.h"
#include "domain/release_file.h"
#include "domain/upstream_record.h"
#include "hcl/lock_file.h"
#include "service/common/blob_io.h"
#include "service/mirror/context.h"
#include "service/mirror/gate.h"
#include "service/mirror/inventory.h"
#include "service/providers/providers.h"
#include "signing/sha256sums.h"
#include "web/common/refusal.h"
#include "web/mirror/mirror_pages.h"
#include "wire/identity.h"
#include "wire/providers.h"
#include "wire/verify.h"

namespace koya::api {
namespace {

// More are no lock file of one configuration; each costs a look at the catalog.
constexpr std::size_t kMostProviders = 200;
// Some 30 hashes of each provider are usual.
constexpr std::size_t kMostHashes = 10'000;
constexpr std::string_view kPublished = "published";  // LockedProviderReport::from

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
  report.from = kPublished;
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

Status CheckSize(const std::vector<hcl::LockedProvider>& locked) {
  if (locked.size() > kMostProviders) {
    return Fail(ErrorKind::kTooLarge,
                fmt::format("the lock file has {} providers, and {} can be verified at once: "
                            "split it",
                            locked.size(), kMostProviders));
  }
  std::size_t hashes = 0;
  for (const hcl::LockedProvider& each : locked) hashes += each.hashes.size();
  if (hashes <= kMostHashes) return {};
  return Fail(ErrorKind::kTooLarge,
              fmt::format("the lock file has {} hashes, and {} can be verified at once: split it",
                          hashes, kMostHashes));
}

// What this registry knows of each hash in a lock file. Fails: kInvalid: it is none; kTooLarge.
Task<wire::LockReport> ReportOnLock(Call& call, std::string text) {
  ASSIGN_OR_CO_RETURN(const std::vector<hcl::LockedProvider> locked, hcl::ParseLockFile(text));
  CO_RETURN_IF_ERROR(CheckSize(locked));
  wire::LockReport report;
  for (const hcl::LockedProvider& each : locked) {
    ASSIGN_OR_CO_RETURN(wire::LockedProviderReport provider, co_await ReportOn(call, each));
    report.items.push_back(std::move(provider));
  }
  co_return report;
}

Task<http::Response> VerifyLock(Call& call) {
  ASSIGN_OR_CO_RETURN(std::string text, co_await ReadSmallBody(call.exchange.body, kMessageBody));
  ASSIGN_OR_CO_RETURN(const wire::LockReport report, co_await ReportOnLock(call, std::move(text)));
  co_return JsonReply(200, wire::Encode(report));
}

// ---- the page

web::VerifyLockPage::Hash ShownHashOf(const wire::LockedHash& hash) {
  using State = web::VerifyLockPage::Hash::State;
  return {.hash = hash.hash,
          .state = hash.state == "known"       ? State::kKnown
                   : hash.state == "differs"   ? State::kDiffers
                   : hash.state == "unchecked" ? State::kUnchecked
                                               : State::kUnknown,
          .file = hash.file};
}

web::VerifyLockPage::Provider ShownProviderOf(const wire::LockedProviderReport& report) {
  using Verdict = web::VerifyLockPage::Provider::Verdict;
  web::VerifyLockPage::Provider shown{.address = report.address,
                                      .version = report.version,
                                      .verdict = report.verdict == "allow" ? Verdict::kAllowed
                                                 : report.verdict == "withdrawn"
                                                     ? Verdict::kWithdrawn
                                                     : Verdict::kDenied,
                                      .seen_at = ParseRfc3339(report.seen).value_or(0),
                                      .host = report.from == kPublished ? "" : report.from,
                                      .key = report.key,
                                      .by = report.by,
                                      .hashes = {}};
  for (const wire::LockedHash& hash : report.hashes) shown.hashes.push_back(ShownHashOf(hash));
  return shown;
}

// Whether a page of this server sent the form. Pages that strangers share have no csrf text in it.
bool IsOwnForm(PageAnswer& answer, const Form& form) {
  const PageContext& visit = answer.context();
  return visit.Made(form) || (answer.frame.account.empty() && visit.IsSentFromHere());
}

// Memory that the page takes while it is made.
std::uint64_t WeightOf(const web::VerifyLockPage& page) {
  constexpr std::uint64_t kHashWeight = 2048;
  constexpr std::uint64_t kTextWeight = 4;
  constexpr std::uint64_t kFrameWeight = 64 << 10;
  std::uint64_t weight = kFrameWeight + kTextWeight * page.text.size();
  if (!page.providers) return weight;
  for (const auto& each : *page.providers) weight += kHashWeight * each.hashes.size();
  return weight;
}

Task<http::Response> SendLockPage(Call& call, PageAnswer& answer, web::VerifyLockPage page,
                                  unsigned status) {
  CO_RETURN_IF_ERROR(co_await call.reading.Claim(WeightOf(page)));
  auto render = [&answer, &page]() -> Result<std::string> {
    return web::RenderVerifyLock(answer.frame, page);
  };
  ASSIGN_OR_CO_RETURN(std::string html, co_await call.reading.Do(render));
  co_return co_await answer.SendUnkept(std::move(html), status);
}

Task<http::Response> ShowLockForm(Call& call) {
  PageAnswer answer(call);
  answer.frame.canonical = web::VerifyLockPage::kPath;
  co_return co_await answer.SendBriefly(web::RenderVerifyLock(answer.frame, {}));
}

Task<http::Response> VerifySentLock(Call& call) {
  PageAnswer answer(call);
  answer.context().SetPath(std::string(web::VerifyLockPage::kPath));
  answer.frame.path = web::VerifyLockPage::kPath;
  ASSIGN_OR_CO_RETURN(const Form form, co_await ReadPageForm(call, kMessageBody));
  if (!IsOwnForm(answer, form)) {
    co_return answer.context().StaleForm(std::string(web::VerifyLockPage::kPath));
  }
  web::VerifyLockPage page{.text = form.Get(web::VerifyLockPage::kField)};
  const std::string field(web::VerifyLockPage::kField);
  if (page.text.find_first_not_of(" \t\r\n") == std::string::npos) {
    page.errors.Add(field, "required");
    co_return co_await SendLockPage(call, answer, std::move(page), 422);
  }
  Result<wire::LockReport> report = co_await ReportOnLock(call, page.text);
  if (report) {
    page.text.clear();
    page.providers.emplace();
    for (const auto& each : report->items) page.providers->push_back(ShownProviderOf(each));
    co_return co_await SendLockPage(call, answer, std::move(page), 200);
  }
  const ErrorKind kind = report.error().kind;
  if (kind != ErrorKind::kInvalid && kind != ErrorKind::kTooLarge) {
    co_return Failure(std::move(report).error());
  }
  page.errors.AddError(field, web::Refusal::Of(report.error(), web::Typed::kLockFile));
  co_return co_await SendLockPage(call, answer, std::move(page),
                                  kind == ErrorKind::kInvalid ? 422 : 413);
}

}  // namespace

std::span<const Route> LockRoutes() {
  static constexpr Route kRoutes[] = {
      Route::For(wire::kVerifyLock, Access::kRead, ResourceScope::kListing, BodyLimit::kMessage,
                 VerifyLock, "Verify the hashes in a lock file"),
      Route::Get(web::VerifyLockPage::kPath, Access::kBrowse, ResourceScope::kListing, ShowLockForm,
                 "Show the form for a lock file", KeptPage),
      Route::Ask(web::VerifyLockPage::kPath, Access::kBrowse, ResourceScope::kListing,
                 BodyLimit::kMessage, VerifySentLock,
                 "Verify the hashes in a lock file, as a page"),
  };
  return kRoutes;
}

}  // namespace koya::api
