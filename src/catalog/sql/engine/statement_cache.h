// StatementCache caches prepared statements of a connection for further runs: preparing one takes
// SQLite longer than most of them run. It belongs to a session, and like it is used by one thread
// at a time.
//
// Running a statement takes it out of the cache, so that a second run of the same text does not
// restart one that is being stepped through, and puts it back at rest.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace soci {
class statement;
}

namespace koya::sql {

class StatementCache {
 public:
  // Limits of the cache, which evicts the least recently used statements.
  static constexpr std::size_t kMost = 96;
  static constexpr std::size_t kLongestText = 16U << 10;

  StatementCache();
  ~StatementCache();
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;

  // Null when there is none.
  std::unique_ptr<soci::statement> TakeStatement(std::string_view text);
  // REQUIRES: it is at rest (Engine::Rest).
  void Put(std::string text, std::unique_ptr<soci::statement> statement);
  // Call before the connection is closed.
  void Clear();
  std::size_t size() const { return kept_.size(); }

 private:
  struct Kept {
    std::size_t hash;
    std::string text;
    std::unique_ptr<soci::statement> statement;
  };
  std::vector<Kept> kept_;  // most recently used at the end
};

}  // namespace koya::sql
