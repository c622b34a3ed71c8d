#include "auth/basic.h"

#include <algorithm>
#include <span>

#include "base/base64.h"
#include "base/text.h"

namespace koya::auth {
namespace {

constexpr std::string_view kBasic = "Basic";
constexpr std::string_view kBearer = "Bearer ";
constexpr std::string_view kTokenStart = "koya_";

}  // namespace

bool IsBasic(std::string_view authorization) {
  const std::string_view scheme = authorization.substr(0, kBasic.size());
  const std::string_view rest = authorization.substr(scheme.size());
  return EqualsIgnoreCase(scheme, kBasic) && (rest.empty() || rest.front() == ' ');
}

std::optional<std::string_view> BearerOfBasic(std::string_view authorization, BasicBuffer& buffer) {
  if (!IsBasic(authorization)) return std::nullopt;
  authorization.remove_prefix(kBasic.size());
  while (authorization.starts_with(' ')) authorization.remove_prefix(1);
  // The scheme is written before the password, over the user name and its colon: there is room for
  // it when the user name is empty, too.
  const auto pair = Base64Decode(authorization, std::span(buffer.bytes).subspan(kBearer.size()));
  if (!pair) return std::nullopt;
  const std::size_t colon = pair->find(':');
  if (colon == pair->npos || !pair->substr(colon + 1).starts_with(kTokenStart)) return std::nullopt;
  char* const begin = buffer.bytes.data() + colon + 1;
  std::ranges::copy(kBearer, begin);
  return std::string_view(begin, kBearer.size() + pair->size() - colon - 1);
}

}  // namespace koya::auth
