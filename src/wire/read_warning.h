// A warning about an unreadable part of a module, or of a provider's docs or schema.
#pragma once

#include <cstdint>
#include <string>

namespace koya::wire {

struct ReadWarning {
  std::string file;
  std::uint64_t line = 0;  // 0: the whole file
  std::string text;
  friend bool operator==(const ReadWarning&, const ReadWarning&) = default;
};

}  // namespace koya::wire
