// CatalogLoad reports the work of a catalog's database, and how it keeps up. For metrics.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace koya {

// Load of one connection pool: its queue of transactions (a read, or a write), and the threads that
// run them. Fields count since the catalog was opened, except for the current ones.
struct PoolLoad {
  std::string_view name;  // "read", "write"; a literal
  // Current values.
  std::size_t running = 0;  // threads with a transaction, also while they connect for it
  std::size_t queued = 0;
  bool breaker_open = false;  // the database did not respond: one transaction a second is tried
  // Since the catalog was opened.
  std::uint64_t begun = 0;             // transactions
  std::chrono::nanoseconds waited{0};  // of those, from the request to the start
  std::uint64_t full = 0;              // failed: the queue was full
  std::uint64_t late = 0;              // failed: their time was over before they could start
  std::uint64_t not_tried = 0;         // failed: `closed` was set
  std::uint64_t cut_off = 0;           // by the watchdog, while they ran or connected
  std::uint64_t connections = 0;       // opened
};

class CatalogLoad {
 public:
  virtual ~CatalogLoad() = default;
  // Fast; does not wait for the database.
  virtual std::vector<PoolLoad> Pools() const = 0;
};

}  // namespace koya
