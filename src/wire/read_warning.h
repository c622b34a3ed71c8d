// What could not be read in a module, or in a provider's docs and schema.
#pragma once

#include <cstdint>
#include <string>

namespace koya::wire {

struct ReadWarning {
  std::string file;
  std::uint64_t line = 0;  // 0: of the whole file
  std::string text;
  friend bool operator==(const ReadWarning&, const ReadWarning&) = default;
};

}  // namespace koya::wire
