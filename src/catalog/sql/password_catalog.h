// Passwords in the database. See PasswordCatalog.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "catalog/sign_in_catalog.h"
#include "catalog/sql/transactions.h"

namespace koya::sql {

// The account's password from now on, within the caller's write transaction. Fails: kInvalid.
Status PutPassword(Session& session, std::string_view account_id, std::string_view hash);

class SqlPasswords : public virtual PasswordCatalog {
 public:
  explicit SqlPasswords(Transactions& transactions) : transactions_(transactions) {}

  Task<PasswordRecord> FindPassword(std::string user) override;
  Task<void> SetPassword(Actor by, std::string user, std::optional<std::string> hash,
                         std::string kept) override;
  Task<void> RenewHash(std::string user, std::string old, std::string hash) override;

 private:
  Transactions& transactions_;
};

}  // namespace koya::sql
