// What the suites about namespaces, grants and accounts share. See catalog_suite_base.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/access_catalog.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/change_log.h"
#include "catalog/token_catalog.h"
#include "domain/access.h"
#include "domain/account_record.h"
#include "domain/credential_record.h"
#include "domain/digest.h"
#include "domain/namespace_record.h"

namespace koya {

// A user, unless said otherwise.
inline AccountRecord SampleAccount(std::string name, AccountKind kind = AccountKind::kUser) {
  return {.id = "id of " + std::string(AccountKindName(kind)) + " " + name,
          .kind = kind,
          .name = std::move(name),
          .admin = false,
          .created_at = kSuiteNow,
          .created_by = "admin",
          .disabled_at = std::nullopt};
}

// `account_id` "": a token of its own.
inline TokenRecord SampleToken(std::string name, std::string account_id = "") {
  return {.name = name,
          .secret = Digest::Of("secret of " + name),
          .scope = Scope::kPublish,
          .namespaces = {},
          .account_id = std::move(account_id),
          .created_at = kSuiteNow,
          .created_by = "admin",
          .expires_at = std::nullopt,
          .last_used_at = std::nullopt};
}

// A token that may do everything, as one of an earlier version.
inline TokenRecord UnlimitedToken() {
  TokenRecord token = SampleToken("root");
  token.scope = Scope::kAdmin;
  return token;
}

inline GrantRecord SampleGrant(std::string ns, GranteeKind kind, std::string grantee, Role role) {
  return {.ns = std::move(ns),
          .kind = kind,
          .grantee = std::move(grantee),
          .role = role,
          .granted_at = kSuiteNow,
          .granted_by = "admin"};
}

// Texts that no database keeps, and names that would do harm to who pastes them into a statement.
inline const Texts kUnstorable{"\xff", std::string("a\0b", 3), "cut \xc3"};
inline const Texts kUnowned{"nobody", "", "%", "_nn", "an", "ann ", "'; DROP TABLE account; --"};

// May read what all callers may, and `named`.
inline ReadableNamespaces Stranger(Texts named = {}) {
  return {.everything = false, .internal = false, .named = std::move(named)};
}
inline ReadableNamespaces Insider(Texts named = {}) {
  return {.everything = false, .internal = true, .named = std::move(named)};
}

class AccessSuiteBase : public CatalogSuiteBase {
 protected:
  template <class T>
  static void ExpectDone(const Result<T>& result) {
    EXPECT_TRUE(result) << result.error().message << result.error().detail;
  }

  void AddUser(const std::string& name) { Add(SampleAccount(name)); }
  void AddService(const std::string& name) { Add(SampleAccount(name, AccountKind::kService)); }
  void AddAdministrator(const std::string& name) {
    AccountRecord account = SampleAccount(name);
    account.admin = true;
    Add(std::move(account));
  }
  void Add(AccountRecord account) {
    ExpectDone(RunTask(accounts().AddAccount(Tester(), std::move(account))));
  }
  void AddGroup(const std::string& name) {
    ExpectDone(RunTask(accounts().AddGroup(
        Tester(), GroupRecord{.name = name, .created_at = kSuiteNow, .created_by = "admin"})));
  }
  // A user, by an administrator.
  void AddMember(const std::string& group, const std::string& user) {
    ExpectDone(
        RunTask(accounts().AddMember(Tester(), group, MemberRecord{AccountKind::kUser, user, ""})));
  }
  bool AddNamespace(const std::string& name, Visibility visibility = Visibility::kPrivate) {
    auto added = RunTask(namespaces().AddNamespace(
        Tester(),
        NamespaceRecord{
            .name = name, .visibility = visibility, .created_at = kSuiteNow, .created_by = "ann"}));
    ExpectDone(added);
    return added.value_or(false);
  }
  void Grant(const std::string& ns, GranteeKind kind, const std::string& grantee, Role role) {
    ExpectDone(RunTask(namespaces().PutGrant(Tester(), SampleGrant(ns, kind, grantee, role))));
  }
  void AddToken(TokenRecord token) {
    ExpectDone(RunTask(tokens().AddToken(Tester(), std::move(token))));
  }

  Status Disable(const std::string& name, AccountKind kind = AccountKind::kUser) {
    return RunTask(accounts().SetDisabled(Tester(), kind, name, kSuiteNow));
  }
  Status Remove(const std::string& name, AccountKind kind = AccountKind::kUser) {
    return RunTask(accounts().RemoveAccount(Tester(), kind, name));
  }
  Result<AccountRecord> Find(const std::string& name, AccountKind kind = AccountKind::kUser) {
    return RunTask(accounts().FindAccount(kind, name));
  }

  // "acme owner" for each.
  Texts RolesOf(const AccountRecord& account) {
    Texts roles;
    auto rights = RunTask(accounts().FindRights(account.id));
    ExpectDone(rights);
    if (!rights) return roles;
    EXPECT_EQ(rights->account, account);
    for (const GrantedRole& held : rights->roles) {
      roles.push_back(held.ns + " " + std::string(RoleName(held.role)));
    }
    return roles;
  }
  // "user ann owner" for each.
  Texts GrantsOf(const std::string& ns) {
    Texts texts;
    auto grants = RunTask(namespaces().ListGrants(ns));
    ExpectDone(grants);
    for (const GrantRecord& grant : grants.value_or(std::vector<GrantRecord>())) {
      texts.push_back(std::string(GranteeKindName(grant.kind)) + " " + grant.grantee + " " +
                      std::string(RoleName(grant.role)));
    }
    return texts;
  }
  // "user ann by okta" for each.
  Texts MembersOf(const std::string& group) {
    Texts texts;
    auto members = RunTask(accounts().ListMembers(group));
    ExpectDone(members);
    for (const MemberRecord& member : members.value_or(std::vector<MemberRecord>())) {
      texts.push_back(std::string(AccountKindName(member.kind)) + " " + member.name + " by " +
                      member.source);
    }
    return texts;
  }
  Texts TokenNames() {
    Texts names;
    for (const TokenRecord& token : RunTask(tokens().ListTokens()).value()) {
      names.push_back(token.name);
    }
    return names;
  }

  // Topics of the changes since the last call.
  Texts News() {
    Texts topics = this->TopicsSince(seen_);
    seen_ = *RunTask(changes().LatestChange());
    return topics;
  }

 private:
  ChangePosition seen_;
};

}  // namespace koya
