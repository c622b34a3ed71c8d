// What a catalog's database is asked to do, and how it keeps up. For metrics.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace koya {

// One queue of units of work (a question, or a change), and the threads that do them. What is not
// said to be of the present counts since the catalog was opened.
struct LaneLoad {
  std::string_view name;  // "read", "write"; a literal
  // At present.
  std::size_t running = 0;  // threads with a unit, those that connect for it included
  std::size_t queued = 0;
  bool closed = false;  // the database was found silent: one unit a second is tried
  // Since then.
  std::uint64_t begun = 0;             // units
  std::chrono::nanoseconds waited{0};  // of those, from being asked for until they began
  std::uint64_t full = 0;              // refused: too many waited
  std::uint64_t late = 0;              // refused: their time was over before they could begin
  std::uint64_t not_tried = 0;         // refused: it is closed
  std::uint64_t cut_off = 0;           // ended by the watchdog while they ran, or connected
  std::uint64_t connections = 0;       // that were opened
};

class CatalogLoad {
 public:
  virtual ~CatalogLoad() = default;
  // Quick; waits for no database.
  virtual std::vector<LaneLoad> Lanes() const = 0;
};

}  // namespace koya
