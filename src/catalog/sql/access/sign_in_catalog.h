// Implements the parts of the catalog for signing in, in the database.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/query.h"
#include "catalog/sql/engine/recent_uses.h"
#include "domain/identity_record.h"

namespace koya::sql {

// Locks the provider of that name, in any letter case, until the caller's write transaction ends.
// Returns its key (AccountKey). Fails: kNotFound.
Result<std::string> HoldIdentityProvider(Session& session, std::string_view name);

Failure NoIdentityProvider(std::string_view name);

// Sign-in providers and the users of their subjects.
class SqlIdentities : public virtual IdentityCatalog {
 public:
  explicit SqlIdentities(Executor& transactions) : transactions_(transactions) {}

  Task<void> AddIdentityProvider(Actor by, IdentityProviderRecord provider) override;
  Task<IdentityProviderRecord> FindIdentityProvider(std::string name) override;
  Task<std::vector<IdentityProviderRecord>> ListIdentityProviders() override;
  Task<void> SetProviderEnabled(Actor by, std::string name, bool enabled) override;
  Task<void> RemoveIdentityProvider(Actor by, std::string name) override;
  Task<void> ResealIdentityProvider(Actor by, IdentityProviderRecord provider,
                                    std::string sealed_secret) override;

  // In external_identity.cc.
  Task<AccountRecord> RecordIdentity(Actor by, IdentityClaim claim, UnixSeconds at) override;

 private:
  Executor& transactions_;
};

// Sessions of browsers.
class SqlSessions : public virtual SessionCatalog {
 public:
  explicit SqlSessions(Executor& transactions) : transactions_(transactions) {}

  Task<void> AddSession(Actor by, SessionRecord session) override;
  Task<SessionRecord> FindSession(Digest secret) override;
  Task<SessionRecord> FindSessionByStart(std::array<std::byte, 16> start) override;
  Task<std::vector<SessionRecord>> ListSessions(std::string account_id, UnixSeconds now) override;
  Task<void> EndSession(Actor by, std::string id, std::string account_id) override;
  Task<std::uint64_t> EndSessionsOf(Actor by, std::string user) override;
  Task<void> TouchSessions(std::vector<Use> uses) override;
  Task<std::uint64_t> RemoveExpiredSignIns(UnixSeconds now) override;

 private:
  // The shortest time between recorded uses.
  static constexpr UnixSeconds kTouchEvery = 60;
  Executor& transactions_;
  RecentUses uses_{kTouchEvery};  // recorded lately by this server
};

// Sets the account's password, within the caller's write transaction. Fails: kInvalid.
Status PutPassword(Session& session, std::string_view account_id, std::string_view hash);

class SqlPasswords : public virtual PasswordCatalog {
 public:
  explicit SqlPasswords(Executor& transactions) : transactions_(transactions) {}

  Task<PasswordRecord> FindPassword(std::string user) override;
  Task<void> SetPassword(Actor by, std::string user, std::optional<std::string> hash,
                         std::string kept) override;
  Task<void> RenewHash(std::string user, std::string old, std::string hash) override;

 private:
  Executor& transactions_;
};

}  // namespace koya::sql
