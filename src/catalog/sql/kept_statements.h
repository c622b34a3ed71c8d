// Statements that were prepared on a connection and may be run again: preparing one takes SQLite
// longer than most of them run. Of a session, and as it used by one thread at a time.
//
// Whoever runs a statement takes it out, so that one that is being stepped through is not begun
// anew by a second run of the same text, and gives it back at rest.
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

class KeptStatements {
 public:
  // Bounds of what is kept: those used longest ago give way.
  static constexpr std::size_t kMost = 96;
  static constexpr std::size_t kLongestText = 16U << 10;

  KeptStatements();
  ~KeptStatements();
  KeptStatements(const KeptStatements&) = delete;
  KeptStatements& operator=(const KeptStatements&) = delete;

  // Null when there is none.
  std::unique_ptr<soci::statement> Take(std::string_view text);
  // REQUIRES: it is at rest (Engine::Rest).
  void Put(std::string text, std::unique_ptr<soci::statement> statement);
  // Before the connection is closed.
  void Clear();
  std::size_t size() const { return kept_.size(); }

 private:
  struct Kept {
    std::size_t hash;
    std::string text;
    std::unique_ptr<soci::statement> statement;
  };
  std::vector<Kept> kept_;  // those used last at the end
};

}  // namespace koya::sql
