#include "catalog/notification_catalog.h"

#include <utility>

#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/account_record.h"
#include "domain/audit_facts.h"
#include "domain/digest.h"
#include "domain/watch_record.h"

namespace koya::sql {
namespace {

constexpr Statement kLatestAuditId{"latest_audit_id", "SELECT COALESCE(MAX(id), 0) FROM audit"};
constexpr Statement kHasVersionChanges{
    "has_version_changes",
    "SELECT COUNT(*) FROM (SELECT 1 FROM audit WHERE id > :after AND "
    "(action LIKE 'module.%' OR action LIKE 'provider.%') LIMIT 1) changed"};
#define KOYA_ADDRESS_OF                                                                \
  "COALESCE(NULLIF(n.email, ''), (SELECT MIN(e.email) FROM external_identity e WHERE " \
  "e.account_id = a.id), '')"
constexpr Statement kListRecipients{
    "list_mail_recipients",
    "SELECT * FROM (SELECT a.id, a.name, COALESCE(a.language, ''), " KOYA_ADDRESS_OF
    " AS address, COALESCE(n.mailed_id, 0), COALESCE(n.digest_id, 0), COALESCE(n.digest_at, 0), "
    "COALESCE(n.reminded_at, 0) FROM account a LEFT JOIN notified_user n ON n.account_id = a.id "
    "WHERE a.kind = 'user' AND a.disabled_at IS NULL AND COALESCE(n.mail_ended, 0) = 0) r "
    "WHERE address <> '' ORDER BY id"};
constexpr Statement kSetMailMarks{
    "set_mail_marks",
    "INSERT INTO notified_user (account_id, mailed_id, digest_id, digest_at, reminded_at) "
    "SELECT id, CAST(:mailed_id AS BIGINT), CAST(:digest_id AS BIGINT), CAST(:digest_at AS "
    "BIGINT), CAST(:reminded_at AS BIGINT) FROM account WHERE id = :id "
    "ON CONFLICT (account_id) DO UPDATE SET mailed_id = excluded.mailed_id, "
    "digest_id = excluded.digest_id, digest_at = excluded.digest_at, "
    "reminded_at = excluded.reminded_at"};

constexpr Statement kFindMailAddress{
    "find_mail_address",
    "SELECT " KOYA_ADDRESS_OF
    ", COALESCE(n.asked_email, ''), COALESCE(n.asked_until, 0), "
    "COALESCE(n.mail_ended, 0) "
    "FROM account a LEFT JOIN notified_user n ON n.account_id = a.id WHERE a.id = :id"};
constexpr Statement kFindOwnEmail{"find_own_email",
                                  "SELECT email FROM notified_user WHERE account_id = :id"};
constexpr Statement kSetOwnEmail{
    "set_own_email",
    "INSERT INTO notified_user (account_id, email) VALUES (:id, :email) ON CONFLICT (account_id) "
    "DO UPDATE SET email = excluded.email, asked_email = '', asked_secret = '', asked_until = 0"};
constexpr Statement kAskEmail{
    "ask_email",
    "INSERT INTO notified_user (account_id, asked_email, asked_secret, asked_until) VALUES "
    "(:id, :email, :secret, :until) ON CONFLICT (account_id) DO UPDATE SET "
    "asked_email = excluded.asked_email, asked_secret = excluded.asked_secret, "
    "asked_until = excluded.asked_until"};
constexpr Statement kTakeAsked{
    "take_asked_email",
    "SELECT account_id, asked_email FROM notified_user WHERE asked_secret = :secret AND "
    "asked_secret <> '' AND asked_until > :now {{for update}}"};
constexpr Statement kSetMailEnded{
    "set_mail_ended",
    "INSERT INTO notified_user (account_id, mail_ended) SELECT id, CAST(:ended AS BIGINT) FROM "
    "account "
    "WHERE id = :id ON CONFLICT (account_id) DO UPDATE SET mail_ended = excluded.mail_ended"};
#undef KOYA_ADDRESS_OF

Result<std::uint64_t> LatestAuditId(Session& session) {
  std::int64_t id = 0;
  Query query(session, kLatestAuditId);
  query.Into(id).Next();
  return static_cast<std::uint64_t>(id);
}

Result<bool> HasVersionChanges(Session& session, std::uint64_t after) {
  std::int64_t count = 0;
  Query query(session, kHasVersionChanges);
  query.Use(static_cast<std::int64_t>(after)).Into(count).Next();
  return count > 0;
}

Result<std::vector<MailRecipient>> ListRecipients(Session& session) {
  std::vector<MailRecipient> recipients;
  MailRecipient each;
  std::int64_t mailed = 0, digest = 0, digest_at = 0, reminded_at = 0;
  Query query(session, kListRecipients);
  query.Into(each.account_id).Into(each.name).Into(each.language).Into(each.email);
  query.Into(mailed).Into(digest).Into(digest_at).Into(reminded_at);
  while (query.Next()) {
    each.marks = {.mailed_id = static_cast<std::uint64_t>(mailed),
                  .digest_id = static_cast<std::uint64_t>(digest),
                  .digest_at = digest_at,
                  .reminded_at = reminded_at};
    recipients.push_back(each);
  }
  return recipients;
}

Status SetMailMarks(Session& session, const std::string& account_id, const MailMarks& marks) {
  Query query(session, kSetMailMarks);
  query.Use(static_cast<std::int64_t>(marks.mailed_id));
  query.Use(static_cast<std::int64_t>(marks.digest_id)).Use(marks.digest_at);
  query.Use(marks.reminded_at).Use(account_id).Run();
  return {};
}

// ---- addresses

Result<MailAddress> FindMailAddress(Session& session, const std::string& account_id) {
  MailAddress address;
  std::int64_t ended = 0;
  Query query(session, kFindMailAddress);
  query.Use(account_id).Into(address.email).Into(address.asked);
  query.Into(address.asked_until).Into(ended);
  if (!query.Next()) return MailAddress();
  address.is_ended = ended != 0;
  return address;
}

std::string AddressFacts(const std::string& email) {
  AuditFacts facts;
  return email.empty() ? std::string() : facts.Add("email", email).ToJson();
}

Status PutEmail(Session& session, const Actor& by, const AccountRecord& account,
                const std::string& email) {
  std::string before;
  {
    Query query(session, kFindOwnEmail);
    query.Use(account.id).Into(before).Next();
  }
  Query query(session, kSetOwnEmail);
  query.Use(account.id).Use(email).Run();
  if (before == email) return {};
  RecordChange(session, by,
               {.action = "account.email",
                .target = AuditTarget(account),
                .ns = {},
                .before = AddressFacts(before),
                .after = AddressFacts(email)});
  return {};
}

Status SetEmail(Session& session, const Actor& by, const std::string& user,
                const std::string& email) {
  RETURN_IF_ERROR(CheckStorable("the user's e-mail address", email));
  ASSIGN_OR_RETURN(AccountRecord account, HoldUser(session, user));
  return PutEmail(session, by, account, email);
}

Status AskEmail(Session& session, const std::string& account_id, const std::string& email,
                const Digest& secret, UnixSeconds until) {
  RETURN_IF_ERROR(CheckStorable("the user's e-mail address", email));
  RETURN_IF_ERROR(HoldAccount(session, account_id, "the address"));
  Query query(session, kAskEmail);
  query.Use(account_id).Use(email).Use(secret.hex()).Use(until).Run();
  return {};
}

Result<std::string> ConfirmEmail(Session& session, Actor by, const Digest& secret,
                                 UnixSeconds now) {
  std::string account_id, email;
  bool found = false;
  {
    Query query(session, kTakeAsked);
    found = query.Use(secret.hex()).Use(now).Into(account_id).Into(email).Next();
  }
  if (!found) {
    return FailNotFound("this link has been used, or has expired: enter the address again");
  }
  ASSIGN_OR_RETURN(AccountRecord account, HoldAccount(session, account_id, "the address"));
  by.name = AuditTarget(account);
  RETURN_IF_ERROR(PutEmail(session, by, account, email));
  return email;
}

Status SetMailEnded(Session& session, const std::string& account_id, bool is_ended) {
  Query query(session, kSetMailEnded);
  query.Use(std::int64_t{is_ended}).Use(account_id).Run();
  return {};
}

}  // namespace
}  // namespace koya::sql

namespace koya {

Task<std::uint64_t> MailCatalog::LatestAuditId() { return transactions_.Read(&sql::LatestAuditId); }

Task<bool> MailCatalog::HasVersionChanges(std::uint64_t after) {
  return transactions_.Read(&sql::HasVersionChanges, after);
}

Task<std::vector<MailRecipient>> MailCatalog::ListRecipients() {
  return transactions_.Read(&sql::ListRecipients);
}

Task<void> MailCatalog::SetMailMarks(std::string account_id, MailMarks marks) {
  return transactions_.Write(&sql::SetMailMarks, std::move(account_id), marks);
}

Task<MailAddress> MailCatalog::FindMailAddress(std::string account_id) {
  return transactions_.Read(&sql::FindMailAddress, std::move(account_id));
}

Task<void> MailCatalog::SetEmail(Actor by, std::string user, std::string email) {
  return transactions_.Write(&sql::SetEmail, std::move(by), std::move(user), std::move(email));
}

Task<void> MailCatalog::AskEmail(std::string account_id, std::string email, Digest secret,
                                 UnixSeconds until) {
  return transactions_.Write(&sql::AskEmail, std::move(account_id), std::move(email), secret,
                             until);
}

Task<std::string> MailCatalog::ConfirmEmail(Actor by, Digest secret, UnixSeconds now) {
  return transactions_.Write(&sql::ConfirmEmail, std::move(by), secret, now);
}

Task<void> MailCatalog::SetMailEnded(std::string account_id, bool is_ended) {
  return transactions_.Write(&sql::SetMailEnded, std::move(account_id), is_ended);
}

}  // namespace koya
