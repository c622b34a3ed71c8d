#include "catalog/sql/access/session_catalog.h"

#include <fmt/format.h>

#include <utility>

#include "base/hex.h"
#include "base/text.h"
#include "catalog/sql/access/identity_catalog.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/module_version_row.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/credential_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

#define KOYA_SESSION_READ                                                               \
  "SELECT s.secret, s.id, s.account_id, a.name, s.method, s.address, s.user_agent, "    \
  "s.created_at, s.expires_at, s.last_used_at FROM session s JOIN account a ON a.id = " \
  "s.account_id "

constexpr Statement kAddSession{
    "add_session",
    "INSERT INTO session (secret, id, account_id, provider_key, method, address, user_agent, "
    "created_at, expires_at, last_used_at) VALUES (:secret, :id, :account_id, "
    "NULLIF(:provider_key, ''), :method, :address, :user_agent, :created_at, :expires_at, "
    ":last_used_at) ON CONFLICT DO NOTHING"};
constexpr Statement kFindSession{"find_session", KOYA_SESSION_READ "WHERE s.secret = :secret"};
// Secrets are lower-case hex: what begins with 32 digits lies between them and them with a "g".
constexpr Statement kFindSessionByStart{
    "find_session_by_start", KOYA_SESSION_READ "WHERE s.secret > :from AND s.secret < :to"};
constexpr Statement kListSessions{"list_sessions", KOYA_SESSION_READ
                                  "WHERE s.expires_at > :now "
                                  "ORDER BY s.created_at DESC, s.id LIMIT 1000"};
constexpr Statement kListSessionsOf{"list_sessions_of_account", KOYA_SESSION_READ
                                    "WHERE s.account_id = :account_id AND s.expires_at > :now "
                                    "ORDER BY s.created_at DESC, s.id LIMIT 1000"};
constexpr Statement kFindSessionById{"find_session_by_id", KOYA_SESSION_READ "WHERE s.id = :id"};
constexpr Statement kEndSession{"end_session", "DELETE FROM session WHERE id = :id"};
constexpr Statement kEndSessionsOf{"end_sessions_of_account",
                                   "DELETE FROM session WHERE account_id = :account_id"};
constexpr Statement kTouchSession{"touch_session",
                                  "UPDATE session SET last_used_at = :at WHERE secret = :secret "
                                  "AND (last_used_at IS NULL OR last_used_at <= :before OR "
                                  "last_used_at > {{now}})"};
// What another server removes at this moment, or is using, is left to the next time.
constexpr Statement kRemoveExpiredSessions{
    "remove_expired_sessions",
    "DELETE FROM session WHERE secret IN (SELECT secret FROM session WHERE expires_at <= :now "
    "{{for update skip locked}})"};
constexpr Statement kRemoveExpiredCodes{
    "remove_expired_codes",
    "DELETE FROM login_code WHERE secret IN (SELECT secret FROM login_code WHERE "
    "expires_at <= :now {{for update skip locked}})"};
// Those of CI alone: of others their makers want to know that they have expired.
constexpr Statement kRemoveExpiredCiTokens{
    "remove_expired_ci_tokens",
    "DELETE FROM token WHERE secret IN (SELECT secret FROM token WHERE provenance IS NOT NULL AND "
    "expires_at <= :before {{for update skip locked}})"};
constexpr Statement kRemoveUsedJobTokens{"remove_used_job_tokens",
                                         "DELETE FROM used_job_token WHERE expires_at <= :before"};
constexpr UnixSeconds kCiTokensShown = 86'400;  // seconds after their end

struct SessionRow {
  SessionRecord record{.secret = Digest(Sha256Bytes{})};
  std::string secret;

  void Bind(Query& query) {
    query.Into(secret).Into(record.id).Into(record.account_id).Into(record.user);
    query.Into(record.method).Into(record.address).Into(record.user_agent);
    query.Into(record.created_at).Into(record.expires_at).Into(record.last_used_at);
  }

  Result<SessionRecord> ToRecord() const {
    SessionRecord copy = record;
    Result<Digest> digest = Digest::Parse(secret);
    if (!digest) return Failure(StrangeRow(digest.error()));
    copy.secret = *digest;
    return copy;
  }
};

Failure NoSession() { return FailNotFound("this session is unknown, or has expired"); }

Status CheckSession(const SessionRecord& record) {
  RETURN_IF_ERROR(CheckStorable("the session's ID", record.id));
  RETURN_IF_ERROR(CheckStorable("the way to sign in", record.method));
  RETURN_IF_ERROR(CheckStorable("the browser's address", record.address));
  return CheckStorable("the browser's name", record.user_agent);
}

// The sign-in provider's key; "" for a session that began here.
Result<std::string> HoldProviderOf(Session& session, const SessionRecord& record) {
  constexpr std::string_view kElsewhere = "oidc:";
  if (!record.method.starts_with(kElsewhere)) return std::string();
  return HoldIdentityProvider(session, std::string_view(record.method).substr(kElsewhere.size()));
}

// Describes a session for the audit log, without its secret.
std::string SessionFacts(const SessionRecord& record) {
  AuditFacts facts;
  facts.Add("session", record.id).Add("method", record.method);
  return facts.Add("expires", FormatRfc3339(record.expires_at)).ToJson();
}

Status AddSession(Session& session, Actor by, const SessionRecord& record) {
  RETURN_IF_ERROR(CheckSession(record));
  ASSIGN_OR_RETURN(AccountRecord account, HoldAccount(session, record.account_id, "the session"));
  ASSIGN_OR_RETURN(std::string provider, HoldProviderOf(session, record));
  Query query(session, kAddSession);
  query.Use(record.secret.hex()).Use(record.id).Use(record.account_id).Use(provider);
  query.Use(record.method).Use(record.address).Use(record.user_agent);
  query.Use(record.created_at).Use(record.expires_at).Use(record.last_used_at);
  if (query.Run() == 0) {
    return FailConflict("there is already a session with this secret or ID: sign in again");
  }
  by.name = AuditTarget(account);
  RecordChange(session, by,
               {.action = "session.start",
                .target = AuditTarget(account),
                .ns = {},
                .before = {},
                .after = SessionFacts(record)});
  return {};
}

// Reads the remaining rows of a query whose values are all used.
Result<SessionRecord> ReadSession(Query& query) {
  SessionRow row;
  row.Bind(query);
  if (!query.Next()) return NoSession();
  return row.ToRecord();
}

Result<SessionRecord> FindSession(Session& session, const Digest& secret) {
  Query query(session, kFindSession);
  query.Use(secret.hex());
  return ReadSession(query);
}

Result<SessionRecord> FindSessionByStart(Session& session, const std::array<std::byte, 16>& start) {
  const std::string from = HexEncode(start);
  Query query(session, kFindSessionByStart);
  query.Use(from).Use(from + "g");
  return ReadSession(query);
}

Result<std::vector<SessionRecord>> ListSessions(Session& session, const std::string& account_id,
                                                UnixSeconds now) {
  std::vector<SessionRecord> sessions;
  if (!IsStorable(account_id)) return sessions;
  SessionRow row;
  Query query(session, account_id.empty() ? kListSessions : kListSessionsOf);
  if (!account_id.empty()) query.Use(account_id);
  query.Use(now);
  row.Bind(query);
  while (query.Next()) {
    ASSIGN_OR_RETURN(SessionRecord record, row.ToRecord());
    sessions.push_back(std::move(record));
  }
  return sessions;
}

Failure NoSessionOf(const std::string& id) {
  return FailNotFound("there is no session \"{}\" (any longer): list the sessions to see their IDs",
                      Printable(id));
}

Result<SessionRecord> FindSessionById(Session& session, const std::string& id) {
  if (!IsStorable(id)) return NoSessionOf(id);
  Query query(session, kFindSessionById);
  query.Use(id);
  return ReadSession(query);
}

Status EndSession(Session& session, const Actor& by, const std::string& id,
                  const std::string& account_id) {
  Result<SessionRecord> ended = FindSessionById(session, id);
  const bool missing = !ended && ended.error().kind == ErrorKind::kNotFound;
  if (!ended && !missing) return Failure(std::move(ended).error());
  const bool theirs = !missing && (account_id.empty() || ended->account_id == account_id);
  // Another request may have ended it since.
  if (!theirs || Query(session, kEndSession).Use(id).Run() == 0) return NoSessionOf(id);
  RecordChange(session, by,
               {.action = "session.end",
                .target = fmt::format("user:{}", ended->user),
                .ns = {},
                .before = SessionFacts(*ended),
                .after = {}});
  AppendChange(session, std::string(kAccessTopic));
  return {};
}

Result<std::uint64_t> EndSessionsOf(Session& session, const Actor& by, const std::string& user) {
  ASSIGN_OR_RETURN(AccountRecord account, HoldUser(session, user));
  const std::int64_t ended = Query(session, kEndSessionsOf).Use(account.id).Run();
  if (ended == 0) return 0U;
  AuditFacts facts;
  RecordChange(session, by,
               {.action = "session.end",
                .target = AuditTarget(account),
                .ns = {},
                .before = facts.Add("sessions", ended).ToJson(),
                .after = {}});
  AppendChange(session, std::string(kAccessTopic));
  return static_cast<std::uint64_t>(ended);
}

Status TouchSessions(Session& session, const std::vector<Use>& uses, UnixSeconds every) {
  for (const Use& use : uses) {
    Query query(session, kTouchSession);
    query.Use(use.at).Use(use.digest.hex()).Use(use.at - every).Run();
  }
  return {};
}

Result<std::uint64_t> RemoveExpiredSignIns(Session& session, UnixSeconds now) {
  std::int64_t removed = Query(session, kRemoveExpiredSessions).Use(now).Run();
  removed += Query(session, kRemoveExpiredCodes).Use(now).Run();
  removed += Query(session, kRemoveExpiredCiTokens).Use(now - kCiTokensShown).Run();
  removed += Query(session, kRemoveUsedJobTokens).Use(now).Run();
  return static_cast<std::uint64_t>(removed);
}

}  // namespace

Task<void> SqlSessions::AddSession(Actor by, SessionRecord session) {
  return transactions_.Write(&sql::AddSession, std::move(by), std::move(session));
}

Task<SessionRecord> SqlSessions::FindSession(Digest secret) {
  return transactions_.Read(&sql::FindSession, secret);
}

Task<SessionRecord> SqlSessions::FindSessionByStart(std::array<std::byte, 16> start) {
  return transactions_.Read(&sql::FindSessionByStart, start);
}

Task<std::vector<SessionRecord>> SqlSessions::ListSessions(std::string account_id,
                                                           UnixSeconds now) {
  return transactions_.Read(&sql::ListSessions, std::move(account_id), now);
}

Task<void> SqlSessions::EndSession(Actor by, std::string id, std::string account_id) {
  return transactions_.Write(&sql::EndSession, std::move(by), std::move(id), std::move(account_id));
}

Task<std::uint64_t> SqlSessions::EndSessionsOf(Actor by, std::string user) {
  return transactions_.Write(&sql::EndSessionsOf, std::move(by), std::move(user));
}

Task<void> SqlSessions::TouchSessions(std::vector<Use> uses) {
  uses = uses_.LeftOf(std::move(uses));
  if (uses.empty()) co_return Status();
  Status status = co_await transactions_.Write(&sql::TouchSessions, uses, kTouchEvery);
  if (status) uses_.RecordUse(uses);
  co_return status;
}

Task<std::uint64_t> SqlSessions::RemoveExpiredSignIns(UnixSeconds now) {
  return transactions_.Write(&sql::RemoveExpiredSignIns, now);
}

namespace {

constexpr Statement kAddLoginCode{
    "add_login_code",
    "INSERT INTO login_code (secret, account_id, client_id, redirect_uri, challenge, scope, "
    "expires_at) VALUES (:secret, :account_id, :client_id, :redirect_uri, :challenge, :scope, "
    ":expires_at) ON CONFLICT DO NOTHING"};
// One statement, so that of two who bring the same code one gets it.
constexpr Statement kTakeLoginCode{
    "take_login_code",
    "DELETE FROM login_code WHERE secret = :secret RETURNING account_id, client_id, redirect_uri, "
    "challenge, scope, expires_at"};

Status AddLoginCode(Session& session, const LoginCodeRecord& code) {
  RETURN_IF_ERROR(CheckStorable("the client's ID", code.client_id));
  RETURN_IF_ERROR(CheckStorable("the address to return to", code.redirect_uri));
  RETURN_IF_ERROR(CheckStorable("the code's challenge", code.challenge));
  RETURN_IF_ERROR(HoldAccount(session, code.account_id, "the code"));
  Query query(session, kAddLoginCode);
  query.Use(code.secret.hex()).Use(code.account_id).Use(code.client_id).Use(code.redirect_uri);
  query.Use(code.challenge).Use(ScopeName(code.scope)).Use(code.expires_at);
  if (query.Run() != 0) return {};
  return FailConflict("this code already exists: sign in again");
}

Result<LoginCodeRecord> TakeLoginCode(Session& session, const Digest& secret) {
  LoginCodeRecord code{.secret = secret};
  std::string scope;
  Query query(session, kTakeLoginCode);
  query.Use(secret.hex()).Into(code.account_id).Into(code.client_id).Into(code.redirect_uri);
  query.Into(code.challenge).Into(scope).Into(code.expires_at);
  if (!query.Next()) {
    return FailNotFound("this code is unknown, was already used, or has expired: sign in again");
  }
  std::optional<Scope> parsed = ParseScope(scope);
  if (!parsed) return Failure(StrangeRow({ErrorKind::kCorrupt, "code's scope " + scope, {}}));
  code.scope = *parsed;
  return code;
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<void> LoginCodeCatalog::AddLoginCode(LoginCodeRecord code) {
  return transactions_.Write(&sql::AddLoginCode, std::move(code));
}

Task<LoginCodeRecord> LoginCodeCatalog::TakeLoginCode(Digest secret) {
  return transactions_.Write(&sql::TakeLoginCode, secret);
}

}  // namespace koya
