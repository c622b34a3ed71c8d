#include "catalog/sql/access/sign_in_catalog.h"

#include <fmt/format.h>

#include <utility>

#include "base/encoding.h"
#include "base/text.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/columns.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/credential_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

constexpr auto kSessionColumns = Columns<SessionRecord>(
    [] { return SessionRecord{.secret = Blank()}; }, Column<&SessionRecord::secret>("s.secret"),
    Column<&SessionRecord::id>("s.id"), Column<&SessionRecord::account_id>("s.account_id"),
    ReadColumn<&SessionRecord::user>("a.name"), Column<&SessionRecord::method>("s.method"),
    Column<&SessionRecord::address>("s.address"),
    Column<&SessionRecord::user_agent>("s.user_agent"),
    Column<&SessionRecord::created_at>("s.created_at"),
    Column<&SessionRecord::expires_at>("s.expires_at"),
    Column<&SessionRecord::last_used_at>("s.last_used_at"));

constexpr auto kAddSession = Sql("add_session", "INSERT INTO session (provider_key, ",
                                 kNames<kSessionColumns>, ") VALUES (NULLIF(:provider_key, ''), ",
                                 kValues<kSessionColumns>, ") ON CONFLICT DO NOTHING");
constexpr auto kReadSession = Join("SELECT ", kSelect<kSessionColumns>,
                                   " FROM session s JOIN account a ON a.id = s.account_id ");
constexpr auto kFindSession = Sql("find_session", kReadSession, "WHERE s.secret = :secret");
// Secrets are lower-case hex: what begins with 32 digits lies between them and them with a "g".
constexpr auto kFindSessionByStart =
    Sql("find_session_by_start", kReadSession, "WHERE s.secret > :from AND s.secret < :to");
constexpr auto kListSessions = Sql("list_sessions", kReadSession,
                                   "WHERE s.expires_at > :now "
                                   "ORDER BY s.created_at DESC, s.id LIMIT 1000");
constexpr auto kListSessionsOf = Sql("list_sessions_of_account", kReadSession,
                                     "WHERE s.account_id = :account_id AND s.expires_at > :now "
                                     "ORDER BY s.created_at DESC, s.id LIMIT 1000");
constexpr auto kFindSessionById = Sql("find_session_by_id", kReadSession, "WHERE s.id = :id");
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
  UseRecord(query.Use(provider), kSessionColumns, record);
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
  RecordReader reader(query, kSessionColumns);
  if (!query.Next()) return NoSession();
  return reader.Read();
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
  if (!IsStorable(account_id)) return std::vector<SessionRecord>();
  Query query(session, account_id.empty() ? Statement(kListSessions) : kListSessionsOf);
  if (!account_id.empty()) query.Use(account_id);
  query.Use(now);
  return ReadRecords(query, kSessionColumns);
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

constexpr auto kCodeColumns = Columns<LoginCodeRecord>(
    [] { return LoginCodeRecord{.secret = Blank()}; }, Column<&LoginCodeRecord::secret>("secret"),
    Column<&LoginCodeRecord::account_id>("account_id"),
    Column<&LoginCodeRecord::client_id>("client_id"),
    Column<&LoginCodeRecord::redirect_uri>("redirect_uri"),
    Column<&LoginCodeRecord::challenge>("challenge"), Column<&LoginCodeRecord::scope>("scope"),
    Column<&LoginCodeRecord::expires_at>("expires_at"));
constexpr auto kAddLoginCode =
    Sql("add_login_code", "INSERT INTO login_code (", kNames<kCodeColumns>, ") VALUES (",
        kValues<kCodeColumns>, ") ON CONFLICT DO NOTHING");
// One statement, so that of two who bring the same code one gets it.
constexpr auto kTakeLoginCode =
    Sql("take_login_code", "DELETE FROM login_code WHERE secret = :secret RETURNING ",
        kSelect<kCodeColumns>);

Status AddLoginCode(Session& session, const LoginCodeRecord& code) {
  RETURN_IF_ERROR(CheckStorable("the client's ID", code.client_id));
  RETURN_IF_ERROR(CheckStorable("the address to return to", code.redirect_uri));
  RETURN_IF_ERROR(CheckStorable("the code's challenge", code.challenge));
  RETURN_IF_ERROR(HoldAccount(session, code.account_id, "the code"));
  Query query(session, kAddLoginCode);
  if (UseRecord(query, kCodeColumns, code).Run() != 0) return {};
  return FailConflict("this code already exists: sign in again");
}

Result<LoginCodeRecord> TakeLoginCode(Session& session, const Digest& secret) {
  Query query(session, kTakeLoginCode);
  query.Use(secret.hex());
  RecordReader reader(query, kCodeColumns);
  if (query.Next()) return reader.Read();
  return FailNotFound("this code is unknown, was already used, or has expired: sign in again");
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
