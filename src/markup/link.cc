#include "markup/link.h"

#include <algorithm>

#include "base/text.h"

namespace koya::markup {
namespace {

bool IsSchemeCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '.' || c == '-';
}

// As a browser reads an address: without blanks at its ends, without tabs and newlines.
std::string AsRead(std::string_view text) {
  auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  std::string out;
  for (char c : text) {
    if (c == ' ') {
      out += "%20";
    } else if (c != '\t' && c != '\n' && c != '\r') {
      out += c;
    }
  }
  return out;
}

bool HasControl(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

std::optional<Link> JudgeOutside(std::string address) {
  std::string_view rest = std::string_view(address).substr(address.find(':') + 1);
  if (!rest.starts_with("//")) return std::nullopt;
  rest.remove_prefix(2);
  std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  if (host.empty() || host.starts_with(':') || host.contains('@')) return std::nullopt;
  return Link{Link::Kind::kOutside, std::move(address), {}};
}

std::optional<Link> JudgeRelative(std::string_view address) {
  if (address.starts_with("//")) return std::nullopt;
  Link link;
  std::size_t hash = address.find('#');
  link.address = address.substr(0, hash);
  if (hash != address.npos) link.fragment = address.substr(hash + 1);
  if (link.address.empty()) link.kind = Link::Kind::kFragment;
  return link;
}

}  // namespace

std::optional<Link> JudgeLink(std::string_view text) {
  if (text.size() > kLongestLink) return std::nullopt;
  std::string address = AsRead(text);
  std::string_view path = std::string_view(address).substr(0, address.find_first_of("?#"));
  if (address.empty() || HasControl(address) || path.contains('\\')) return std::nullopt;
  std::size_t colon = path.find(':');
  if (colon == path.npos) return JudgeRelative(address);
  std::string scheme = AsciiLower(path.substr(0, colon));
  if (!std::ranges::all_of(scheme, IsSchemeCharacter)) {
    // A colon after a slash belongs to the path.
    if (!scheme.contains('/')) return std::nullopt;
    return JudgeRelative(address);
  }
  if (scheme == "http" || scheme == "https") return JudgeOutside(std::move(address));
  if (scheme == "mailto") return Link{Link::Kind::kMail, std::move(address), {}};
  return std::nullopt;
}

}  // namespace koya::markup
