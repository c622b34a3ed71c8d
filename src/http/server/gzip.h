// Compresses a whole text with gzip.
#pragma once

#include <string>
#include <string_view>

namespace koya::http {

enum class GzipEffort {
  kBest,   // for text that is compressed once and sent often
  kQuick,  // for text that is sent once: a quarter of the time, some 5 % more bytes
};

// The gzip form (no name, no time: equal input and effort give equal output), or "" on failure.
std::string Gzip(std::string_view text, GzipEffort effort = GzipEffort::kBest);

}  // namespace koya::http
