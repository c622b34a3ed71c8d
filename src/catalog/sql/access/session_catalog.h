// Implements SessionCatalog and LoginCodeCatalog: sessions of browsers, and codes that clients
// exchange, in the database.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "catalog/sign_in_catalog.h"
#include "catalog/sql/engine/database.h"
#include "catalog/sql/engine/recent_uses.h"

namespace koya::sql {

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

}  // namespace koya::sql
