// A platform that providers are built for: an operating system and an architecture, by Go's names.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

class Platform {
 public:
  // "linux_amd64". Fails: kInvalid, naming the part that Go does not know, and the nearest name.
  static Result<Platform> Parse(std::string_view text);
  static Result<Platform> FromParts(std::string_view os, std::string_view arch);

  const std::string& os() const { return os_; }
  const std::string& arch() const { return arch_; }
  std::string ToString() const { return os_ + "_" + arch_; }

  friend auto operator<=>(const Platform&, const Platform&) = default;
  friend bool operator==(const Platform&, const Platform&) = default;

 private:
  Platform(std::string os, std::string arch) : os_(std::move(os)), arch_(std::move(arch)) {}
  std::string os_;
  std::string arch_;
};

}  // namespace koya
