// gzip of a whole text.
#pragma once

#include <string>
#include <string_view>

namespace koya::http {

enum class GzipEffort {
  kBest,   // for what is compressed once and sent often
  kQuick,  // for what is sent once: a quarter of the time, some 5 % more bytes
};

// The gzip form (no name, no time: equal input and effort give equal output), or "" when it cannot
// be made.
std::string Gzip(std::string_view text, GzipEffort effort = GzipEffort::kBest);

}  // namespace koya::http
