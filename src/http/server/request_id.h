// Identifies one request in responses and logs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace koya::http {

// True if a client's own id may be adopted: 1 to 64 characters of [A-Za-z0-9._-].
bool IsSaneRequestId(std::string_view id);

// Makes globally unique ids: random prefix, then a counter. Belongs to one thread.
class RequestIdSource {
 public:
  static constexpr std::size_t kSize = 24;
  using Id = std::array<char, kSize>;

  RequestIdSource();
  void Next(Id& id);

 private:
  std::array<char, 16> prefix_{};
  std::uint32_t count_ = 0;
};

}  // namespace koya::http
