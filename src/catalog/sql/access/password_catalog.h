// Implements PasswordCatalog and SetupCatalog: passwords, and the set-up token by which the first
// administrator gets one, in the database.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "catalog/sign_in_catalog.h"
#include "catalog/sql/engine/database.h"

namespace koya::sql {

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
