#include "http/server/request_id.h"

#include <algorithm>
#include <random>

#include "http/server/characters.h"

namespace koya::http {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

void WriteHex(std::uint64_t value, char* end, std::size_t digits) {
  for (std::size_t i = 0; i < digits; ++i, value >>= 4) *--end = kDigits[value & 15];
}

}  // namespace

bool IsSaneRequestId(std::string_view id) {
  if (id.empty() || id.size() > 64) return false;
  return std::ranges::all_of(id, [](char c) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || IsDigit(c) || c == '.' || c == '_' || c == '-';
  });
}

RequestIdSource::RequestIdSource() {
  std::random_device random;
  std::uint64_t prefix = (std::uint64_t{random()} << 32) | random();
  WriteHex(prefix, prefix_.data() + prefix_.size(), prefix_.size());
}

void RequestIdSource::Next(Id& id) {
  std::ranges::copy(prefix_, id.begin());
  WriteHex(++count_, id.data() + id.size(), id.size() - prefix_.size());
}

}  // namespace koya::http
