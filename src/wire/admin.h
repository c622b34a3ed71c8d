// Documents of /api/v1/admin.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// What became of the sealed secrets.
struct ResealReport {
  std::uint64_t renewed = 0;
  std::uint64_t current = 0;
  std::vector<std::string> lost;  // "acme/FINGERPRINT"
  friend bool operator==(const ResealReport&, const ResealReport&) = default;
};
std::string EncodeResealReport(const ResealReport& report);
Result<ResealReport> DecodeResealReport(std::string_view body);

}  // namespace koya::wire
