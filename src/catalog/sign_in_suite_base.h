// What the suites about signing in share. See catalog_suite_base.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/access_suite_base.h"
#include "catalog/sign_in_catalog.h"
#include "domain/credential_record.h"
#include "domain/identity_record.h"

namespace koya {

// Of a user that SampleAccount makes.
inline SessionRecord SampleSession(const std::string& name, const std::string& user) {
  return {.id = "id of session " + name,
          .secret = Digest::Of("cookie of " + name),
          .account_id = SampleAccount(user).id,
          .user = user,
          .method = "password",
          .address = "2001:db8::1",
          .user_agent = "Mozilla/5.0 (größe; 'quotes')",
          .created_at = kSuiteNow,
          .expires_at = kSuiteNow + 100,
          .last_used_at = std::nullopt};
}

inline LoginCodeRecord SampleLoginCode(const std::string& name, const std::string& user) {
  return {.secret = Digest::Of("code " + name),
          .account_id = SampleAccount(user).id,
          .client_id = "terraform-cli",
          .redirect_uri = "http://localhost:10010/login",
          .challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
          .scope = Scope::kPublish,
          .expires_at = kSuiteNow + 60};
}

inline IdentityProviderRecord SampleIdentityProvider(std::string name) {
  return {.name = std::move(name),
          .issuer = "https://login.example.com/größe",
          .client_id = "koya's",
          .sealed_secret = "sealed:1",
          .groups_claim = "groups",
          .groups = {},
          .created_at = kSuiteNow,
          .created_by = "admin"};
}

inline TrustRecord SampleTrust(std::string id, std::string ns) {
  return {.id = std::move(id),
          .ns = std::move(ns),
          .issuer = "https://ci.example.com",
          .rules = {"repository=acme/modules", "ref=refs/tags/*"},
          .created_at = kSuiteNow,
          .created_by = "ann"};
}

class SignInSuiteBase : public AccessSuiteBase {
 protected:
  void AddSession(SessionRecord session) {
    this->ExpectDone(RunTask(sessions().AddSession(Tester(), std::move(session))));
  }
  void AddIdentityProvider(IdentityProviderRecord provider) {
    this->ExpectDone(RunTask(identities().AddIdentityProvider(Tester(), std::move(provider))));
  }
  void SetPassword(const std::string& user, std::optional<std::string> hash,
                   const std::string& kept = "") {
    this->ExpectDone(RunTask(passwords().SetPassword(Tester(), user, std::move(hash), kept)));
  }
  // The hash; "none" when there is none.
  std::string PasswordOf(const std::string& user) {
    auto found = RunTask(passwords().FindPassword(user));
    this->ExpectDone(found);
    return found ? found->hash.value_or("none") : "";
  }
  // The ids, without "id of session ", of one account's or of all.
  Texts SessionsOf(const std::string& account_id, UnixSeconds now = kSuiteNow) {
    Texts names;
    auto sessions = RunTask(this->sessions().ListSessions(account_id, now));
    this->ExpectDone(sessions);
    for (const SessionRecord& session : sessions.value_or(std::vector<SessionRecord>())) {
      names.push_back(session.id.substr(std::string_view("id of session ").size()));
    }
    return names;
  }
  Texts AllSessions() { return SessionsOf(""); }
  // Who signs in at a provider.
  Result<AccountRecord> SignIn(const std::string& provider, const std::string& subject,
                               const std::string& name, Texts groups = {}) {
    IdentityClaim claim{
        .provider = provider, .subject = subject, .wanted_name = name, .groups = std::move(groups)};
    return RunTask(identities().RecordIdentity(Tester(), std::move(claim), kSuiteNow));
  }
  // The same, who have an e-mail address there.
  Result<AccountRecord> SignInWith(const std::string& email, const std::string& provider,
                                   const std::string& subject, const std::string& name) {
    IdentityClaim claim{.provider = provider,
                        .subject = subject,
                        .wanted_name = name,
                        .groups = {},
                        .email = email};
    return RunTask(identities().RecordIdentity(Tester(), std::move(claim), kSuiteNow));
  }
  // The name that they have here.
  std::string NameOf(const std::string& provider, const std::string& subject,
                     const std::string& name, Texts groups = {}) {
    auto account = SignIn(provider, subject, name, std::move(groups));
    this->ExpectDone(account);
    return account ? account->name : "";
  }
};

}  // namespace koya
