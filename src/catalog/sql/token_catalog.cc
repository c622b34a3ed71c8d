#include "catalog/sql/token_catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/hex.h"
#include "base/text.h"
#include "catalog/sql/account_row.h"
#include "catalog/sql/change_log.h"
#include "catalog/sql/module_version_row.h"
#include "catalog/sql/query.h"
#include "domain/topic.h"

namespace koya::sql {
namespace {

#define KOYA_TOKEN_COLUMNS \
  "name, secret, scope, namespaces, account_id, created_at, created_by, expires_at, last_used_at"
// An earlier version's token does not say who made it.
#define KOYA_TOKEN_READ                                                     \
  "name, secret, scope, namespaces, COALESCE(account_id, ''), created_at, " \
  "COALESCE(created_by, ''), expires_at, last_used_at"

constexpr Statement kAddToken{
    "add_token",
    "INSERT INTO token (" KOYA_TOKEN_COLUMNS
    ") VALUES (:name, :secret, :scope, :namespaces, NULLIF(:account_id, ''), :created_at, "
    ":created_by, :expires_at, :last_used_at) ON CONFLICT DO NOTHING"};
constexpr Statement kFindToken{"find_token",
                               "SELECT " KOYA_TOKEN_READ " FROM token WHERE secret = :secret"};
// Secrets are lower-case hex: what begins with 32 digits lies between them and them with a "g".
constexpr Statement kFindTokenByStart{"find_token_by_start",
                                      "SELECT " KOYA_TOKEN_READ
                                      " FROM token WHERE secret > :from AND secret < :to"};
constexpr Statement kListTokens{"list_tokens",
                                "SELECT " KOYA_TOKEN_READ " FROM token ORDER BY name"};
constexpr Statement kReplaceToken{
    "replace_token",
    "UPDATE token SET secret = :secret, scope = :scope, namespaces = :namespaces, "
    "account_id = NULLIF(:account_id, ''), created_at = :created_at, created_by = :created_by, "
    "expires_at = :expires_at, "
    "last_used_at = :last_used_at WHERE name = :name AND secret = :replaced"};
constexpr Statement kRevokeToken{"revoke_token",
                                 "DELETE FROM token WHERE name = :name AND secret = :secret"};
constexpr Statement kTouchToken{"touch_token",
                                "UPDATE token SET last_used_at = :at WHERE secret = :secret "
                                "AND (last_used_at IS NULL OR last_used_at <= :before OR "
                                "last_used_at > {{now}})"};

struct TokenRow {
  std::string name, secret, scope, namespaces, account_id, created_by;
  std::int64_t created_at = 0;
  std::optional<std::int64_t> expires_at, last_used_at;

  void Bind(Query& query) {
    query.Into(name).Into(secret).Into(scope).Into(namespaces).Into(account_id);
    query.Into(created_at).Into(created_by).Into(expires_at).Into(last_used_at);
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
                       .created_at = created_at,
                       .created_by = created_by,
                       .expires_at = expires_at,
                       .last_used_at = last_used_at};
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
  return Fail(ErrorKind::kInvalid, fmt::format("a token's {} must be one line of text, not \"{}\"",
                                               what, Printable(text)));
}

// Of what may be kept. The account stays until the token is there, which goes with it.
Status CheckToken(Session& session, const TokenRecord& record) {
  RETURN_IF_ERROR(CheckTokenText("name", record.name));
  for (const std::string& pattern : record.namespaces) {
    RETURN_IF_ERROR(CheckTokenText("namespace pattern", pattern));
  }
  if (!record.account_id.empty()) return HoldAccount(session, record.account_id);
  return {};
}

// What follows the name, but for the name itself.
void UseToken(Query& query, const TokenRecord& record) {
  query.Use(record.secret.hex()).Use(ScopeName(record.scope));
  query.Use(fmt::format("{}", fmt::join(record.namespaces, "\n")));
  query.Use(record.account_id).Use(record.created_at).Use(record.created_by);
  query.Use(record.expires_at).Use(record.last_used_at);
}

std::unexpected<Error> NoSuchToken(std::string_view name) {
  return Fail(ErrorKind::kNotFound,
              fmt::format("there is no token named \"{}\": list the tokens to see their names",
                          Printable(name)));
}

Status AddToken(Session& session, const TokenRecord& record) {
  RETURN_IF_ERROR(CheckToken(session, record));
  {
    Query query(session, kAddToken);
    query.Use(record.name);
    UseToken(query, record);
    if (query.Run() == 0) {
      return Fail(ErrorKind::kConflict,
                  fmt::format("there is a token named \"{}\" already: choose another name, or "
                              "revoke that one first",
                              record.name));
    }
  }
  AppendChange(session, TokenTopic(record.name));
  return {};
}

Status ReplaceToken(Session& session, const TokenRecord& record, const Digest& replaced) {
  RETURN_IF_ERROR(CheckToken(session, record));
  {
    Query query(session, kReplaceToken);
    UseToken(query, record);
    if (query.Use(record.name).Use(replaced.hex()).Run() == 0) return NoSuchToken(record.name);
  }
  AppendChange(session, TokenTopic(record.name));
  return {};
}

Status RevokeToken(Session& session, const std::string& name, const Digest& secret) {
  {
    Query query(session, kRevokeToken);
    bool possible = IsUtf8(name) && !name.contains('\0');
    if (!possible || query.Use(name).Use(secret.hex()).Run() == 0) return NoSuchToken(name);
  }
  AppendChange(session, TokenTopic(name));
  return {};
}

Status TouchTokens(Session& session, const std::vector<Use>& uses, UnixSeconds every) {
  for (const Use& use : uses) {
    Query query(session, kTouchToken);
    query.Use(use.at).Use(use.digest.hex()).Use(use.at - every).Run();
  }
  return {};
}

Result<TokenRecord> FindToken(Session& session, const Digest& secret) {
  TokenRow row;
  Query query(session, kFindToken);
  query.Use(secret.hex());
  row.Bind(query);
  if (!query.Next()) return Fail(ErrorKind::kNotFound, "this token is not known here");
  return row.ToRecord();
}

Result<TokenRecord> FindTokenByStart(Session& session, const std::array<std::byte, 16>& start) {
  TokenRow row;
  const std::string from = HexEncode(start);
  Query query(session, kFindTokenByStart);
  query.Use(from).Use(from + "g");
  row.Bind(query);
  if (!query.Next()) return Fail(ErrorKind::kNotFound, "this token is not known here");
  return row.ToRecord();
}

Result<std::vector<TokenRecord>> ListTokens(Session& session) {
  std::vector<TokenRecord> records;
  TokenRow row;
  Query query(session, kListTokens);
  row.Bind(query);
  while (query.Next()) {
    ASSIGN_OR_RETURN(TokenRecord record, row.ToRecord());
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace

Task<void> SqlTokens::AddToken(TokenRecord record) {
  return transactions_.Write(&sql::AddToken, std::move(record));
}

Task<TokenRecord> SqlTokens::FindToken(Digest secret) {
  return transactions_.Read(&sql::FindToken, secret);
}

Task<TokenRecord> SqlTokens::FindTokenByStart(std::array<std::byte, 16> start) {
  return transactions_.Read(&sql::FindTokenByStart, start);
}

Task<std::vector<TokenRecord>> SqlTokens::ListTokens() {
  return transactions_.Read(&sql::ListTokens);
}

Task<void> SqlTokens::ReplaceToken(TokenRecord record, Digest replaced) {
  return transactions_.Write(&sql::ReplaceToken, std::move(record), replaced);
}

Task<void> SqlTokens::RevokeToken(std::string name, Digest secret) {
  return transactions_.Write(&sql::RevokeToken, std::move(name), secret);
}

Task<void> SqlTokens::TouchTokens(std::vector<Use> uses) {
  uses = uses_.LeftOf(std::move(uses));
  if (uses.empty()) co_return Status();
  Status status = co_await transactions_.Write(&sql::TouchTokens, uses, kTouchEvery);
  if (status) uses_.Note(uses);
  co_return status;
}

}  // namespace koya::sql
