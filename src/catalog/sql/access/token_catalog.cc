#include "catalog/token_catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/hex.h"
#include "base/text.h"
#include "catalog/sql/access/account_catalog.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/executor.h"
#include "catalog/sql/engine/module_version_row.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/recent_uses.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/engine/writer_locks.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/credential_record.h"
#include "domain/role.h"
#include "domain/topic.h"

namespace koya::sql {
namespace {

#define KOYA_TOKEN_COLUMNS                                                            \
  "name, secret, scope, namespaces, account_id, created_at, created_by, expires_at, " \
  "last_used_at, provenance, last_used_from, trust_id"
#define KOYA_TOKEN_READ                                                          \
  "SELECT t.name, t.secret, t.scope, t.namespaces, COALESCE(t.account_id, ''), " \
  "COALESCE(a.name, ''), a.kind, t.created_at, t.created_by, "                   \
  "t.expires_at, t.last_used_at, COALESCE(t.provenance, ''), "                   \
  "COALESCE(t.last_used_from, ''), COALESCE(t.trust_id, '') FROM token t "       \
  "LEFT JOIN account a ON a.id = t.account_id "

constexpr Statement kAddToken{
    "add_token",
    "INSERT INTO token (" KOYA_TOKEN_COLUMNS
    ") VALUES (:name, :secret, :scope, :namespaces, NULLIF(:account_id, ''), :created_at, "
    ":created_by, :expires_at, :last_used_at, NULLIF(:provenance, ''), "
    "NULLIF(:last_used_from, ''), NULLIF(:trust_id, '')) ON CONFLICT DO NOTHING"};
constexpr Statement kHoldTrust{"hold_trust",
                               "SELECT namespace_key FROM trust WHERE id = :id {{for share}}"};
constexpr Statement kUseJobToken{
    "use_job_token",
    "INSERT INTO used_job_token (namespace_key, digest, expires_at) "
    "VALUES (:namespace_key, :digest, :expires_at) ON CONFLICT DO NOTHING"};
constexpr Statement kFindToken{"find_token", KOYA_TOKEN_READ "WHERE t.secret = :secret"};
// Secrets are lower-case hex: what begins with 32 digits lies between them and them with a "g".
constexpr Statement kFindTokenByStart{"find_token_by_start",
                                      KOYA_TOKEN_READ "WHERE t.secret > :from AND t.secret < :to"};
constexpr Statement kListTokens{"list_tokens", KOYA_TOKEN_READ "ORDER BY t.name"};
constexpr Statement kListEndingTokens{
    "list_ending_tokens", KOYA_TOKEN_READ
    "WHERE t.account_id = :account AND t.expires_at >= :from AND t.expires_at <= :until "
    "ORDER BY t.expires_at, t.name LIMIT :limit"};
constexpr Statement kListJobTokens{
    "list_job_tokens", KOYA_TOKEN_READ
    "JOIN trust r ON r.id = t.trust_id WHERE r.namespace_key = :namespace_key "
    "ORDER BY t.created_at DESC, t.name"};
// Whether it may do everything, before it is replaced or revoked.
constexpr Statement kLockToken{"lock_token", "SELECT CASE WHEN " KOYA_UNLIMITED_TOKEN
                                             " THEN 1 ELSE 0 END FROM token WHERE name = :name AND "
                                             "secret = :secret {{for update}}"};
constexpr Statement kReplaceToken{
    "replace_token",
    "UPDATE token SET secret = :secret, scope = :scope, namespaces = :namespaces, "
    "account_id = NULLIF(:account_id, ''), created_at = :created_at, created_by = :created_by, "
    "expires_at = :expires_at, last_used_at = :last_used_at, "
    "provenance = NULLIF(:provenance, ''), last_used_from = NULLIF(:last_used_from, ''), "
    "trust_id = NULLIF(:trust_id, '') "
    "WHERE name = :name AND secret = :replaced"};
constexpr Statement kRevokeToken{"revoke_token",
                                 "DELETE FROM token WHERE name = :name AND secret = :secret"};
constexpr Statement kTouchToken{"touch_token",
                                "UPDATE token SET last_used_at = :at, "
                                "last_used_from = NULLIF(:from, '') WHERE secret = :secret "
                                "AND (last_used_at IS NULL OR last_used_at <= :before OR "
                                "last_used_at > {{now}})"};

struct TokenRow {
  std::string name, secret, scope, namespaces, account_id, account_name, created_by, provenance;
  std::string last_used_from, trust_id;
  std::optional<std::string> account_kind;
  std::int64_t created_at = 0;
  std::optional<std::int64_t> expires_at, last_used_at;

  void Bind(Query& query) {
    query.Into(name).Into(secret).Into(scope).Into(namespaces).Into(account_id);
    query.Into(account_name).Into(account_kind).Into(created_at).Into(created_by);
    query.Into(expires_at).Into(last_used_at).Into(provenance);
    query.Into(last_used_from).Into(trust_id);
  }

  Result<TokenRecord> ToRecord() const {
    Result<Digest> digest = Digest::Parse(secret);
    if (!digest) return Failure(StrangeRow(digest.error()));
    std::optional<Scope> parsed = ParseScope(scope);
    if (!parsed) return Failure(StrangeRow({ErrorKind::kCorrupt, "token scope " + scope, {}}));
    TokenRecord record{.name = name,
                       .secret = *digest,
                       .scope = *parsed,
                       .namespaces = {},
                       .account_id = account_id,
                       .account_name = account_name,
                       .created_at = created_at,
                       .created_by = created_by,
                       .expires_at = expires_at,
                       .last_used_at = last_used_at,
                       .last_used_from = last_used_at ? last_used_from : std::string(),
                       .provenance = provenance,
                       .trust_id = trust_id};
    if (account_kind) {
      ASSIGN_OR_RETURN(record.account_kind, ReadAccountKind(*account_kind));
    }
    for (std::string_view rest = namespaces; !rest.empty();) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      record.namespaces.emplace_back(line);
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
    return record;
  }
};

Status CheckTokenText(std::string_view what, std::string_view text) {
  bool printable = IsUtf8(text) && text.find_first_of(std::string_view("\0\n", 2)) == text.npos;
  if (printable && !text.empty()) return {};
  return FailInvalid("a token's {} must be one line of text, not \"{}\"", what, Printable(text));
}

// Of what may be kept. The account stays until the token is there, which goes with it.
Status CheckToken(Session& session, const TokenRecord& record) {
  RETURN_IF_ERROR(CheckTokenText("name", record.name));
  for (const std::string& pattern : record.namespaces) {
    RETURN_IF_ERROR(CheckTokenText("namespace pattern", pattern));
  }
  RETURN_IF_ERROR(CheckStorable("the token's provenance", record.provenance));
  if (record.account_id.empty()) return {};
  RETURN_IF_ERROR(HoldAccount(session, record.account_id, "the token"));
  return {};
}

// What follows the name, but for the name itself.
void UseToken(Query& query, const TokenRecord& record) {
  query.Use(record.secret.hex()).Use(ScopeName(record.scope));
  query.Use(fmt::format("{}", fmt::join(record.namespaces, "\n")));
  query.Use(record.account_id).Use(record.created_at).Use(record.created_by);
  query.Use(record.expires_at).Use(record.last_used_at).Use(record.provenance);
  query.Use(record.last_used_from).Use(record.trust_id);
}

std::unexpected<Error> NoSuchToken(std::string_view name) {
  return FailNotFound("there is no token named \"{}\": list the tokens to see their names",
                      Printable(name));
}

Result<TokenRecord> FindToken(Session& session, const Digest& secret) {
  TokenRow row;
  Query query(session, kFindToken);
  query.Use(secret.hex());
  row.Bind(query);
  if (!query.Next()) return FailNotFound("this token is unknown");
  return row.ToRecord();
}

// Describes a token for the audit log, without its secret, even hashed.
Result<std::string> TokenFacts(Session& session, const TokenRecord& record) {
  AuditFacts facts;
  facts.Add("scope", ScopeName(record.scope)).Add("namespaces", record.namespaces);
  if (!record.account_id.empty()) {
    ASSIGN_OR_RETURN(AccountRecord account, HoldAccount(session, record.account_id, "the token"));
    facts.Add("account", AuditTarget(account));
  }
  if (record.expires_at) facts.Add("expires", FormatRfc3339(*record.expires_at));
  if (!record.provenance.empty()) facts.Add("provenance", record.provenance);
  return facts.ToJson();
}

// The one namespace that the token is for; "" when it is for several.
std::string NamespaceOfToken(const TokenRecord& record) {
  const bool one = record.namespaces.size() == 1 && !record.namespaces[0].contains('*');
  return one ? record.namespaces[0] : std::string();
}

AuditedChange TokenChange(std::string_view action, const TokenRecord& record) {
  return {.action = action, .target = "token:" + record.name, .ns = NamespaceOfToken(record)};
}

Status AddToken(Session& session, const Actor& by, const TokenRecord& record) {
  RETURN_IF_ERROR(CheckToken(session, record));
  {
    Query query(session, kAddToken);
    query.Use(record.name);
    UseToken(query, record);
    if (query.Run() == 0) {
      return FailConflict(
          "there is already a token named \"{}\": choose "
          "another name, or revoke that one first",
          record.name);
    }
  }
  AuditedChange change = TokenChange("token.create", record);
  ASSIGN_OR_RETURN(change.after, TokenFacts(session, record));
  RecordChange(session, by, change);
  AppendChange(session, TokenTopic(record.name));
  return {};
}

// The key of the namespace that trusts so. The trust stays until the transaction ends.
Result<std::string> HoldTrust(Session& session, const std::string& id) {
  std::string namespace_key;
  Query query(session, kHoldTrust);
  query.Use(id).Into(namespace_key);
  if (query.Next()) return namespace_key;
  return FailNotFound("the trust for the job no longer exists");
}

Status AddJobToken(Session& session, const Actor& by, const TokenRecord& record,
                   const JobProof& proof) {
  ASSIGN_OR_RETURN(const std::string namespace_key, HoldTrust(session, record.trust_id));
  {
    Query query(session, kUseJobToken);
    query.Use(namespace_key).Use(proof.digest.hex()).Use(proof.expires_at);
    if (query.Run() == 0) {
      return Fail(ErrorKind::kTokenUsed,
                  "this job's token was already used in that namespace, and each is valid once: "
                  "request another from the CI, or use the token that it was exchanged for");
    }
  }
  return AddToken(session, by, record);
}

// Keeps the token from other writers until the transaction ends. Returns whether it may do
// everything.
Result<bool> LockToken(Session& session, const std::string& name, const Digest& secret) {
  if (!IsStorable(name)) return NoSuchToken(name);
  std::int64_t unlimited = 0;
  Query query(session, kLockToken);
  query.Use(name).Use(secret.hex()).Into(unlimited);
  if (!query.Next()) return NoSuchToken(name);
  return unlimited != 0;
}

// After a token that was unlimited has been revoked or replaced.
Status CheckNotTheLastToken(Session& session, bool unlimited, const std::string& name) {
  if (!unlimited) return {};
  return CheckAnAdministratorRemains(session, fmt::format("the token \"{}\"", Printable(name)));
}

Status ReplaceToken(Session& session, const Actor& by, const TokenRecord& record,
                    const Digest& replaced) {
  LockAccess(session);
  RETURN_IF_ERROR(CheckToken(session, record));
  ASSIGN_OR_RETURN(bool unlimited, LockToken(session, record.name, replaced));
  ASSIGN_OR_RETURN(TokenRecord before, FindToken(session, replaced));
  {
    Query query(session, kReplaceToken);
    UseToken(query, record);
    query.Use(record.name).Use(replaced.hex()).Run();
  }
  RETURN_IF_ERROR(CheckNotTheLastToken(session, unlimited, record.name));
  AuditedChange change = TokenChange("token.rotate", record);
  ASSIGN_OR_RETURN(change.before, TokenFacts(session, before));
  ASSIGN_OR_RETURN(change.after, TokenFacts(session, record));
  RecordChange(session, by, change);
  AppendChange(session, TokenTopic(record.name));
  return {};
}

Status RevokeToken(Session& session, const Actor& by, const std::string& name,
                   const Digest& secret) {
  LockAccess(session);
  ASSIGN_OR_RETURN(bool unlimited, LockToken(session, name, secret));
  ASSIGN_OR_RETURN(TokenRecord before, FindToken(session, secret));
  Query(session, kRevokeToken).Use(name).Use(secret.hex()).Run();
  RETURN_IF_ERROR(CheckNotTheLastToken(session, unlimited, name));
  AuditedChange change = TokenChange("token.revoke", before);
  ASSIGN_OR_RETURN(change.before, TokenFacts(session, before));
  RecordChange(session, by, change);
  AppendChange(session, TokenTopic(name));
  return {};
}

Status TouchTokens(Session& session, const std::vector<Use>& uses, UnixSeconds every) {
  for (const Use& use : uses) {
    Query query(session, kTouchToken);
    query.Use(use.at).Use(IsStorable(use.from) ? use.from : std::string());
    query.Use(use.digest.hex()).Use(use.at - every).Run();
  }
  return {};
}

Result<TokenRecord> FindTokenByStart(Session& session, const std::array<std::byte, 16>& start) {
  TokenRow row;
  const std::string from = HexEncode(start);
  Query query(session, kFindTokenByStart);
  query.Use(from).Use(from + "g");
  row.Bind(query);
  if (!query.Next()) return FailNotFound("this token is unknown");
  return row.ToRecord();
}

// Reads the remaining rows of a query whose values are all used.
Result<std::vector<TokenRecord>> ReadTokens(Query& query) {
  std::vector<TokenRecord> records;
  TokenRow row;
  row.Bind(query);
  while (query.Next()) {
    ASSIGN_OR_RETURN(TokenRecord record, row.ToRecord());
    records.push_back(std::move(record));
  }
  return records;
}

Result<std::vector<TokenRecord>> ListTokens(Session& session) {
  Query query(session, kListTokens);
  return ReadTokens(query);
}

Result<std::vector<TokenRecord>> ListEndingTokens(Session& session, const std::string& account_id,
                                                  UnixSeconds from, UnixSeconds until) {
  if (!IsStorable(account_id)) return std::vector<TokenRecord>();
  Query query(session, kListEndingTokens);
  query.Use(account_id).Use(from).Use(until).Use(TokenCatalog::kMostEndingTokens);
  return ReadTokens(query);
}

Result<std::vector<TokenRecord>> ListJobTokens(Session& session, const std::string& ns) {
  if (!IsStorable(ns)) return std::vector<TokenRecord>();
  Query query(session, kListJobTokens);
  query.Use(NamespaceKey(ns));
  return ReadTokens(query);
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<void> TokenCatalog::AddToken(Actor by, TokenRecord record) {
  return transactions_.Write(&sql::AddToken, std::move(by), std::move(record));
}

Task<void> TokenCatalog::AddJobToken(Actor by, TokenRecord record, JobProof proof) {
  return transactions_.Write(&sql::AddJobToken, std::move(by), std::move(record), proof);
}

Task<TokenRecord> TokenCatalog::FindToken(Digest secret) {
  return transactions_.Read(&sql::FindToken, secret);
}

Task<TokenRecord> TokenCatalog::FindTokenByStart(std::array<std::byte, 16> start) {
  return transactions_.Read(&sql::FindTokenByStart, start);
}

Task<std::vector<TokenRecord>> TokenCatalog::ListTokens() {
  return transactions_.Read(&sql::ListTokens);
}

Task<std::vector<TokenRecord>> TokenCatalog::ListEndingTokens(std::string account_id,
                                                              UnixSeconds from, UnixSeconds until) {
  return transactions_.Read(&sql::ListEndingTokens, std::move(account_id), from, until);
}

Task<std::vector<TokenRecord>> TokenCatalog::ListJobTokens(std::string ns) {
  return transactions_.Read(&sql::ListJobTokens, std::move(ns));
}

Task<void> TokenCatalog::ReplaceToken(Actor by, TokenRecord record, Digest replaced) {
  return transactions_.Write(&sql::ReplaceToken, std::move(by), std::move(record), replaced);
}

Task<void> TokenCatalog::RevokeToken(Actor by, std::string name, Digest secret) {
  return transactions_.Write(&sql::RevokeToken, std::move(by), std::move(name), secret);
}

Task<void> TokenCatalog::TouchTokens(std::vector<Use> uses) {
  uses = uses_.LeftOf(std::move(uses));
  if (uses.empty()) co_return Status();
  Status status = co_await transactions_.Write(&sql::TouchTokens, uses, kTouchEvery);
  if (status) uses_.RecordUse(uses);
  co_return status;
}

}  // namespace koya
