#include "api/common/request_body.h"

#include <fmt/format.h>

#include "base/clock.h"

namespace koya::api {

Task<std::string> ReadSmallBody(ByteSource& body, std::uint64_t most) {
  std::string text;
  while (true) {
    ASSIGN_OR_CO_RETURN(std::span<const std::byte> bytes, co_await body.Read());
    if (bytes.empty()) co_return text;
    if (text.size() + bytes.size() > most) {
      co_return FailLimit(ErrorKind::kTooLarge, "fixed.request_document_bytes",
                          fmt::format("the request's body is larger than {}", FormatSize(most)));
    }
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
}

}  // namespace koya::api
