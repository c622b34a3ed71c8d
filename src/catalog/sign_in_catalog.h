// Stores how users sign in: passwords, sessions, codes for clients, the first administrator, and
// external sign-in providers. Accounts are in access_catalog.h; the rules of catalog.h apply here
// too.
//
// Ending a session or changing a password appends kAccessTopic to the change log, so that every
// server invalidates its caches at once. Methods that take an Actor write an audit log entry.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"

namespace koya::sql {
class Executor;
}  // namespace koya::sql

namespace koya {

struct AccountRecord;
struct SetupChoices;
struct Actor;
class Digest;
struct IdentityClaim;
struct IdentityProviderRecord;
struct LoginCodeRecord;
struct PasswordRecord;
struct SessionRecord;
struct TrustRecord;
struct Use;
enum class Visibility;

class PasswordCatalog {
 public:
  virtual ~PasswordCatalog() = default;
  // By user name, in any letter case. Fails: kNotFound.
  virtual Task<PasswordRecord> FindPassword(std::string user) = 0;
  // nullopt: removes the password. Ends the sessions of that user except `kept` (SessionRecord::id;
  // "": ends all). Fails: kNotFound.
  virtual Task<void> SetPassword(Actor by, std::string user, std::optional<std::string> hash,
                                 std::string kept) = 0;
  // Stores the same password, hashed at another cost. No-op when the hash is not `old` any more.
  virtual Task<void> RenewHash(std::string user, std::string old, std::string hash) = 0;
};

class SessionCatalog {
 public:
  virtual ~SessionCatalog() = default;
  // `by` names the browser's address; the user is taken from the session. Fails: kNotFound: its
  // account does not exist, or the sign-in provider that `session.method` names.
  virtual Task<void> AddSession(Actor by, SessionRecord session) = 0;
  // Finds expired sessions too. Fails: kNotFound.
  virtual Task<SessionRecord> FindSession(Digest secret) = 0;
  // Likewise by the first 16 bytes of the secret, the part that URLs contain. Fails: kNotFound.
  virtual Task<SessionRecord> FindSessionByStart(std::array<std::byte, 16> start) = 0;
  // Unexpired sessions, newest first, at most 1000; of one account, or of all ("").
  virtual Task<std::vector<SessionRecord>> ListSessions(std::string account_id,
                                                        UnixSeconds now) = 0;
  // By SessionRecord::id, of one account, or of any (""). Fails: kNotFound.
  virtual Task<void> EndSession(Actor by, std::string id, std::string account_id) = 0;
  // Ends all sessions of the user of that name, in any letter case. Returns how many. Fails:
  // kNotFound: there is no such user.
  virtual Task<std::uint64_t> EndSessionsOf(Actor by, std::string user) = 0;
  // Records uses by the sessions' secrets, at most once a minute each: all or none.
  virtual Task<void> TouchSessions(std::vector<Use> uses) = 0;
  // Removes expired sessions and codes, tokens of CI (TokenRecord::provenance) that expired a day
  // ago, and the records of their jobs' tokens (JobProof). Announces no change, since they were
  // invalid already. Returns how many were removed.
  virtual Task<std::uint64_t> RemoveExpiredSignIns(UnixSeconds now) = 0;
};

class LoginCodeCatalog {
 public:
  explicit LoginCodeCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Fails: kNotFound: its account does not exist.
  Task<void> AddLoginCode(LoginCodeRecord code);
  // Takes the code once: it is deleted, so that no later call on any server finds it. An expired
  // code is returned and deleted too. Fails: kNotFound.
  Task<LoginCodeRecord> TakeLoginCode(Digest secret);

 private:
  sql::Executor& transactions_;
};

class SetupCatalog {
 public:
  explicit SetupCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Replaces any other set-up token.
  Task<void> PutSetupToken(Digest secret, UnixSeconds expires_at);
  // Removes the set-up token.
  Task<void> RemoveSetupToken();
  // Creates the administrator with that password, stores their choices, and removes the token: all
  // or nothing. Fails: kNotFound: the token is another one, or has expired
  // at `now`; kConflict: there is an administrator already (AccountCatalog::HasAdministrator), or
  // the name is taken.
  Task<void> SetUp(Actor by, Digest secret, AccountRecord administrator, std::string hash,
                   SetupChoices choices, UnixSeconds now);
  Task<SetupChoices> FindChoices();

 private:
  sql::Executor& transactions_;
};

class IdentityCatalog {
 public:
  virtual ~IdentityCatalog() = default;
  // Fails: kConflict when the name is taken; kNotFound: a group of `groups` does not exist.
  virtual Task<void> AddIdentityProvider(Actor by, IdentityProviderRecord provider) = 0;
  // `name` in any letter case, here and below. Fails: kNotFound.
  virtual Task<IdentityProviderRecord> FindIdentityProvider(std::string name) = 0;
  virtual Task<std::vector<IdentityProviderRecord>> ListIdentityProviders() = 0;  // by name
  // No-op when it is so already. Fails: kNotFound.
  virtual Task<void> SetProviderEnabled(Actor by, std::string name, bool enabled) = 0;
  // Removes the provider with its data: who signs in as whom, and the places in groups that it
  // gave. The users stay, without a way to sign in when they had no other; their sessions that
  // started there end. Fails: kNotFound.
  virtual Task<void> RemoveIdentityProvider(Actor by, std::string name) = 0;
  // Replaces the sealed secret. Fails: kConflict when it is another one by now.
  virtual Task<void> ResealIdentityProvider(Actor by, IdentityProviderRecord provider,
                                            std::string sealed_secret) = 0;
  // Returns the user of this subject of the provider. The first time, creates one with
  // `wanted_name`, or with "-2", "-3", … appended when that is taken: no subject becomes an
  // existing user. From now on the provider places the user in exactly `groups`; groups that do not
  // exist are ignored. `by` names the browser's address; the user is determined here. Fails:
  // kNotFound: there is no such provider.
  virtual Task<AccountRecord> RecordIdentity(Actor by, IdentityClaim claim, UnixSeconds at) = 0;
};

class TrustCatalog {
 public:
  explicit TrustCatalog(sql::Executor& transactions) : transactions_(transactions) {}

  // Fails: kNotFound: the namespace; kConflict: the same rules of the same issuer exist.
  Task<void> AddTrust(Actor by, TrustRecord trust);
  // Of a namespace, in any letter case, by time. An unknown one has none.
  Task<std::vector<TrustRecord>> ListTrust(std::string ns);
  // Removes the trust with the tokens of its jobs. Fails: kNotFound.
  Task<void> RemoveTrust(Actor by, std::string ns, std::string id);

 private:
  sql::Executor& transactions_;
};

}  // namespace koya
