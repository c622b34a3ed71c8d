#include "api/common/error_codes.h"

#include <algorithm>

#include "api/common/reply.h"
#include "base/error.h"
#include "web/site/manual.h"

namespace koya::api {

const std::vector<ErrorCode>& ErrorCodes() {
  static const std::vector<ErrorCode> kCodes = [] {
    std::vector<ErrorCode> codes;
    const web::ManualText* texts = web::FindManualText("errors");
    // kInternal is the last one.
    for (int each = 0; each <= static_cast<int>(ErrorKind::kInternal); ++each) {
      const auto kind = static_cast<ErrorKind>(each);
      const std::string_view name = ErrorKindName(kind);
      codes.push_back({.name = name,
                       .status = StatusFor(kind),
                       .text = web::ManualSection(*texts, name).value_or("")});
    }
    return codes;
  }();
  return kCodes;
}

const ErrorCode* FindErrorCode(std::string_view name) {
  const std::vector<ErrorCode>& codes = ErrorCodes();
  const auto found = std::ranges::find(codes, name, &ErrorCode::name);
  return found == codes.end() ? nullptr : &*found;
}

}  // namespace koya::api
