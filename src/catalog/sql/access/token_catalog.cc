#include "catalog/token_catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/encoding.h"
#include "base/text.h"
#include "catalog/sql/access/access_catalog.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/recent_uses.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/engine/transaction.h"
#include "domain/access.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/credential_record.h"
#include "domain/topic.h"

namespace koya::sql {
namespace {

// A token's patterns, a line each: they are printable, and need no escapes.
struct PatternsCell {
  static constexpr std::array kTypes{ColumnType::kText};
  static Status Read(StoredRow& row, std::vector<std::string>& value) {
    const std::string text = row.Take<std::string>();
    for (std::string_view rest = text; !rest.empty();) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      value.emplace_back(line);
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
    return {};
  }
  static void Use(Query& query, const std::vector<std::string>& value) {
    query.Use(fmt::format("{}", fmt::join(value, "\n")));
  }
};

constexpr auto kTokenColumns = Columns<TokenRecord>(
    [] { return TokenRecord{.secret = Blank()}; }, Column<&TokenRecord::name>("t.name"),
    Column<&TokenRecord::secret>("t.secret"), Column<&TokenRecord::scope>("t.scope"),
    Column<&TokenRecord::namespaces, PatternsCell>("t.namespaces"),
    Column<&TokenRecord::account_id>("t.account_id").OrNull(),
    ReadColumn<&TokenRecord::account_name>("a.name").OrNull(),
    ReadColumn<&TokenRecord::account_kind>("a.kind"),
    ReadColumn<&TokenRecord::account_created_by>("a.created_by").OrNull(),
    Column<&TokenRecord::created_at>("t.created_at"),
    Column<&TokenRecord::created_by>("t.created_by"),
    Column<&TokenRecord::expires_at>("t.expires_at"),
    Column<&TokenRecord::last_used_at>("t.last_used_at"),
    Column<&TokenRecord::provenance>("t.provenance").OrNull(),
    Column<&TokenRecord::last_used_from>("t.last_used_from")
        .As("CASE WHEN t.last_used_at IS NOT NULL THEN t.last_used_from END")
        .OrNull(),
    Column<&TokenRecord::trust_id>("t.trust_id").OrNull());

constexpr auto kAddToken = Sql("add_token", "INSERT INTO token (", kNames<kTokenColumns>,
                               ") VALUES (", kValues<kTokenColumns>, ") ON CONFLICT DO NOTHING");
constexpr auto kReadToken = Join("SELECT ", kSelect<kTokenColumns>,
                                 " FROM token t LEFT JOIN account a ON a.id = t.account_id ");
constexpr Statement kHoldTrust{"hold_trust",
                               "SELECT namespace_key FROM trust WHERE id = :id {{for share}}"};
constexpr Statement kUseJobToken{
    "use_job_token",
    "INSERT INTO used_job_token (namespace_key, digest, expires_at) "
    "VALUES (:namespace_key, :digest, :expires_at) ON CONFLICT DO NOTHING"};
constexpr auto kFindToken = Sql("find_token", kReadToken, "WHERE t.secret = :secret");
// Secrets are lower-case hex: what begins with 32 digits lies between them and them with a "g".
constexpr auto kFindTokenByStart =
    Sql("find_token_by_start", kReadToken, "WHERE t.secret > :from AND t.secret < :to");
constexpr auto kListTokens = Sql("list_tokens", kReadToken, "ORDER BY t.name");
constexpr std::string_view kTokensPage = "ORDER BY t.name LIMIT :limit OFFSET :offset";
constexpr auto kListEndingTokens =
    Sql("list_ending_tokens", kReadToken,
        "WHERE t.account_id = :account AND t.expires_at >= :from AND t.expires_at <= :until "
        "ORDER BY t.expires_at, t.name LIMIT :limit");
constexpr auto kListJobTokens =
    Sql("list_job_tokens", kReadToken,
        "JOIN trust r ON r.id = t.trust_id WHERE r.namespace_key = :namespace_key "
        "ORDER BY t.created_at DESC, t.name");
// Whether it may do everything, before it is replaced or revoked.
constexpr Statement kLockToken{"lock_token", "SELECT CASE WHEN " KOYA_UNLIMITED_TOKEN
                                             " THEN 1 ELSE 0 END FROM token WHERE name = :name AND "
                                             "secret = :secret {{for update}}"};
constexpr auto kReplaceToken = Sql("replace_token", "UPDATE token SET ", kSets<kTokenColumns>,
                                   " WHERE name = :same_name AND secret = :replaced");
constexpr Statement kRevokeToken{"revoke_token",
                                 "DELETE FROM token WHERE name = :name AND secret = :secret"};
constexpr Statement kTouchToken{"touch_token",
                                "UPDATE token SET last_used_at = :at, "
                                "last_used_from = NULLIF(:from, '') WHERE secret = :secret "
                                "AND (last_used_at IS NULL OR last_used_at <= :before OR "
                                "last_used_at > {{now}})"};

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

std::unexpected<Error> NoSuchToken(std::string_view name) {
  return FailNotFound("there is no token named \"{}\": list the tokens to see their names",
                      Printable(name));
}

// Reads the row of a query whose values are all used.
Result<TokenRecord> ReadToken(Query& query) {
  RecordReader reader(query, kTokenColumns);
  if (!query.Next()) return FailNotFound("this token is unknown");
  return reader.Read();
}

Result<TokenRecord> FindToken(Session& session, const Digest& secret) {
  Query query(session, kFindToken);
  query.Use(secret.hex());
  return ReadToken(query);
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
    if (UseRecord(query, kTokenColumns, record).Run() == 0) {
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
    UseRecord(query, kTokenColumns, record).Use(record.name).Use(replaced.hex()).Run();
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
  const std::string from = HexEncode(start);
  Query query(session, kFindTokenByStart);
  query.Use(from).Use(from + "g");
  return ReadToken(query);
}

Result<std::vector<TokenRecord>> ListTokens(Session& session) {
  Query query(session, kListTokens);
  return ReadRecords(query, kTokenColumns);
}

std::string_view TokenCondition(TokenFilter filter) {
  switch (filter) {
    case TokenFilter::kAll:
      return "";
    case TokenFilter::kNeverExpires:
      return "WHERE t.expires_at IS NULL ";
    case TokenFilter::kUnused:
      return "WHERE COALESCE(t.last_used_at, t.created_at) <= :until ";
    case TokenFilter::kEndsSoon:
      return "WHERE t.expires_at >= :from AND t.expires_at <= :until ";
  }
  return "";
}

Result<Page<TokenRecord>> BrowseTokens(Session& session, TokenFilter filter, UnixSeconds from,
                                       UnixSeconds until, const PageRequest& page) {
  std::string text(kReadToken);
  text.append(TokenCondition(filter)).append(kTokensPage);
  const std::uint64_t limit = std::min(page.limit, kLongestPage);
  constexpr auto kEnd = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  Query query(session, Statement{"browse_tokens", text});
  if (filter == TokenFilter::kEndsSoon) query.Use(from);
  if (filter == TokenFilter::kEndsSoon || filter == TokenFilter::kUnused) query.Use(until);
  query.Use(static_cast<std::int64_t>(limit + 1));
  query.Use(static_cast<std::int64_t>(std::min(page.offset, kEnd)));
  Page<TokenRecord> found;
  ASSIGN_OR_RETURN(found.items, ReadRecords(query, kTokenColumns));
  found.more = found.items.size() > limit;
  if (found.more) found.items.pop_back();
  return found;
}

Result<std::vector<TokenRecord>> ListEndingTokens(Session& session, const std::string& account_id,
                                                  UnixSeconds from, UnixSeconds until) {
  if (!IsStorable(account_id)) return std::vector<TokenRecord>();
  Query query(session, kListEndingTokens);
  query.Use(account_id).Use(from).Use(until).Use(TokenCatalog::kMostEndingTokens);
  return ReadRecords(query, kTokenColumns);
}

Result<std::vector<TokenRecord>> ListJobTokens(Session& session, const std::string& ns) {
  if (!IsStorable(ns)) return std::vector<TokenRecord>();
  Query query(session, kListJobTokens);
  query.Use(NamespaceKey(ns));
  return ReadRecords(query, kTokenColumns);
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

Task<Page<TokenRecord>> TokenCatalog::BrowseTokens(TokenFilter filter, UnixSeconds from,
                                                   UnixSeconds until, PageRequest page) {
  return transactions_.Read(&sql::BrowseTokens, filter, from, until, page);
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
