#include "domain/mail_address.h"

#include <algorithm>

#include "base/text.h"

namespace koya {
namespace {

constexpr std::size_t kLongestAddress = 254;  // RFC 5321, 4.5.3.1.3

}  // namespace

Status CheckMailAddress(std::string_view address) {
  const std::size_t at = address.find('@');
  const bool is_plain = std::ranges::all_of(address, [](unsigned char c) {
    return c > 0x20 && c < 0x7F &&
           std::string_view("\"(),:;<>[\\]").find(static_cast<char>(c)) == std::string_view::npos;
  });
  const bool has_parts = at != std::string_view::npos && at > 0 && at + 1 < address.size() &&
                         address.find('@', at + 1) == std::string_view::npos &&
                         address.substr(at).find("..") == std::string_view::npos &&
                         !address.ends_with('.') && address[at + 1] != '.';
  if (is_plain && has_parts && address.size() <= kLongestAddress) return {};
  return FailInvalid(
      "\"{}\" is no e-mail address: write NAME@DOMAIN, in ASCII, at most {} characters",
      Printable(address, 80), kLongestAddress);
}

}  // namespace koya
