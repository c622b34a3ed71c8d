#include "catalog/sql/providers/provider_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/operate/attachment_catalog.h"
#include "catalog/sql/operate/blob_ledger.h"
#include "catalog/sql/search/search_entries.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/namespace_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kAddProvider{
    "add_provider",
    "INSERT INTO provider (address, namespace, type, version_count, recorded) "
    "VALUES (:address, :namespace, :type, 0, (SELECT 1 FROM namespace WHERE name_key = :key)) "
    "ON CONFLICT (address) DO NOTHING"};
constexpr Statement kLockProvider{
    "lock_provider",
    "SELECT id, version_count, latest_version FROM provider WHERE address = :address "
    "{{for update}}"};
constexpr auto kReleaseColumns = Columns<ProviderRelease>(
    [] {
      return ProviderRelease{.address = Blank(),
                             .version = Blank(),
                             .sums = {.digest = Blank()},
                             .signature = {.digest = Blank()}};
    },
    ReadColumn<&ProviderRelease::address>("p.namespace", "p.type"),
    Column<&ProviderRelease::version>("r.version"),
    Column<&ProviderRelease::protocols>("r.protocols"),
    Column<&ProviderRelease::sums>("r.sums_digest", "r.sums_size"),
    Column<&ProviderRelease::signature>("r.signature_digest", "r.signature_size"),
    Column<&ProviderRelease::key_fingerprint>("r.key_fingerprint"),
    Column<&ProviderRelease::published_at>("r.published_at"),
    Column<&ProviderRelease::published_by>("r.published_by"),
    Column<&ProviderRelease::deprecation>("r.deprecation"),
    Column<&ProviderRelease::provenance>("r.provenance").OrNull(),
    Column<&ProviderRelease::source>("r.source"));
constexpr auto kAddRelease =
    Sql("add_release", "INSERT INTO provider_release (provider_id, precedence_key, platforms, ",
        kNames<kReleaseColumns>, ") VALUES (:provider_id, :precedence_key, :platforms, ",
        kValues<kReleaseColumns>, ") RETURNING id");
constexpr auto kPackageColumns = Columns<ProviderPackage>(
    [] { return ProviderPackage{.platform = Blank(), .digest = Blank()}; },
    Column<&ProviderPackage::platform>("k.os", "k.arch"),
    Column<&ProviderPackage::filename>("k.filename"), Column<&ProviderPackage::digest>("k.digest"),
    Column<&ProviderPackage::size>("k.size"), Column<&ProviderPackage::h1>("k.h1"));
constexpr auto kAddPackage =
    Sql("add_package", "INSERT INTO provider_package (release_id, ", kNames<kPackageColumns>,
        ") VALUES (:release_id, ", kValues<kPackageColumns>, ")");
constexpr Statement kSetReleaseCount{"set_release_count",
                                     "UPDATE provider SET version_count = :count WHERE id = :id"};
constexpr Statement kSetLatestRelease{
    "set_latest_release",
    "UPDATE provider SET latest_version = :version, latest_published_at = :at WHERE id = :id"};
constexpr Statement kForgetLatestRelease{
    "forget_latest_release",
    "UPDATE provider SET latest_version = NULL, latest_published_at = NULL WHERE id = :id"};
constexpr Statement kWithdrawRelease{
    "withdraw_release",
    "UPDATE provider_release SET withdrawn_at = :at, withdrawn_by = :by, "
    "withdrawn_reason = :reason, withdrawn_successor = :successor, "
    "withdrawn_kept_until = {{now}} + :keep_for "
    "WHERE provider_id = :provider_id AND version = :version AND withdrawn_at IS NULL"};
constexpr Statement kRestoreRelease{
    "restore_release",
    "UPDATE provider_release SET withdrawn_at = NULL, withdrawn_by = NULL, withdrawn_reason = "
    "NULL, "
    "withdrawn_successor = '', withdrawn_kept_until = 0 WHERE provider_id = :provider_id "
    "AND version = :version AND withdrawn_at IS NOT NULL AND withdrawn_kept_until > {{now}}"};
constexpr Statement kFindDocBlobs{"find_release_doc_blobs",
                                  "SELECT i.docs_digest, i.schema_digest FROM release_inside i "
                                  "JOIN provider_release r ON r.id = i.release_id "
                                  "WHERE r.provider_id = :provider_id AND r.version = :version"};
constexpr Statement kDeprecate{
    "deprecate_release",
    "UPDATE provider_release SET deprecation = :message WHERE version = :version AND "
    "withdrawn_at IS NULL AND provider_id = (SELECT id FROM provider WHERE address = :address)"};
constexpr auto kFindReleaseByPrecedence =
    Sql("find_release_by_precedence", "SELECT ", kSelect<kReleaseColumns>, ", ",
        kSelect<kStateColumns>, ", ", kSelect<kPackageColumns>,
        " FROM provider p JOIN provider_release r ON r.provider_id = p.id "
        "JOIN provider_package k ON k.release_id = r.id "
        "WHERE p.address = :address AND r.precedence_key = :precedence_key ORDER BY k.os, k.arch");
// A release as lists show it: one row regardless of its number of packages.
constexpr auto kReleaseSummaryColumns =
    Columns<ReleaseSummary>([] { return ReleaseSummary{.version = Blank()}; },
                            ReadColumn<&ReleaseSummary::version>("r.version"),
                            ReadColumn<&ReleaseSummary::protocols>("r.protocols"),
                            ReadColumn<&ReleaseSummary::published_at>("r.published_at"),
                            ReadColumn<&ReleaseSummary::published_by>("r.published_by"),
                            ReadColumn<&ReleaseSummary::deprecation>("r.deprecation"),
                            ReadColumn<&ReleaseSummary::key_fingerprint>("r.key_fingerprint"),
                            ReadColumn<&ReleaseSummary::source>("r.source"));
constexpr auto kListReleases =
    Sql("list_releases", "SELECT ", kSelect<kReleaseSummaryColumns>,
        ", r.platforms FROM provider_release r JOIN provider p ON p.id = r.provider_id "
        "WHERE p.address = :address AND r.withdrawn_at IS NULL");
constexpr Statement kListWithdrawnReleases{
    "list_withdrawn_releases",
    "SELECT r.version, r.published_at, r.withdrawn_at, COALESCE(r.withdrawn_by, ''), "
    "COALESCE(r.withdrawn_reason, ''), r.withdrawn_successor, r.withdrawn_kept_until FROM "
    "provider_release r JOIN provider p ON p.id = "
    "r.provider_id WHERE p.address = :address AND r.withdrawn_at IS NOT NULL"};
constexpr Statement kListPublished{
    "list_release_versions",
    "SELECT version, published_at FROM provider_release WHERE provider_id = :provider_id AND "
    "withdrawn_at IS NULL"};

Failure NoProvider(const ProviderAddress& address) {
  return FailNotFound("this registry has no provider {}: check the spelling, or publish it first",
                      address.ToString());
}

Failure NoRelease(const ProviderAddress& address, const Version& version) {
  return FailNotFound("provider {} has no version {} here: list its versions to see them",
                      address.ToString(), version.ToString());
}

// Whether `a` comes before `b` as the version to show: releases before prereleases, then newest.
bool IsLaterRelease(const Version& a, const Version& b) {
  if (a.is_prerelease() != b.is_prerelease()) return b.is_prerelease();
  return a > b;
}

struct ProviderRow {
  std::int64_t id = 0;
  std::int64_t versions = 0;
  std::optional<std::string> latest;
};

// The provider's row, kept from other writers until the transaction ends.
std::optional<ProviderRow> LockProvider(Session& session, const ProviderAddress& address) {
  ProviderRow row;
  Query query(session, kLockProvider);
  query.Use(address.ToString()).Into(row.id).Into(row.versions).Into(row.latest);
  if (!query.Next()) return std::nullopt;
  return row;
}

Result<ProviderRow> MakeAndLockProvider(Session& session, const ProviderAddress& address) {
  std::optional<ProviderRow> row = LockProvider(session, address);
  if (!row) {
    {
      Query query(session, kAddProvider);  // or another server did, this very moment
      query.Use(address.ToString()).Use(address.ns()).Use(address.type());
      query.Use(NamespaceKey(address.ns())).Run();
    }
    row = LockProvider(session, address);
  }
  if (row) return *std::move(row);
  return Fail(ErrorKind::kInternal, "the provider could not be added",
              "no row for " + address.ToString());
}

void SetReleaseCount(Session& session, std::int64_t provider_id, std::int64_t count) {
  Query query(session, kSetReleaseCount);
  query.Use(count).Use(provider_id).Run();
}

void SetLatest(Session& session, std::int64_t provider_id, const Version& version, UnixSeconds at) {
  Query query(session, kSetLatestRelease);
  query.Use(version.ToString()).Use(at).Use(provider_id).Run();
}

// Makes the release the provider's shown version if it comes before the current one.
Status ConsiderLatest(Session& session, const ProviderRow& row, const ProviderRelease& release) {
  if (row.latest) {
    ASSIGN_OR_RETURN(Version shown, Stored(Version::Parse(*row.latest)));
    if (!IsLaterRelease(release.version, shown)) return {};
  }
  SetLatest(session, row.id, release.version, release.published_at);
  return {};
}

// Shows the newest of the remaining versions, now that the shown one is withdrawn.
Status ChooseLatest(Session& session, std::int64_t provider_id) {
  std::optional<Version> latest;
  UnixSeconds latest_at = 0;
  {
    std::string text;
    std::int64_t at = 0;
    Query query(session, kListPublished);
    query.Use(provider_id).Into(text).Into(at);
    while (query.Next()) {
      ASSIGN_OR_RETURN(Version version, Stored(Version::Parse(text)));
      if (latest && !IsLaterRelease(version, *latest)) continue;
      latest = std::move(version);
      latest_at = at;
    }
  }
  if (latest) {
    SetLatest(session, provider_id, *latest, latest_at);
  } else {
    Query query(session, kForgetLatestRelease);
    query.Use(provider_id).Run();
  }
  return {};
}

std::vector<Platform> SortedPlatforms(const ProviderRelease& release) {
  std::vector<Platform> platforms;
  platforms.reserve(release.packages.size());
  for (const ProviderPackage& package : release.packages) platforms.push_back(package.platform);
  std::ranges::sort(platforms);
  return platforms;
}

Status CheckContent(const ProviderRelease& release) {
  RETURN_IF_ERROR(CheckStorable("the publisher's name", release.published_by));
  RETURN_IF_ERROR(CheckStorable("the deprecation message", release.deprecation));
  RETURN_IF_ERROR(CheckStorable("the publisher's provenance", release.provenance));
  for (const ProviderPackage& package : release.packages) {
    RETURN_IF_ERROR(CheckStorable("the package's file name", package.filename));
  }
  std::vector<Platform> platforms = SortedPlatforms(release);
  if (platforms.empty()) {
    return FailInvalid(
        "a release needs a package for at least one platform: add one and publish again");
  }
  auto twice = std::ranges::adjacent_find(platforms);
  if (twice == platforms.end()) return {};
  return FailInvalid("the release has two packages for {}: remove one and publish again",
                     twice->ToString());
}

std::int64_t InsertRelease(Session& session, std::int64_t provider_id,
                           const ProviderRelease& release) {
  std::vector<std::string> platforms;
  for (const Platform& platform : SortedPlatforms(release))
    platforms.push_back(platform.ToString());
  std::int64_t id = 0;
  Query query(session, kAddRelease);
  query.Use(provider_id).Use(release.version.PrecedenceKey()).Use(JoinList(platforms));
  UseRecord(query, kReleaseColumns, release).Into(id).Next();
  return id;
}

void InsertPackage(Session& session, std::int64_t release_id, const ProviderPackage& package) {
  Query query(session, kAddPackage);
  UseRecord(query.Use(release_id), kPackageColumns, package).Run();
}

std::vector<Digest> BlobsOf(const ProviderRelease& release, const ReleaseExtras& extras) {
  std::vector<Digest> digests = {release.sums.digest, release.signature.digest};
  if (extras.docs) digests.push_back(extras.docs->archive.digest);
  if (extras.schema) digests.push_back(extras.schema->archive.digest);
  for (const ProviderPackage& package : release.packages) digests.push_back(package.digest);
  for (const Attachment& each : extras.attachments) digests.push_back(each.digest);
  return digests;
}

struct FoundRelease {
  ProviderRelease release;
  std::optional<Withdrawal> withdrawal;
};

// The release with this precedence, whatever its build metadata; withdrawn ones too.
Result<std::optional<FoundRelease>> ReadRelease(Session& session, const ProviderAddress& address,
                                                const Version& version) {
  std::optional<FoundRelease> found;
  Query query(session, kFindReleaseByPrecedence);
  query.Use(address.ToString()).Use(version.PrecedenceKey());
  RecordReader release(query, kReleaseColumns);
  RecordReader state(query, kStateColumns);
  RecordReader package(query, kPackageColumns);
  while (query.Next()) {
    if (!found) {
      ASSIGN_OR_RETURN(ProviderRelease first, release.Read());
      ASSIGN_OR_RETURN(StoredState stored, state.Read());
      found.emplace(std::move(first), std::move(stored.withdrawal));
    }
    ASSIGN_OR_RETURN(ProviderPackage next, package.Read());
    found->release.packages.push_back(std::move(next));
  }
  return found;
}

Result<ReleaseOutcome> CheckRelease(Session& session, const ProviderAddress& address,
                                    const Version& version, const std::optional<Digest>& sums) {
  ASSIGN_OR_RETURN(std::optional<FoundRelease> found, ReadRelease(session, address, version));
  if (!found) return ReleaseOutcome{};
  ReleaseOutcome outcome;
  outcome.withdrawal = std::move(found->withdrawal);
  if (outcome.withdrawal) {
    outcome.what = ReleaseOutcome::What::kWithdrawn;
  } else if (found->release.version != version) {
    outcome.what = ReleaseOutcome::What::kOtherBuild;
  } else if (!sums || *sums == found->release.sums.digest) {
    outcome.what = ReleaseOutcome::What::kSameSums;
  } else {
    outcome.what = ReleaseOutcome::What::kOtherSums;
  }
  outcome.existing = std::move(found->release);
  return outcome;
}

AuditedChange ReleaseChange(std::string_view action, const ProviderAddress& address,
                            const Version& version) {
  return {.action = action,
          .target = fmt::format("provider:{}@{}", address.ToString(), version.ToString()),
          .ns = address.ns()};
}

// What the audit log says of a release that is published.
std::string ReleaseFacts(const ProviderRelease& release) {
  std::vector<std::string> platforms;
  for (const Platform& each : SortedPlatforms(release)) platforms.push_back(each.ToString());
  AuditFacts facts;
  facts.Add("sums", release.sums.digest.ToString()).Add("platforms", platforms);
  facts.Add("key", release.key_fingerprint);
  if (!release.provenance.empty()) facts.Add("provenance", release.provenance);
  if (release.source) facts.Add("source", release.source->ToString());
  return facts.ToJson();
}

std::string DeprecationFacts(const std::string& message) {
  AuditFacts facts;
  return message.empty() ? std::string() : facts.Add("deprecation", message).ToJson();
}

Result<ReleaseOutcome> AddRelease(Session& session, const Actor& by, const ProviderRelease& release,
                                  const std::optional<DraftRecord>& draft,
                                  const ReleaseExtras& extras) {
  RETURN_IF_ERROR(CheckContent(release));
  RETURN_IF_ERROR(CheckDocs(extras));
  ASSIGN_OR_RETURN(ProviderRow row, MakeAndLockProvider(session, release.address));
  ASSIGN_OR_RETURN(ReleaseOutcome outcome,
                   CheckRelease(session, release.address, release.version, release.sums.digest));
  if (outcome.what != ReleaseOutcome::What::kAdded) return outcome;
  RETURN_IF_ERROR(HoldKey(session, release.address.ns(), release.key_fingerprint, extras.imported));
  if (draft) RETURN_IF_ERROR(TakeDraft(session, *draft));
  std::int64_t id = InsertRelease(session, row.id, release);
  for (const ProviderPackage& package : release.packages) InsertPackage(session, id, package);
  RETURN_IF_ERROR(ConsiderLatest(session, row, release));
  SetReleaseCount(session, row.id, row.versions + 1);
  PutDocs(session, id, extras);
  RETURN_IF_ERROR(RenewBlobs(session, BlobsOf(release, extras)));
  AuditedChange change = ReleaseChange("provider.publish", release.address, release.version);
  change.after = ReleaseFacts(release);
  RecordChange(session, by, change);
  for (const Attachment& each : extras.attachments) {
    Attach(session, by, SearchSubject::Of(release.address, release.version), each);
  }
  AppendChange(session, ProviderTopic(release.address));
  return outcome;
}

Status WithdrawRelease(Session& session, const Actor& by, const ProviderAddress& address,
                       const Version& version, const Withdrawal& withdrawal,
                       std::chrono::seconds keep_for) {
  RETURN_IF_ERROR(CheckStorable("the reason", withdrawal.reason));
  RETURN_IF_ERROR(CheckStorable("the name of who withdraws", withdrawal.by));
  std::optional<ProviderRow> row = LockProvider(session, address);
  if (!row) return NoProvider(address);
  {
    Query query(session, kWithdrawRelease);
    query.Use(withdrawal.at).Use(withdrawal.by).Use(withdrawal.reason).Use(withdrawal.successor);
    query.Use(std::int64_t{keep_for.count()}).Use(row->id).Use(version.ToString());
    if (query.Run() == 0) return AbsenceOf(session, address, version);
  }
  SetReleaseCount(session, row->id, row->versions - 1);
  if (row->latest == version.ToString()) RETURN_IF_ERROR(ChooseLatest(session, row->id));
  RETURN_IF_ERROR(RemoveSearchEntries(session, SearchSubject::Of(address, version)));
  AuditedChange change = ReleaseChange("provider.withdraw", address, version);
  AuditFacts facts;
  facts.Add("reason", withdrawal.reason);
  if (!withdrawal.successor.empty()) facts.Add("successor", withdrawal.successor);
  change.after = facts.ToJson();
  RecordChange(session, by, change);
  AppendChange(session, ProviderTopic(address));
  return {};
}

// All that the release's row and those of its packages, docs and attachments refer to.
Result<std::vector<Digest>> BlobsOfRestored(Session& session, std::int64_t provider_id,
                                            const ProviderRelease& release) {
  ReleaseExtras extras;
  ASSIGN_OR_RETURN(extras.attachments,
                   ListAttachments(session, SearchSubject::Of(release.address, release.version)));
  std::vector<Digest> digests = BlobsOf(release, extras);
  std::optional<std::string> docs;
  std::optional<std::string> schema;
  Query query(session, kFindDocBlobs);
  query.Use(provider_id).Use(release.version.ToString()).Into(docs).Into(schema);
  if (!query.Next()) return digests;
  for (const std::optional<std::string>& hex : {docs, schema}) {
    if (!hex || hex->empty()) continue;
    ASSIGN_OR_RETURN(Digest digest, Stored(Digest::Parse(*hex)));
    digests.push_back(digest);
  }
  return digests;
}

Status RestoreRelease(Session& session, const Actor& by, const ProviderAddress& address,
                      const Version& version, const std::string& reason) {
  RETURN_IF_ERROR(CheckStorable("the reason", reason));
  std::optional<ProviderRow> row = LockProvider(session, address);
  if (!row) return NoProvider(address);
  ASSIGN_OR_RETURN(std::optional<FoundRelease> found, ReadRelease(session, address, version));
  if (!found || found->release.version != version) return NoRelease(address, version);
  const std::string name = fmt::format("{} {}", address.ToString(), version.ToString());
  if (!found->withdrawal) return NotWithdrawn(name);
  {
    Query query(session, kRestoreRelease);
    query.Use(row->id).Use(version.ToString());
    if (query.Run() == 0) return TooLateToRestore(name, *found->withdrawal);
  }
  SetReleaseCount(session, row->id, row->versions + 1);
  RETURN_IF_ERROR(ConsiderLatest(session, *row, found->release));
  ASSIGN_OR_RETURN(std::vector<Digest> blobs, BlobsOfRestored(session, row->id, found->release));
  RETURN_IF_ERROR(RenewBlobs(session, blobs));
  AuditedChange change = ReleaseChange("provider.restore", address, version);
  AuditFacts before;
  change.before = before.Add("withdrawn", found->withdrawal->reason).ToJson();
  AuditFacts after;
  change.after = after.Add("reason", reason).ToJson();
  RecordChange(session, by, change);
  AppendChange(session, ProviderTopic(address));
  return {};
}

Status DeprecateRelease(Session& session, const Actor& by, const ProviderAddress& address,
                        const Version& version, const std::string& message) {
  RETURN_IF_ERROR(CheckStorable("the deprecation message", message));
  if (!LockProvider(session, address)) return NoRelease(address, version);
  ASSIGN_OR_RETURN(std::optional<FoundRelease> before, ReadRelease(session, address, version));
  if (before && !before->withdrawal && before->release.deprecation == message) return {};
  {
    Query query(session, kDeprecate);
    query.Use(message).Use(version.ToString()).Use(address.ToString());
    if (query.Run() == 0) return AbsenceOf(session, address, version);
  }
  RETURN_IF_ERROR(
      SetSearchDeprecated(session, SearchSubject::Of(address, version), !message.empty()));
  AuditedChange change = ReleaseChange("provider.deprecate", address, version);
  if (before) change.before = DeprecationFacts(before->release.deprecation);
  change.after = DeprecationFacts(message);
  RecordChange(session, by, change);
  AppendChange(session, ProviderTopic(address));
  return {};
}

Result<std::vector<Platform>> ParsePlatforms(const std::string& text) {
  ASSIGN_OR_RETURN(std::vector<std::string> names, SplitList(text));
  std::vector<Platform> platforms;
  platforms.reserve(names.size());
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(Platform platform, Stored(Platform::Parse(name)));
    platforms.push_back(std::move(platform));
  }
  return platforms;
}

Result<std::vector<ReleaseSummary>> ListReleases(Session& session, const ProviderAddress& address) {
  std::vector<ReleaseSummary> releases;
  Query query(session, kListReleases);
  query.Use(address.ToString());
  RecordReader reader(query, kReleaseSummaryColumns);
  // Most of a provider's releases have the platforms of the row before.
  std::string text, parsed_text;
  std::vector<Platform> platforms;
  query.Into(text);
  while (query.Next()) {
    ASSIGN_OR_RETURN(ReleaseSummary summary, reader.Read());
    if (text != parsed_text) {
      ASSIGN_OR_RETURN(platforms, ParsePlatforms(text));
      parsed_text = text;
    }
    summary.platforms = platforms;
    releases.push_back(std::move(summary));
  }
  if (releases.empty()) return NoProvider(address);
  std::ranges::sort(releases, std::ranges::greater(), &ReleaseSummary::version);
  return releases;
}

Result<std::vector<WithdrawnRelease>> ListWithdrawnReleases(Session& session,
                                                            const ProviderAddress& address) {
  std::vector<WithdrawnRelease> releases;
  std::string version;
  std::int64_t published_at = 0;
  Withdrawal withdrawal;
  Query query(session, kListWithdrawnReleases);
  query.Use(address.ToString()).Into(version).Into(published_at);
  query.Into(withdrawal.at).Into(withdrawal.by).Into(withdrawal.reason);
  query.Into(withdrawal.successor).Into(withdrawal.kept_until);
  while (query.Next()) {
    ASSIGN_OR_RETURN(Version parsed, Stored(Version::Parse(version)));
    releases.push_back({std::move(parsed), published_at, withdrawal});
  }
  std::ranges::sort(releases, std::ranges::greater(), &WithdrawnRelease::version);
  return releases;
}

Result<ProviderRelease> FindRelease(Session& session, const ProviderAddress& address,
                                    const Version& version) {
  ASSIGN_OR_RETURN(ReleaseOutcome found, CheckRelease(session, address, version, std::nullopt));
  if (found.what != ReleaseOutcome::What::kSameSums) return AbsenceOf(session, address, version);
  return *std::move(found.existing);
}

}  // namespace

Failure AbsenceOf(Session& session, const ProviderAddress& address, const Version& version) {
  Result<std::optional<FoundRelease>> found = ReadRelease(session, address, version);
  if (!found) return Failure(std::move(found).error());
  const bool withdrawn = *found && (*found)->withdrawal && (*found)->release.version == version;
  if (!withdrawn) return NoRelease(address, version);
  return WithdrawnFailure(fmt::format("{} {}", address.ToString(), version.ToString()),
                          *(*found)->withdrawal);
}

}  // namespace koya::sql

namespace koya {

Task<ReleaseOutcome> ProviderCatalog::AddRelease(Actor by, ProviderRelease release,
                                                 std::optional<DraftRecord> draft,
                                                 ReleaseExtras extras) {
  return transactions_.Write(&sql::AddRelease, std::move(by), std::move(release), std::move(draft),
                             std::move(extras));
}

Task<ReleaseOutcome> ProviderCatalog::CheckRelease(ProviderAddress address, Version version,
                                                   std::optional<Digest> sums) {
  return transactions_.Read(&sql::CheckRelease, std::move(address), std::move(version), sums);
}

Task<std::vector<ReleaseSummary>> ProviderCatalog::ListReleases(ProviderAddress address) {
  return transactions_.Read(&sql::ListReleases, std::move(address));
}

Task<ProviderRelease> ProviderCatalog::FindRelease(ProviderAddress address, Version version) {
  return transactions_.Read(&sql::FindRelease, std::move(address), std::move(version));
}

Task<void> ProviderCatalog::WithdrawRelease(Actor by, ProviderAddress address, Version version,
                                            Withdrawal withdrawal, std::chrono::seconds keep_for) {
  return transactions_.Write(&sql::WithdrawRelease, std::move(by), std::move(address),
                             std::move(version), std::move(withdrawal), keep_for);
}

Task<void> ProviderCatalog::RestoreRelease(Actor by, ProviderAddress address, Version version,
                                           std::string reason) {
  return transactions_.Write(&sql::RestoreRelease, std::move(by), std::move(address),
                             std::move(version), std::move(reason));
}

Task<std::vector<WithdrawnRelease>> ProviderCatalog::ListWithdrawnReleases(
    ProviderAddress address) {
  return transactions_.Read(&sql::ListWithdrawnReleases, std::move(address));
}

Task<void> ProviderCatalog::DeprecateRelease(Actor by, ProviderAddress address, Version version,
                                             std::string message) {
  return transactions_.Write(&sql::DeprecateRelease, std::move(by), std::move(address),
                             std::move(version), std::move(message));
}

}  // namespace koya
