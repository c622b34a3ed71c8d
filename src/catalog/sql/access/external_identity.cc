#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <span>
#include <utility>

#include "base/encoding.h"
#include "catalog/sql/access/access_catalog.h"
#include "catalog/sql/access/sign_in_catalog.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/audit_log.h"
#include "catalog/sql/engine/change_log.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "catalog/sql/engine/transaction.h"
#include "domain/audit_facts.h"
#include "domain/audit_record.h"
#include "domain/topic.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// In RecordIdentity, once all have had their turns.
constexpr Statement kFindProviderName{
    "find_identity_provider_name",
    "SELECT name FROM identity_provider WHERE name_key = :name_key {{for share}}"};
constexpr auto kFindIdentity =
    Sql("find_identity", "SELECT ", kSelect<kAccountColumns>,
        ", e.email FROM external_identity e JOIN account a ON a.id = e.account_id "
        "WHERE e.provider_key = :provider_key AND e.subject = :subject");
constexpr Statement kAddIdentity{
    "add_identity",
    "INSERT INTO external_identity (provider_key, subject, account_id, created_at, email) "
    "VALUES (:provider_key, :subject, :account_id, :created_at, NULLIF(:email, ''))"};
constexpr Statement kSetEmail{"set_email_of_identity",
                              "UPDATE external_identity SET email = NULLIF(:email, '') "
                              "WHERE provider_key = :provider_key AND subject = :subject"};
// Names go on with what follows "-" up to "."; nothing lies between the two in order.
constexpr Statement kFindTakenNames{
    "find_taken_names",
    "SELECT name_key FROM account WHERE kind = 'user' AND (name_key = :name_key OR "
    "(name_key > :from AND name_key < :to))"};
constexpr Statement kFindGroupsByProvider{
    "find_groups_by_provider",
    "SELECT g.name_key, g.name FROM group_member m JOIN account_group g ON "
    "g.name_key = m.group_key WHERE m.account_id = :account_id AND m.source = :source"};
constexpr Statement kFindGroups{
    "find_groups",
    "SELECT name_key, name FROM account_group JOIN {{elements of}} :keys {{end of elements}} "
    "ON element = name_key"};
constexpr Statement kEnterGroup{"enter_group_by_provider",
                                "INSERT INTO group_member (group_key, account_id, source) "
                                "VALUES (:group_key, :account_id, :source)"};
constexpr Statement kLeaveGroup{
    "leave_group_by_provider",
    "DELETE FROM group_member WHERE group_key = :group_key AND account_id = :account_id AND "
    "source = :source"};

// OpenID Connect Core §2: "sub" is at most 255 ASCII characters.
constexpr std::size_t kLongestSubject = 255;
// Longest part of a name before its number: names have 64 characters at most.
constexpr std::size_t kLongestStem = 56;

// 128 random bits, as text.
std::string NewAccountId() {
  std::random_device random;
  std::array<std::uint32_t, 4> words{};
  for (std::uint32_t& word : words) word = random();
  return Base64UrlEncode(std::as_bytes(std::span(words)));
}

Status CheckClaim(const IdentityClaim& claim) {
  RETURN_IF_ERROR(CheckStorable("the subject that the provider gives", claim.subject));
  RETURN_IF_ERROR(CheckStorable("the user's name", claim.wanted_name));
  RETURN_IF_ERROR(CheckStorable("the user's e-mail address", claim.email));
  for (const std::string& group : claim.groups) {
    RETURN_IF_ERROR(CheckStorable("the group's name", group));
  }
  if (!claim.subject.empty() && claim.subject.size() <= kLongestSubject) return {};
  return FailInvalid(
      "the sign-in provider's subject (\"sub\") has {} bytes, which must be 1 "
      "to {}: that provider does not follow OpenID Connect",
      claim.subject.size(), kLongestSubject);
}

Result<std::string> FindProviderName(Session& session, const std::string& provider) {
  std::string name;
  Query query(session, kFindProviderName);
  if (IsStorable(provider) && query.Use(AccountKey(provider)).Into(name).Next()) return name;
  return NoIdentityProvider(provider);
}

// `wanted`, or a free name of it with "-2", "-3", … appended.
std::string FindFreeName(Session& session, const std::string& wanted) {
  const std::string stem = wanted.substr(0, kLongestStem);
  std::set<std::string> taken;
  std::string key;
  Query query(session, kFindTakenNames);
  query.Use(AccountKey(wanted)).Use(AccountKey(stem) + "-").Use(AccountKey(stem) + ".").Into(key);
  while (query.Next()) taken.insert(key);
  std::string name = wanted;
  for (std::uint64_t number = 2; taken.contains(AccountKey(name)); ++number) {
    name = fmt::format("{}-{}", stem, number);
  }
  return name;
}

// The user's account here, and the address that it had until now.
struct KnownIdentity {
  AccountRecord account;
  std::string email;
};

// Who this subject is here, if they have signed in before.
Result<std::optional<KnownIdentity>> FindIdentity(Session& session, const IdentityClaim& claim) {
  std::optional<std::string> email;
  Query query(session, kFindIdentity);
  query.Use(AccountKey(claim.provider)).Use(claim.subject);
  RecordReader reader(query, kAccountColumns);
  query.Into(email);
  if (!query.Next()) return std::nullopt;
  ASSIGN_OR_RETURN(AccountRecord account, reader.Read());
  return KnownIdentity{.account = std::move(account), .email = email.value_or("")};
}

Result<KnownIdentity> AddIdentity(Session& session, const IdentityClaim& claim,
                                  const std::string& provider, UnixSeconds at) {
  AccountRecord account{.id = NewAccountId(),
                        .kind = AccountKind::kUser,
                        .name = FindFreeName(session, claim.wanted_name),
                        .admin = false,
                        .created_at = at,
                        .created_by = "oidc:" + provider,
                        .disabled_at = std::nullopt};
  RETURN_IF_ERROR(InsertAccount(session, account));
  Query query(session, kAddIdentity);
  query.Use(AccountKey(provider)).Use(claim.subject).Use(account.id).Use(at);
  query.Use(claim.email).Run();
  return KnownIdentity{.account = std::move(account), .email = claim.email};
}

// Groups' names by their keys.
using GroupNames = std::map<std::string, std::string>;

// Reads the remaining rows of a query whose values are all used.
GroupNames ReadGroups(Query& query) {
  GroupNames groups;
  std::string key, name;
  query.Into(key).Into(name);
  while (query.Next()) groups.emplace(key, name);
  return groups;
}

// Those that are there.
GroupNames FindGroups(Session& session, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::vector<std::string> keys;
  keys.reserve(names.size());
  for (const std::string& name : names) keys.push_back(AccountKey(name));
  Query query(session, kFindGroups);
  query.Use(JsonList(keys));
  return ReadGroups(query);
}

GroupNames GroupsByProvider(Session& session, const std::string& account_id,
                            const std::string& provider) {
  Query query(session, kFindGroupsByProvider);
  query.Use(account_id).Use(provider);
  return ReadGroups(query);
}

// Puts the account into these groups by the provider's word, and out of all others that it had
// said. Returns whether that changed anything.
bool SetGroups(Session& session, const Actor& by, const AccountRecord& account,
               const std::string& provider, const std::vector<std::string>& names) {
  const GroupNames wanted = FindGroups(session, names);
  const GroupNames held = GroupsByProvider(session, account.id, provider);
  if (wanted == held) return false;
  const MemberRecord member{account.kind, account.name, provider};
  for (const auto& [key, name] : wanted) {
    if (held.contains(key)) continue;
    Query(session, kEnterGroup).Use(key).Use(account.id).Use(provider).Run();
    RecordChange(session, by, MemberAdded(name, member));
  }
  for (const auto& [key, name] : held) {
    if (wanted.contains(key)) continue;
    Query(session, kLeaveGroup).Use(key).Use(account.id).Use(provider).Run();
    RecordChange(session, by, MemberRemoved(name, member));
  }
  return true;
}

std::string EmailFacts(const std::string& email) {
  AuditFacts facts;
  return email.empty() ? "" : facts.Add("email", email).ToJson();
}

// Replaces the address that the provider reported before.
void SetEmail(Session& session, const Actor& by, const KnownIdentity& known,
              const IdentityClaim& claim) {
  if (known.email == claim.email) return;
  Query query(session, kSetEmail);
  query.Use(claim.email).Use(AccountKey(claim.provider)).Use(claim.subject).Run();
  RecordChange(session, by,
               {.action = "account.email",
                .target = AuditTarget(known.account),
                .ns = {},
                .before = EmailFacts(known.email),
                .after = EmailFacts(claim.email)});
}

// A new user, as the audit log records it.
AuditedChange NewUser(const KnownIdentity& known, const std::string& provider,
                      const std::string& subject) {
  const AccountRecord& account = known.account;
  AuditFacts facts;
  facts.Add("id", account.id).Add("idp", provider).Add("subject", subject);
  if (!known.email.empty()) facts.Add("email", known.email);
  return {.action = "account.create",
          .target = AuditTarget(account),
          .ns = {},
          .before = {},
          .after = facts.ToJson()};
}

Result<AccountRecord> RecordIdentity(Session& session, Actor by, const IdentityClaim& claim,
                                     UnixSeconds at) {
  RETURN_IF_ERROR(CheckClaim(claim));
  LockAccess(session);
  ASSIGN_OR_RETURN(std::string provider, FindProviderName(session, claim.provider));
  ASSIGN_OR_RETURN(std::optional<KnownIdentity> known, FindIdentity(session, claim));
  const bool is_new = !known;
  if (is_new) {
    ASSIGN_OR_RETURN(known, AddIdentity(session, claim, provider, at));
  }
  by.name = AuditTarget(known->account);
  if (is_new) RecordChange(session, by, NewUser(*known, provider, claim.subject));
  SetEmail(session, by, *known, claim);
  const bool moved = SetGroups(session, by, known->account, provider, claim.groups);
  if (is_new || moved) AppendChange(session, std::string(kAccessTopic));
  return std::move(known->account);
}

}  // namespace

Task<AccountRecord> SqlIdentities::RecordIdentity(Actor by, IdentityClaim claim, UnixSeconds at) {
  return transactions_.Write(&sql::RecordIdentity, std::move(by), std::move(claim), at);
}

}  // namespace koya::sql
