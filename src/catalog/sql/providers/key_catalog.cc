#include "catalog/sql/providers/provider_catalog.h"

#include <cstdint>

#include "base/text.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/engine/transaction.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/signing_key_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr auto kKeyColumns =
    Columns(Column<&SigningKeyRecord::ns>("namespace"),
            Column<&SigningKeyRecord::fingerprint>("fingerprint"),
            Column<&SigningKeyRecord::key_id>("key_id"), Column<&SigningKeyRecord::armor>("armor"),
            Column<&SigningKeyRecord::user_ids>("user_ids"),
            Column<&SigningKeyRecord::algorithm>("algorithm"),
            Column<&SigningKeyRecord::created_at>("created_at"),
            Column<&SigningKeyRecord::expires_at>("expires_at"),
            Column<&SigningKeyRecord::added_at>("added_at"),
            Column<&SigningKeyRecord::added_by>("added_by"),
            Column<&SigningKeyRecord::removed_at>("removed_at"),
            Column<&SigningKeyRecord::sealed_secret>("sealed_secret"),
            Column<&SigningKeyRecord::server_made>("server_made"));

constexpr auto kAddKey =
    Sql("add_key", "INSERT INTO signing_key (", kNames<kKeyColumns>, ") VALUES (",
        kValues<kKeyColumns>, ") ON CONFLICT (namespace, fingerprint) DO NOTHING");
// What only this server knows of a key stays: its secret, and that it made the key.
constexpr Statement kRenewKey{
    "renew_key",
    "UPDATE signing_key SET key_id = :key_id, armor = :armor, user_ids = :user_ids, "
    "algorithm = :algorithm, created_at = :created_at, expires_at = :expires_at, "
    "added_at = :added_at, added_by = :added_by, removed_at = NULL "
    "WHERE namespace = :namespace AND fingerprint = :fingerprint"};
constexpr auto kListKeys = Sql("list_keys", "SELECT ", kSelect<kKeyColumns>,
                               " FROM signing_key WHERE namespace = :namespace ORDER BY "
                               "CASE WHEN removed_at IS NULL THEN 0 ELSE 1 END, added_at, "
                               "fingerprint");
constexpr auto kListSealedKeys = Sql("list_sealed_keys", "SELECT ", kSelect<kKeyColumns>,
                                     " FROM signing_key WHERE sealed_secret <> '' "
                                     "ORDER BY namespace, fingerprint");
constexpr Statement kListEndingKeys{
    "list_ending_keys",
    "SELECT namespace, key_id, expires_at FROM signing_key WHERE removed_at IS NULL AND "
    "expires_at >= :from AND expires_at <= :until ORDER BY expires_at, namespace, fingerprint "
    "LIMIT :limit"};
constexpr Statement kResealKey{
    "reseal_key",
    "UPDATE signing_key SET sealed_secret = :sealed_secret WHERE namespace = :namespace AND "
    "fingerprint = :fingerprint AND sealed_secret = :before AND removed_at IS NULL"};
constexpr auto kFindKey = Sql("find_key", "SELECT ", kSelect<kKeyColumns>,
                              " FROM signing_key WHERE namespace = :namespace AND "
                              "fingerprint = :fingerprint");
constexpr Statement kRemoveKey{
    "remove_key",
    "UPDATE signing_key SET removed_at = :at, sealed_secret = '' WHERE namespace = :namespace AND "
    "fingerprint = :fingerprint AND removed_at IS NULL"};
// A server key that was rotated out and added again as a public key has no secret any more: it is
// not the one that the server signs with.
constexpr Statement kFindServerKey{
    "find_server_key",
    "SELECT fingerprint FROM signing_key WHERE namespace = :namespace AND server_made = 1 AND "
    "removed_at IS NULL AND sealed_secret <> '' {{for update}}"};
constexpr Statement kHoldKey{
    "hold_key",
    "SELECT fingerprint FROM signing_key WHERE namespace = :namespace AND "
    "fingerprint = :fingerprint AND (removed_at IS NULL OR :removed_too = 1) {{for share}}"};

Status CheckContent(const SigningKeyRecord& record) {
  RETURN_IF_ERROR(CheckStorable("the namespace", record.ns));
  RETURN_IF_ERROR(CheckStorable("the key's fingerprint", record.fingerprint));
  RETURN_IF_ERROR(CheckStorable("the key's ID", record.key_id));
  RETURN_IF_ERROR(CheckStorable("the key", record.armor));
  RETURN_IF_ERROR(CheckStorable("the key's algorithm", record.algorithm));
  RETURN_IF_ERROR(CheckStorable("the name of who adds the key", record.added_by));
  return CheckStorable("the key's sealed secret", record.sealed_secret);
}

Failure NoKey(std::string_view ns, std::string_view fingerprint) {
  return FailNotFound("the namespace {} has no key {}: list its keys to see them", Printable(ns),
                      Printable(fingerprint));
}

// Returns whether there was none of this fingerprint.
bool InsertKey(Session& session, const SigningKeyRecord& record) {
  Query query(session, kAddKey);
  return UseRecord(query, kKeyColumns, record).Run() != 0;
}

void RenewKey(Session& session, const SigningKeyRecord& record) {
  Query query(session, kRenewKey);
  query.Use(record.key_id).Use(record.armor).Use(JoinList(record.user_ids)).Use(record.algorithm);
  query.Use(record.created_at).Use(record.expires_at).Use(record.added_at).Use(record.added_by);
  query.Use(record.ns).Use(record.fingerprint).Run();
}

// Returns whether the key was in use.
bool MarkRemoved(Session& session, const std::string& ns, const std::string& fingerprint,
                 UnixSeconds at) {
  Query query(session, kRemoveKey);
  return query.Use(at).Use(ns).Use(fingerprint).Run() != 0;
}

// The fingerprint of the key that the server signs with; "" when there is none.
std::string LockServerKey(Session& session, const std::string& ns) {
  std::string fingerprint;
  Query query(session, kFindServerKey);
  query.Use(ns).Into(fingerprint);
  return query.Next() ? fingerprint : "";
}

Result<SigningKeyRecord> FindKey(Session& session, const std::string& ns,
                                 const std::string& fingerprint) {
  if (!IsStorable(ns) || !IsStorable(fingerprint)) return NoKey(ns, fingerprint);
  Query query(session, kFindKey);
  query.Use(ns).Use(fingerprint);
  RecordReader reader(query, kKeyColumns);
  if (!query.Next()) return NoKey(ns, fingerprint);
  return reader.Read();
}

AuditedChange KeyChange(std::string_view action, const SigningKeyRecord& key) {
  return {.action = action, .target = "key:" + key.fingerprint, .ns = key.ns};
}

// What the audit log says of a key.
std::string KeyFacts(const SigningKeyRecord& key) {
  AuditFacts facts;
  facts.Add("fingerprint", key.fingerprint).Add("algorithm", key.algorithm);
  facts.Add("user_ids", key.user_ids);
  return facts.ToJson();
}

// Whether adding `record` alters nothing that a document shows of the key that is there.
bool IsSameKey(const SigningKeyRecord& there, const SigningKeyRecord& record) {
  return !there.removed_at && there.armor == record.armor && there.key_id == record.key_id &&
         there.user_ids == record.user_ids && there.algorithm == record.algorithm &&
         there.created_at == record.created_at && there.expires_at == record.expires_at;
}

Result<bool> AddKey(Session& session, const Actor& by, const SigningKeyRecord& record) {
  RETURN_IF_ERROR(CheckContent(record));
  bool added = InsertKey(session, record);
  if (!added) {
    ASSIGN_OR_RETURN(SigningKeyRecord there, FindKey(session, record.ns, record.fingerprint));
    if (IsSameKey(there, record)) return false;
    RenewKey(session, record);
  }
  AuditedChange change = KeyChange("key.add", record);
  change.after = KeyFacts(record);
  RecordChange(session, by, change);
  AppendChange(session, std::string(kEverything));
  return added;
}

Status RemoveKey(Session& session, const Actor& by, const std::string& ns,
                 const std::string& fingerprint, UnixSeconds at) {
  ASSIGN_OR_RETURN(SigningKeyRecord key, FindKey(session, ns, fingerprint));
  if (!MarkRemoved(session, ns, fingerprint, at)) return NoKey(ns, fingerprint);
  AuditedChange change = KeyChange("key.remove", key);
  change.before = KeyFacts(key);
  RecordChange(session, by, change);
  AppendChange(session, std::string(kEverything));
  return {};
}

Status ReplaceServerKey(Session& session, const Actor& by, const SigningKeyRecord& record,
                        const std::string& replaces) {
  RETURN_IF_ERROR(CheckContent(record));
  // Of two servers that make a namespace's first key, neither has a row to lock.
  LockNamespace(session, record.ns);
  SigningKeyRecord made = record;
  made.server_made = true;
  bool as_expected = LockServerKey(session, record.ns) == replaces;
  if (as_expected && !replaces.empty()) {
    MarkRemoved(session, record.ns, replaces, record.added_at);
  }
  if (!as_expected || !InsertKey(session, made)) {
    return FailConflict(
        "another server has just created a new signing key for the namespace "
        "{}: list the keys, then try again if you still want to",
        record.ns);
  }
  AuditedChange change = KeyChange("key.rotate", record);
  AuditFacts replaced;
  if (!replaces.empty()) change.before = replaced.Add("fingerprint", replaces).ToJson();
  change.after = KeyFacts(record);
  RecordChange(session, by, change);
  AppendChange(session, std::string(kEverything));
  return {};
}

Result<std::vector<SigningKeyRecord>> ListKeys(Session& session, const std::string& ns) {
  if (!IsStorable(ns)) return std::vector<SigningKeyRecord>();
  Query query(session, kListKeys);
  query.Use(ns);
  return ReadRecords(query, kKeyColumns);
}

Result<std::vector<SigningKeyRecord>> ListSealedKeys(Session& session) {
  Query query(session, kListSealedKeys);
  return ReadRecords(query, kKeyColumns);
}

Result<std::vector<EndingKey>> ListEndingKeys(Session& session, UnixSeconds from,
                                              UnixSeconds until) {
  std::vector<EndingKey> keys;
  EndingKey key;
  Query query(session, kListEndingKeys);
  query.Use(from).Use(until).Use(KeyCatalog::kMostEndingKeys);
  query.Into(key.ns).Into(key.key_id).Into(key.expires_at);
  while (query.Next()) keys.push_back(key);
  return keys;
}

Status ResealKey(Session& session, const Actor& by, const SigningKeyRecord& key,
                 const std::string& sealed_secret) {
  RETURN_IF_ERROR(CheckStorable("the key's sealed secret", sealed_secret));
  {
    Query query(session, kResealKey);
    query.Use(sealed_secret).Use(key.ns).Use(key.fingerprint).Use(key.sealed_secret);
    if (query.Run() == 0) {
      return FailConflict("the key {} of {} was removed or resealed meanwhile",
                          Printable(key.fingerprint), Printable(key.ns));
    }
  }
  RecordChange(session, by, KeyChange("key.reseal", key));
  return {};
}

}  // namespace

Status HoldKey(Session& session, const std::string& ns, const std::string& fingerprint,
               bool removed_too) {
  std::string found;
  const std::int64_t any = removed_too ? 1 : 0;
  Query query(session, kHoldKey);
  bool possible = IsStorable(fingerprint);
  if (possible && query.Use(ns).Use(fingerprint).Use(any).Into(found).Next()) return {};
  return FailConflict(
      "the release is signed with the key {}, which is not (or no longer) a "
      "key of the namespace {}: sign it with one that is, or have the key "
      "added",
      Printable(fingerprint), ns);
}

}  // namespace koya::sql

namespace koya {

Task<bool> KeyCatalog::AddKey(Actor by, SigningKeyRecord record) {
  return transactions_.Write(&sql::AddKey, std::move(by), std::move(record));
}

Task<std::vector<SigningKeyRecord>> KeyCatalog::ListKeys(std::string ns) {
  return transactions_.Read(&sql::ListKeys, std::move(ns));
}

Task<std::vector<SigningKeyRecord>> KeyCatalog::ListSealedKeys() {
  return transactions_.Read(&sql::ListSealedKeys);
}

Task<std::vector<EndingKey>> KeyCatalog::ListEndingKeys(UnixSeconds from, UnixSeconds until) {
  return transactions_.Read(&sql::ListEndingKeys, from, until);
}

Task<void> KeyCatalog::ResealKey(Actor by, SigningKeyRecord key, std::string sealed_secret) {
  return transactions_.Write(&sql::ResealKey, std::move(by), std::move(key),
                             std::move(sealed_secret));
}

Task<SigningKeyRecord> KeyCatalog::FindKey(std::string ns, std::string fingerprint) {
  return transactions_.Read(&sql::FindKey, std::move(ns), std::move(fingerprint));
}

Task<void> KeyCatalog::RemoveKey(Actor by, std::string ns, std::string fingerprint,
                                 UnixSeconds at) {
  return transactions_.Write(&sql::RemoveKey, std::move(by), std::move(ns), std::move(fingerprint),
                             at);
}

Task<void> KeyCatalog::ReplaceServerKey(Actor by, SigningKeyRecord record, std::string replaces) {
  return transactions_.Write(&sql::ReplaceServerKey, std::move(by), std::move(record),
                             std::move(replaces));
}

}  // namespace koya
