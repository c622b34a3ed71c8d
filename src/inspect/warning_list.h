// Collects warnings, up to a limit that no input can exceed. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "inspect/contents.h"

namespace koya::inspect {

class WarningList {
 public:
  void push_back(Warning each) {
    if (kept_.size() < kMost) {
      kept_.push_back(std::move(each));
    } else {
      ++left_out_;
    }
  }

  // Moves at most kMaxWarnings of them, by place, to `out`; the others are counted. Call once.
  void MoveTo(ModuleContents& out);

 private:
  static constexpr std::size_t kMost = 10 * kMaxWarnings;
  std::vector<Warning> kept_;
  std::uint64_t left_out_ = 0;
};

}  // namespace koya::inspect
