// Accounts as pages list them: a page is cut before anything is looked up for it.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "catalog/sql/access/access_catalog.h"
#include "catalog/sql/engine/account_row.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/text_column.h"
#include "domain/account_record.h"
#include "domain/use.h"

namespace koya::sql {
namespace {

// The conditions and the order of the page stand between the two.
constexpr auto kSummaryBegin =
    Join("SELECT ", kSelect<kAccountColumns>,
         ", (SELECT COUNT(*) FROM account_password w WHERE w.account_id = a.id), "
         "(SELECT MIN(p.name) FROM external_identity e JOIN identity_provider p "
         "ON p.name_key = e.provider_key WHERE e.account_id = a.id), "
         "COALESCE((SELECT NULLIF(n.email, '') FROM notified_user n WHERE n.account_id = a.id), "
         "(SELECT MIN(e.email) FROM external_identity e WHERE e.account_id = a.id)), "
         "(SELECT MAX(s.last_used_at) FROM session s WHERE s.account_id = a.id), "
         "(SELECT MAX(t.last_used_at) FROM token t WHERE t.account_id = a.id), "
         "(SELECT COUNT(DISTINCT m.group_key) FROM group_member m WHERE m.account_id = a.id), "
         "(SELECT COUNT(*) FROM token t WHERE t.account_id = a.id) "
         "FROM (SELECT b.* FROM account b WHERE b.kind = :kind");
constexpr std::string_view kSummaryEnd = ") a ORDER BY a.name_key";
constexpr std::string_view kIsNamed = " AND b.name_key = :name_key";
constexpr std::string_view kAccountsPage = " ORDER BY b.name_key LIMIT :limit OFFSET :offset";

// The first few of each account.
constexpr Statement kFirstGroups{
    "first_groups_of_accounts",
    "SELECT placed.account_id, placed.name FROM (SELECT m.account_id, g.name, g.name_key, "
    "ROW_NUMBER() OVER (PARTITION BY m.account_id ORDER BY g.name_key) AS place FROM "
    "(SELECT DISTINCT k.account_id, k.group_key FROM group_member k WHERE k.account_id "
    "{{is among}}SELECT element FROM {{elements of}} :ids {{end of elements}}{{end of among}}) m "
    "JOIN account_group g ON g.name_key = m.group_key) placed WHERE placed.place <= :most "
    "ORDER BY placed.account_id, placed.name_key"};
constexpr Statement kGroupsOf{
    "list_groups_by_account",
    "SELECT DISTINCT g.name, g.name_key FROM account a JOIN group_member m ON m.account_id = a.id "
    "JOIN account_group g ON g.name_key = m.group_key "
    "WHERE a.kind = :kind AND a.name_key = :name_key ORDER BY g.name_key"};
constexpr Statement kListEmails{
    "list_emails",
    "SELECT n.account_id, n.email FROM notified_user n WHERE n.email <> '' UNION ALL "
    "SELECT e.account_id, MIN(e.email) FROM external_identity e WHERE e.email IS NOT NULL AND "
    "NOT EXISTS (SELECT 1 FROM notified_user n WHERE n.account_id = e.account_id AND "
    "n.email <> '') GROUP BY e.account_id"};
constexpr Statement kCountAccess{
    "count_access",
    "SELECT (SELECT COUNT(*) FROM account WHERE kind = 'user'), "
    "(SELECT COUNT(*) FROM account WHERE kind = 'user' AND admin = 1 AND disabled_at IS NULL), "
    "(SELECT COUNT(*) FROM account WHERE kind = 'user' AND disabled_at IS NOT NULL), "
    "(SELECT COUNT(*) FROM account WHERE kind = 'service'), "
    "(SELECT COUNT(*) FROM account_group)"};

void AddFirstGroups(Session& session, std::vector<AccountSummary>& summaries) {
  std::map<std::string_view, AccountSummary*> by_id;
  std::vector<std::string> ids;
  for (AccountSummary& each : summaries) {
    if (each.group_count == 0) continue;
    by_id[each.account.id] = &each;
    ids.push_back(each.account.id);
  }
  if (ids.empty()) return;
  const std::string list = JsonList(ids);
  std::string id, name;
  Query query(session, kFirstGroups);
  query.Use(list).Use(static_cast<std::int64_t>(AccountSummary::kMostGroups));
  query.Into(id).Into(name);
  while (query.Next()) {
    auto found = by_id.find(id);
    if (found != by_id.end()) found->second->groups.push_back(name);
  }
}

Result<std::vector<AccountSummary>> ReadSummaries(Query& query) {
  std::vector<AccountSummary> summaries;
  std::int64_t passwords = 0, groups = 0, tokens = 0;
  std::optional<std::string> provider, email;
  std::optional<std::int64_t> session_used_at, token_used_at;
  RecordReader account(query, kAccountColumns);
  query.Into(passwords).Into(provider).Into(email);
  query.Into(session_used_at).Into(token_used_at).Into(groups).Into(tokens);
  while (query.Next()) {
    ASSIGN_OR_RETURN(AccountRecord record, account.Read());
    summaries.push_back({.account = std::move(record),
                         .has_password = passwords > 0,
                         .provider = provider.value_or(""),
                         .email = email.value_or(""),
                         .last_used_at = std::max(session_used_at, token_used_at),
                         .groups = {},
                         .group_count = static_cast<std::uint64_t>(groups),
                         .token_count = static_cast<std::uint64_t>(tokens)});
  }
  return summaries;
}

Result<Page<AccountSummary>> BrowseAccounts(Session& session, const AccountFilter& filter,
                                            const PageRequest& page) {
  Page<AccountSummary> result;
  if (!IsStorable(filter.query)) return result;  // matches nothing
  const std::vector<std::string> words = SearchWords(filter.query);
  std::string text(kSummaryBegin);
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += fmt::format(" AND b.name_key LIKE :word{} ESCAPE '\\'", i);
  }
  text.append(kAccountsPage).append(kSummaryEnd);
  const std::uint64_t limit = std::min(page.limit, kLongestPage);
  constexpr auto kEnd = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  {
    Query query(session, Statement{"browse_accounts", text});
    query.Use(AccountKindName(filter.kind));
    for (const std::string& word : words) query.Use(Containing(word));
    query.Use(static_cast<std::int64_t>(limit + 1));
    query.Use(static_cast<std::int64_t>(std::min(page.offset, kEnd)));
    ASSIGN_OR_RETURN(result.items, ReadSummaries(query));
  }
  result.more = result.items.size() > limit;
  if (result.more) result.items.resize(limit);
  AddFirstGroups(session, result.items);
  return result;
}

Result<AccountSummary> SummariseAccount(Session& session, AccountKind kind,
                                        const std::string& name) {
  if (!IsStorable(name)) return NoAccount(kind, name);
  std::string text(kSummaryBegin);
  text.append(kIsNamed).append(kSummaryEnd);
  std::vector<AccountSummary> found;
  {
    Query query(session, Statement{"summarise_account", text});
    query.Use(AccountKindName(kind)).Use(AccountKey(name));
    ASSIGN_OR_RETURN(found, ReadSummaries(query));
  }
  if (found.empty()) return NoAccount(kind, name);
  AddFirstGroups(session, found);
  return std::move(found.front());
}

Result<std::map<std::string, std::string>> ListEmails(Session& session) {
  std::map<std::string, std::string> emails;
  std::string id, email;
  Query query(session, kListEmails);
  query.Into(id).Into(email);
  while (query.Next()) emails.emplace(id, email);
  return emails;
}

Result<AccessCounts> CountAccess(Session& session) {
  std::int64_t users = 0, administrators = 0, disabled = 0, services = 0, groups = 0;
  Query query(session, kCountAccess);
  query.Into(users).Into(administrators).Into(disabled).Into(services).Into(groups).Next();
  return AccessCounts{.users = static_cast<std::uint64_t>(users),
                      .administrators = static_cast<std::uint64_t>(administrators),
                      .disabled = static_cast<std::uint64_t>(disabled),
                      .services = static_cast<std::uint64_t>(services),
                      .groups = static_cast<std::uint64_t>(groups)};
}

Result<std::vector<std::string>> ListGroupsByAccount(Session& session, AccountKind kind,
                                                     const std::string& name) {
  std::vector<std::string> groups;
  if (!IsStorable(name)) return groups;
  std::string group, key;
  Query query(session, kGroupsOf);
  query.Use(AccountKindName(kind)).Use(AccountKey(name)).Into(group).Into(key);
  while (query.Next()) groups.push_back(group);
  return groups;
}

}  // namespace

}  // namespace koya::sql

namespace koya {

Task<Page<AccountSummary>> AccountCatalog::BrowseAccounts(AccountFilter filter, PageRequest page) {
  return transactions_.Read(&sql::BrowseAccounts, std::move(filter), page);
}

Task<AccountSummary> AccountCatalog::SummariseAccount(AccountKind kind, std::string name) {
  return transactions_.Read(&sql::SummariseAccount, kind, std::move(name));
}

Task<std::map<std::string, std::string>> AccountCatalog::ListEmails() {
  return transactions_.Read(&sql::ListEmails);
}

Task<AccessCounts> AccountCatalog::CountAccess() { return transactions_.Read(&sql::CountAccess); }

Task<std::vector<std::string>> AccountCatalog::ListGroupsOf(AccountKind kind, std::string name) {
  return transactions_.Read(&sql::ListGroupsByAccount, kind, std::move(name));
}

}  // namespace koya
