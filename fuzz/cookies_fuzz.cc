// Cookie fields, one a line: an accepted value could have been set, is in a field literally, and is
// rejected when a second cookie of its name follows.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "api/common/cookies.h"

namespace {

std::string Read(const std::vector<koya::http::Field>& fields) {
  koya::http::Request request;
  request.fields = fields;
  return std::string(koya::api::Cookies(request).Get(koya::api::kSessionCookie));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<koya::http::Field> fields;
  std::size_t bytes = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    fields.push_back({"Cookie", text.substr(0, end)});
    bytes += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const std::string value = Read(fields);
  if (value.empty()) return 0;
  if (bytes > koya::api::Cookies::kMostBytes) std::abort();
  // Throws for an invalid cookie value.
  const std::string set = koya::api::SetCookie(koya::api::kSessionCookie, value);
  if (set.find_first_of("\r\n") != set.npos) std::abort();
  const std::string pair = std::string(koya::api::kSessionCookie) + "=" + value;
  bool stands = false;
  for (const koya::http::Field& field : fields) stands |= field.value.contains(pair);
  if (!stands) std::abort();
  fields.push_back({"cookie", pair});
  if (!Read(fields).empty()) std::abort();
  return 0;
}
