#include "catalog/module_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/operate/attachment_catalog.h"
#include "catalog/sql/operate/blob_ledger.h"
#include "catalog/sql/search/search_entries.h"
#include "catalog/sql/usage/contents_catalog.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/namespace_record.h"
#include "domain/page.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr Statement kAddModule{
    "add_module",
    "INSERT INTO module (address_key, name_key, namespace, name, system, version_count, "
    "search_text, recorded) VALUES (:address_key, :name_key, :namespace, :name, :system, 0, '', "
    "(SELECT 1 FROM namespace WHERE name_key = :namespace_key)) "
    "ON CONFLICT (address_key) DO NOTHING"};
constexpr Statement kLockModule{
    "lock_module",
    "SELECT id, version_count, latest_version, namespace, name, system FROM module "
    "WHERE address_key = :key {{for update}}"};
Result<std::optional<VersionStep>> ReadStep(std::string_view text) {
  return VersionStep::Parse(text);
}
std::string StepText(const std::optional<VersionStep>& step) {
  return step ? step->ToString() : std::string();
}
using StepCell = TextCell<std::optional<VersionStep>, &ReadStep, &StepText>;

constexpr auto kVersionColumns = Columns<ModuleVersionRecord>(
    [] {
      return ModuleVersionRecord{
          .address = Blank(), .version = Blank(), .digest = Blank(), .upload_digest = Blank()};
    },
    ReadColumn<&ModuleVersionRecord::address>("m.namespace", "m.name", "m.system"),
    Column<&ModuleVersionRecord::version>("v.version"),
    Column<&ModuleVersionRecord::kind>("v.archive_kind"),
    Column<&ModuleVersionRecord::digest>("v.digest"), Column<&ModuleVersionRecord::size>("v.size"),
    Column<&ModuleVersionRecord::upload_digest>("v.upload_digest"),
    Column<&ModuleVersionRecord::description>("v.description"),
    Column<&ModuleVersionRecord::published_at>("v.published_at"),
    Column<&ModuleVersionRecord::published_by>("v.published_by"),
    Column<&ModuleVersionRecord::provenance>("v.provenance").OrNull(),
    Column<&ModuleVersionRecord::source>("v.source"),
    ReadColumn<&ModuleVersionRecord::deprecation>("v.deprecation").OrNull(),
    Column<&ModuleVersionRecord::step, StepCell>("v.step").OrNull());
constexpr auto kReadVersions =
    Join("SELECT ", kSelect<kVersionColumns>, ", ", kSelect<kStateColumns>,
         " FROM module_version v JOIN module m ON m.id = v.module_id WHERE m.address_key = :key ");

constexpr auto kAddVersion =
    Sql("add_version", "INSERT INTO module_version (module_id, precedence_key, ",
        kNames<kVersionColumns>, ") VALUES (:module_id, :precedence_key, ",
        kValues<kVersionColumns>, ")");
constexpr Statement kSetCount{"set_version_count",
                              "UPDATE module SET version_count = :count WHERE id = :id"};
constexpr Statement kSetLatest{
    "set_latest_version",
    "UPDATE module SET latest_version = :version, latest_published_at = :at, "
    "latest_description = :description, search_text = :search_text WHERE id = :id"};
constexpr Statement kForgetLatest{
    "forget_latest_version",
    "UPDATE module SET latest_version = NULL, latest_published_at = NULL, "
    "latest_description = NULL, search_text = '' WHERE id = :id"};
constexpr Statement kWithdraw{
    "withdraw_version",
    "UPDATE module_version SET withdrawn_at = :at, withdrawn_by = :by, withdrawn_reason = :reason, "
    "withdrawn_successor = :successor, withdrawn_kept_until = {{now}} + :keep_for "
    "WHERE module_id = :module_id AND version = :version AND withdrawn_at IS NULL"};
constexpr Statement kRestore{
    "restore_version",
    "UPDATE module_version SET withdrawn_at = NULL, withdrawn_by = NULL, withdrawn_reason = NULL, "
    "withdrawn_successor = '', withdrawn_kept_until = 0 WHERE module_id = :module_id "
    "AND version = :version AND withdrawn_at IS NOT NULL AND withdrawn_kept_until > {{now}}"};
constexpr auto kFindByPrecedence =
    Sql("find_version_by_precedence", kReadVersions, "AND v.precedence_key = :precedence_key");
constexpr auto kListVersions = Sql("list_versions", kReadVersions, "AND v.withdrawn_at IS NULL");
constexpr auto kListWithdrawn =
    Sql("list_withdrawn_versions", kReadVersions, "AND v.withdrawn_at IS NOT NULL");
constexpr Statement kDeprecateVersion{
    "deprecate_version",
    "UPDATE module_version SET deprecation = NULLIF(:message, '') "
    "WHERE module_id = :module_id AND version = :version AND withdrawn_at IS NULL"};
constexpr Statement kListOtherSystems{
    "list_other_systems",
    "SELECT namespace, name, system FROM module WHERE address_key >= :first AND "
    "address_key < :end AND address_key <> :key AND version_count > 0"};

Failure NoModule(const ModuleAddress& address) {
  return FailNotFound("this registry has no module {}: check the spelling, or publish it first",
                      address.ToString());
}

Failure NoVersion(const ModuleAddress& address, const Version& version) {
  return FailNotFound("module {} has no version {} here: list its versions to see them",
                      address.ToString(), version.ToString());
}

// Whether `a` comes before `b` as the version to show: releases before prereleases, then newest.
bool IsLater(const Version& a, const Version& b) {
  if (a.is_prerelease() != b.is_prerelease()) return b.is_prerelease();
  return a > b;
}

struct ModuleRow {
  std::int64_t id = 0;
  std::int64_t versions = 0;
  std::optional<std::string> latest;
  std::string ns, name, system;  // as they were published first
};

// The module's row, kept from other writers until the transaction ends.
std::optional<ModuleRow> LockModule(Session& session, const std::string& key) {
  ModuleRow row;
  Query query(session, kLockModule);
  query.Use(key).Into(row.id).Into(row.versions).Into(row.latest);
  query.Into(row.ns).Into(row.name).Into(row.system);
  if (!query.Next()) return std::nullopt;
  return row;
}

void AddModule(Session& session, const ModuleAddress& address) {
  Query query(session, kAddModule);
  query.Use(address.Key()).Use(AsciiLower(address.name()));
  query.Use(address.ns()).Use(address.name()).Use(address.system());
  query.Use(NamespaceKey(address.ns())).Run();
}

void SetCount(Session& session, std::int64_t module_id, std::int64_t count) {
  Query query(session, kSetCount);
  query.Use(count).Use(module_id).Run();
}

void SetLatest(Session& session, std::int64_t module_id, const ModuleVersionRecord& latest) {
  const ModuleAddress& address = latest.address;
  std::string search_text = AsciiLower(fmt::format("{}\n{}\n{}\n{}", address.ns(), address.name(),
                                                   address.system(), latest.description));
  Query query(session, kSetLatest);
  query.Use(latest.version.ToString()).Use(latest.published_at).Use(latest.description);
  query.Use(search_text).Use(module_id).Run();
}

void InsertVersion(Session& session, std::int64_t module_id, const ModuleVersionRecord& record) {
  Query query(session, kAddVersion);
  query.Use(module_id).Use(record.version.PrecedenceKey());
  UseRecord(query, kVersionColumns, record).Run();
}

// Makes `record` the module's shown version if it comes before the current one.
Status ConsiderLatest(Session& session, const ModuleRow& row, const ModuleVersionRecord& record) {
  if (row.latest) {
    ASSIGN_OR_RETURN(Version shown, Stored(Version::Parse(*row.latest)));
    if (!IsLater(record.version, shown)) return {};
  }
  SetLatest(session, row.id, record);
  return {};
}

Result<std::vector<ModuleVersionRecord>> ReadVersions(Session& session, const std::string& key) {
  Query query(session, kListVersions);
  query.Use(key);
  return ReadRecords(query, kVersionColumns);
}

Result<AddOutcome> CheckVersion(Session& session, const ModuleAddress& address,
                                const Version& version, const std::optional<Digest>& upload) {
  Query query(session, kFindByPrecedence);
  query.Use(address.Key()).Use(version.PrecedenceKey());
  RecordReader record(query, kVersionColumns);
  RecordReader state(query, kStateColumns);
  if (!query.Next()) return AddOutcome{};
  ASSIGN_OR_RETURN(ModuleVersionRecord found, record.Read());
  ASSIGN_OR_RETURN(StoredState stored, state.Read());
  AddOutcome outcome;
  outcome.withdrawal = std::move(stored.withdrawal);
  if (outcome.withdrawal) {
    outcome.what = AddOutcome::What::kWithdrawn;
  } else if (found.version != version) {
    outcome.what = AddOutcome::What::kOtherBuild;
  } else if (!upload || *upload == found.upload_digest) {
    outcome.what = AddOutcome::What::kSameUpload;
  } else {
    outcome.what = AddOutcome::What::kOtherBytes;
  }
  outcome.existing = std::move(found);
  return outcome;
}

AuditedChange VersionChange(std::string_view action, const ModuleRow& module,
                            const Version& version) {
  return {.action = action,
          .target = fmt::format("module:{}/{}/{}@{}", module.ns, module.name, module.system,
                                version.ToString()),
          .ns = module.ns};
}

// What the audit log says of a version that is published.
std::string VersionFacts(const ModuleVersionRecord& record) {
  AuditFacts facts;
  facts.Add("digest", record.digest.ToString());
  facts.Add("size", static_cast<std::int64_t>(record.size));
  if (!record.provenance.empty()) facts.Add("provenance", record.provenance);
  if (record.source) facts.Add("source", record.source->ToString());
  return facts.ToJson();
}

// The documents of a module list the systems that there are of its name: those of the others change
// with its first version and with the end of its last one. REQUIRES: the change of this one was
// appended: writers take turns from there on, so that of two first versions the later sees both.
Status AppendToOtherSystems(Session& session, const ModuleAddress& address) {
  const std::string key = address.Key();
  const std::string first = key.substr(0, key.rfind('/') + 1);
  std::string end = first;
  ++end.back();  // behind everything that begins with `first`
  std::vector<std::string> topics;
  {
    std::string ns, name, system;
    Query query(session, kListOtherSystems);
    query.Use(first).Use(end).Use(key).Into(ns).Into(name).Into(system);
    while (query.Next()) {
      ASSIGN_OR_RETURN(ModuleAddress other, Stored(ModuleAddress::FromParts(ns, name, system)));
      topics.push_back(ModuleTopic(other));
    }
  }
  AppendChanges(session, std::move(topics));
  return {};
}

Result<AddOutcome> AddVersion(Session& session, const Actor& by, const ModuleVersionRecord& record,
                              const VersionExtras& extras) {
  if (!IsUtf8(record.description) || record.description.contains('\0')) {
    return FailInvalid("the module's description is not UTF-8 text: fix it and publish again");
  }
  RETURN_IF_ERROR(CheckStorable("the publisher's provenance", record.provenance));
  std::string key = record.address.Key();
  std::optional<ModuleRow> row = LockModule(session, key);
  if (!row) {
    AddModule(session, record.address);  // or another server did, this very moment
    row = LockModule(session, key);
  }
  if (!row) return Fail(ErrorKind::kInternal, "the module could not be added", "no row for " + key);
  ASSIGN_OR_RETURN(AddOutcome outcome,
                   CheckVersion(session, record.address, record.version, record.upload_digest));
  if (outcome.what != AddOutcome::What::kAdded) return outcome;
  InsertVersion(session, row->id, record);
  RETURN_IF_ERROR(ConsiderLatest(session, *row, record));
  SetCount(session, row->id, row->versions + 1);
  RETURN_IF_ERROR(
      PutExtras(session, {.address = record.address, .version = record.version}, extras));
  RETURN_IF_ERROR(RenewBlobs(session, {record.digest}));
  AuditedChange change = VersionChange("module.publish", *row, record.version);
  change.after = VersionFacts(record);
  RecordChange(session, by, change);
  AppendChange(session, ModuleTopic(record.address));
  if (row->versions == 0) RETURN_IF_ERROR(AppendToOtherSystems(session, record.address));
  return outcome;
}

// Why there is no such version: it was withdrawn, or never here.
Failure Absence(const AddOutcome& found, const ModuleAddress& address, const Version& version) {
  if (!found.withdrawal || found.existing->version != version) return NoVersion(address, version);
  return WithdrawnFailure(
      fmt::format("{} {}", found.existing->address.ToString(), version.ToString()),
      *found.withdrawal);
}

Status Withdraw(Session& session, const Actor& by, const ModuleAddress& address,
                const Version& version, const Withdrawal& withdrawal,
                std::chrono::seconds keep_for) {
  std::optional<ModuleRow> row = LockModule(session, address.Key());
  if (!row) return NoModule(address);
  {
    Query query(session, kWithdraw);
    query.Use(withdrawal.at).Use(withdrawal.by).Use(withdrawal.reason).Use(withdrawal.successor);
    query.Use(std::int64_t{keep_for.count()}).Use(row->id).Use(version.ToString());
    if (query.Run() == 0) {
      ASSIGN_OR_RETURN(AddOutcome found, CheckVersion(session, address, version, std::nullopt));
      return Absence(found, address, version);
    }
  }
  SetCount(session, row->id, row->versions - 1);
  if (row->latest == version.ToString()) {
    ASSIGN_OR_RETURN(std::vector<ModuleVersionRecord> left, ReadVersions(session, address.Key()));
    auto latest = std::ranges::min_element(left, IsLater, &ModuleVersionRecord::version);
    if (latest != left.end()) {
      SetLatest(session, row->id, *latest);
    } else {
      Query query(session, kForgetLatest);
      query.Use(row->id).Run();
    }
  }
  RETURN_IF_ERROR(RemoveSearchEntries(session, SearchSubject::Of(address, version)));
  ForgetContents(session, {.address = address, .version = version});
  AuditedChange change = VersionChange("module.withdraw", *row, version);
  AuditFacts facts;
  facts.Add("reason", withdrawal.reason);
  if (!withdrawal.successor.empty()) facts.Add("successor", withdrawal.successor);
  change.after = facts.ToJson();
  RecordChange(session, by, change);
  AppendChange(session, ModuleTopic(address));
  if (row->versions == 1) RETURN_IF_ERROR(AppendToOtherSystems(session, address));
  return {};
}

// Contents are analyzed and indexed again in the background, as for versions that an older program
// published.
Status Restore(Session& session, const Actor& by, const ModuleAddress& address,
               const Version& version, const std::string& reason) {
  RETURN_IF_ERROR(CheckStorable("the reason", reason));
  std::optional<ModuleRow> row = LockModule(session, address.Key());
  if (!row) return NoModule(address);
  ASSIGN_OR_RETURN(AddOutcome found, CheckVersion(session, address, version, std::nullopt));
  if (!found.existing || found.existing->version != version) return NoVersion(address, version);
  const std::string name =
      fmt::format("{} {}", found.existing->address.ToString(), version.ToString());
  if (!found.withdrawal) return NotWithdrawn(name);
  {
    Query query(session, kRestore);
    query.Use(row->id).Use(version.ToString());
    if (query.Run() == 0) return TooLateToRestore(name, *found.withdrawal);
  }
  SetCount(session, row->id, row->versions + 1);
  RETURN_IF_ERROR(ConsiderLatest(session, *row, *found.existing));
  ASSIGN_OR_RETURN(std::vector<Attachment> attachments,
                   ListAttachments(session, SearchSubject::Of(address, version)));
  std::vector<Digest> blobs{found.existing->digest};
  for (const Attachment& each : attachments) blobs.push_back(each.digest);
  RETURN_IF_ERROR(RenewBlobs(session, blobs));
  AuditedChange change = VersionChange("module.restore", *row, version);
  AuditFacts before;
  change.before = before.Add("withdrawn", found.withdrawal->reason).ToJson();
  AuditFacts after;
  change.after = after.Add("reason", reason).ToJson();
  RecordChange(session, by, change);
  AppendChange(session, ModuleTopic(address));
  if (row->versions == 0) RETURN_IF_ERROR(AppendToOtherSystems(session, address));
  return {};
}

std::string VersionDeprecation(const std::string& message) {
  AuditFacts facts;
  return message.empty() ? std::string() : facts.Add("deprecation", message).ToJson();
}

Status DeprecateVersion(Session& session, const Actor& by, const ModuleAddress& address,
                        const Version& version, const std::string& message) {
  RETURN_IF_ERROR(CheckStorable("the deprecation message", message));
  std::optional<ModuleRow> row = LockModule(session, address.Key());
  if (!row) return NoModule(address);
  ASSIGN_OR_RETURN(AddOutcome found, CheckVersion(session, address, version, std::nullopt));
  if (found.what != AddOutcome::What::kSameUpload) return Absence(found, address, version);
  const std::string& before = found.existing->deprecation;
  if (before == message) return {};
  {
    Query query(session, kDeprecateVersion);
    query.Use(message).Use(row->id).Use(version.ToString()).Run();
  }
  RETURN_IF_ERROR(
      SetSearchDeprecated(session, SearchSubject::Of(address, version), !message.empty()));
  AuditedChange change = VersionChange("module.deprecate", *row, version);
  change.before = VersionDeprecation(before);
  change.after = VersionDeprecation(message);
  RecordChange(session, by, change);
  AppendChange(session, ModuleTopic(address));
  return {};
}

Result<std::vector<WithdrawnModuleVersion>> ListWithdrawn(Session& session,
                                                          const ModuleAddress& address) {
  std::vector<WithdrawnModuleVersion> versions;
  Query query(session, kListWithdrawn);
  query.Use(address.Key());
  RecordReader reader(query, kVersionColumns);
  RecordReader state(query, kStateColumns);
  while (query.Next()) {
    ASSIGN_OR_RETURN(ModuleVersionRecord record, reader.Read());
    ASSIGN_OR_RETURN(StoredState stored, state.Read());
    versions.push_back({.version = std::move(record.version),
                        .published_at = record.published_at,
                        .withdrawal = std::move(stored.withdrawal).value_or(Withdrawal())});
  }
  std::ranges::sort(versions, std::ranges::greater(), &WithdrawnModuleVersion::version);
  return versions;
}

Result<std::vector<ModuleVersionRecord>> ListVersions(Session& session,
                                                      const ModuleAddress& address) {
  ASSIGN_OR_RETURN(std::vector<ModuleVersionRecord> records, ReadVersions(session, address.Key()));
  if (records.empty()) return NoModule(address);
  std::ranges::sort(records, std::ranges::greater(), &ModuleVersionRecord::version);
  return records;
}

Result<ModuleVersionRecord> FindVersion(Session& session, const ModuleAddress& address,
                                        const Version& version) {
  ASSIGN_OR_RETURN(AddOutcome found, CheckVersion(session, address, version, std::nullopt));
  if (found.what != AddOutcome::What::kSameUpload) return Absence(found, address, version);
  return *std::move(found.existing);
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<AddOutcome> ModuleCatalog::AddVersion(Actor by, ModuleVersionRecord record,
                                           VersionExtras extras) {
  return transactions_.Write(&sql::AddVersion, std::move(by), std::move(record), std::move(extras));
}

Task<void> ModuleCatalog::Withdraw(Actor by, ModuleAddress address, Version version,
                                   Withdrawal withdrawal, std::chrono::seconds keep_for) {
  return transactions_.Write(&sql::Withdraw, std::move(by), std::move(address), std::move(version),
                             std::move(withdrawal), keep_for);
}

Task<void> ModuleCatalog::Restore(Actor by, ModuleAddress address, Version version,
                                  std::string reason) {
  return transactions_.Write(&sql::Restore, std::move(by), std::move(address), std::move(version),
                             std::move(reason));
}

Task<std::vector<WithdrawnModuleVersion>> ModuleCatalog::ListWithdrawn(ModuleAddress address) {
  return transactions_.Read(&sql::ListWithdrawn, std::move(address));
}

Task<void> ModuleCatalog::Deprecate(Actor by, ModuleAddress address, Version version,
                                    std::string message) {
  return transactions_.Write(&sql::DeprecateVersion, std::move(by), std::move(address),
                             std::move(version), std::move(message));
}

Task<AddOutcome> ModuleCatalog::CheckVersion(ModuleAddress address, Version version,
                                             std::optional<Digest> upload) {
  return transactions_.Read(&sql::CheckVersion, std::move(address), std::move(version), upload);
}

Task<std::vector<ModuleVersionRecord>> ModuleCatalog::ListVersions(ModuleAddress address) {
  return transactions_.Read(&sql::ListVersions, std::move(address));
}

Task<ModuleVersionRecord> ModuleCatalog::FindVersion(ModuleAddress address, Version version) {
  return transactions_.Read(&sql::FindVersion, std::move(address), std::move(version));
}

}  // namespace koya
