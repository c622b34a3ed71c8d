// How people come in: passwords, sessions, codes for clients, the first administrator, and other
// sign-in providers. Accounts are in access_catalog.h; the rules of catalog.h hold here too.
//
// What ends a session or changes a password appends kAccessTopic to the change log, so that every
// server forgets at once what it knew. What takes an Actor leaves an entry in the audit log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/task.h"

namespace koya {

struct AccountRecord;
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
  // Of the user of that name, in any letter case. Fails: kNotFound.
  virtual Task<PasswordRecord> FindPassword(std::string user) = 0;
  // nullopt: there is none from now on. Ends the sessions of that user but the one named `kept`
  // (SessionRecord::id; "": all). Fails: kNotFound.
  virtual Task<void> SetPassword(Actor by, std::string user, std::optional<std::string> hash,
                                 std::string kept) = 0;
  // The same password, hashed at another cost. Nothing happens when it is not `old` any more.
  virtual Task<void> RenewHash(std::string user, std::string old, std::string hash) = 0;
};

class SessionCatalog {
 public:
  virtual ~SessionCatalog() = default;
  // `by` names where the browser is: who signed in is taken from the session. Fails: kNotFound: its
  // account is not there, or the sign-in provider that `session.method` names.
  virtual Task<void> AddSession(Actor by, SessionRecord session) = 0;
  // One that has expired is found too. Fails: kNotFound.
  virtual Task<SessionRecord> FindSession(Digest secret) = 0;
  // The same by the first 16 bytes of the secret, which is what URLs hold of it. Fails: kNotFound.
  virtual Task<SessionRecord> FindSessionByStart(std::array<std::byte, 16> start) = 0;
  // Those that have not expired, newest first, 1000 at most; of one account, or of all ("").
  virtual Task<std::vector<SessionRecord>> ListSessions(std::string account_id,
                                                        UnixSeconds now) = 0;
  // By SessionRecord::id, of one account, or whoever's ("") it is. Fails: kNotFound.
  virtual Task<void> EndSession(Actor by, std::string id, std::string account_id) = 0;
  // All of the user of that name, in any letter case. Returns how many there were. Fails:
  // kNotFound: there is no such user.
  virtual Task<std::uint64_t> EndSessionsOf(Actor by, std::string user) = 0;
  // By the secrets, at most once a minute each: all or none.
  virtual Task<void> TouchSessions(std::vector<Use> uses) = 0;
  // Sessions and codes that have expired, and tokens of CI (TokenRecord::provenance) that did so a
  // day ago, and what is known of the tokens of their jobs (JobProof). Nothing is announced: they
  // counted for nothing already.
  // Returns how many there were.
  virtual Task<std::uint64_t> RemoveExpiredSignIns(UnixSeconds now) = 0;
};

class LoginCodeCatalog {
 public:
  virtual ~LoginCodeCatalog() = default;
  // Fails: kNotFound: its account is not there.
  virtual Task<void> AddLoginCode(LoginCodeRecord code) = 0;
  // Once: it is gone then, whoever asks next, on whichever server. One that has expired is returned
  // too, and gone. Fails: kNotFound.
  virtual Task<LoginCodeRecord> TakeLoginCode(Digest secret) = 0;
};

class SetupCatalog {
 public:
  virtual ~SetupCatalog() = default;
  // The only set-up token there is from now on.
  virtual Task<void> PutSetupToken(Digest secret, UnixSeconds expires_at) = 0;
  // There is none from now on.
  virtual Task<void> RemoveSetupToken() = 0;
  // Makes the administrator with that password, keeps what they said that new namespaces are, and
  // removes the token: all or nothing. Fails:
  // kNotFound: the token is not that one, or has expired at `now`; kConflict: somebody may do
  // everything already (AccountCatalog::HasAdministrator), or the name is taken.
  virtual Task<void> SetUp(Actor by, Digest secret, AccountRecord administrator, std::string hash,
                           std::optional<Visibility> new_namespaces, UnixSeconds now) = 0;
  // nullopt: nothing was said.
  virtual Task<std::optional<Visibility>> FindDefaultVisibility() = 0;
};

class IdentityCatalog {
 public:
  virtual ~IdentityCatalog() = default;
  // Fails: kConflict when the name is taken; kNotFound: a group of `groups` is not there.
  virtual Task<void> AddIdentityProvider(Actor by, IdentityProviderRecord provider) = 0;
  // In any letter case, here as below. Fails: kNotFound.
  virtual Task<IdentityProviderRecord> FindIdentityProvider(std::string name) = 0;
  virtual Task<std::vector<IdentityProviderRecord>> ListIdentityProviders() = 0;  // by name
  // With what it said: who signs in as whom, and its places in groups. The users stay, without a
  // way in when they had no other; their sessions that began there end. Fails: kNotFound.
  virtual Task<void> RemoveIdentityProvider(Actor by, std::string name) = 0;
  // Puts another sealed text in the place of one. Fails: kConflict when it is another by now.
  virtual Task<void> ResealIdentityProvider(Actor by, IdentityProviderRecord provider,
                                            std::string sealed_secret) = 0;
  // The user who is known by this subject of the provider; at the first time a new one, with
  // `wanted_name`, or with "-2", "-3", … after it when that is taken: nobody becomes somebody who
  // is there already. From now on they are, by that provider's word, in `groups` and in no others;
  // those that are not there do not count. `by` names where the browser is: who it is turns out
  // here. Fails: kNotFound: there is no such provider.
  virtual Task<AccountRecord> RecordIdentity(Actor by, IdentityClaim claim, UnixSeconds at) = 0;
};

class TrustCatalog {
 public:
  virtual ~TrustCatalog() = default;
  // Fails: kNotFound: the namespace; kConflict: the same rules of the same issuer are there.
  virtual Task<void> AddTrust(Actor by, TrustRecord trust) = 0;
  // Of a namespace, in any letter case, by time. Of an unknown one: none.
  virtual Task<std::vector<TrustRecord>> ListTrust(std::string ns) = 0;
  // With the tokens of its jobs. Fails: kNotFound.
  virtual Task<void> RemoveTrust(Actor by, std::string ns, std::string id) = 0;
};

}  // namespace koya
