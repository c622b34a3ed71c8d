#include "http/server/target.h"

#include <array>
#include <bit>
#include <cstring>

#include "base/encoding.h"
#include "http/server/characters.h"

namespace koya::http {
namespace {

std::unexpected<Fault> Bad(std::string_view message) {
  return std::unexpected(Fault{400, message});
}

constexpr bool IsControl(char c) {
  auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

// Takes "http://authority" off the front of an absolute-form target.
std::expected<std::string_view, Fault> TakeAuthority(std::string_view& text) {
  std::size_t scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos) return Bad("the target must be a path");
  std::string_view scheme = text.substr(0, scheme_end);
  if (!IsIgnoringCase(scheme, "http") && !IsIgnoringCase(scheme, "https")) {
    return Bad("the target's scheme must be http or https");
  }
  text.remove_prefix(scheme_end + 3);
  std::size_t end = text.find_first_of("/?");
  std::string_view authority = text.substr(0, end);
  if (authority.empty() || authority.find_first_of("@\\#%") != std::string_view::npos) {
    return Bad("the target's host is not a host name");
  }
  text.remove_prefix(authority.size());
  return authority;
}

// Of all bytes at once, without a way out at the first: so the compiler takes many at a time.
bool HasBeyondAscii(std::string_view text) {
  unsigned all = 0;
  for (char c : text) all |= static_cast<unsigned char>(c);
  return (all & 0x80U) != 0;
}

std::optional<Fault> CheckRaw(std::string_view text) {
  if (HasBeyondAscii(text) || HasControlBelow(text, '!')) {
    return Fault{400, "the target holds a character that must be percent-encoded"};
  }
  if (text.find('#') != std::string_view::npos) return Fault{400, "the target holds a fragment"};
  return std::nullopt;
}

std::expected<std::string_view, Fault> Decode(std::string_view path, std::string& decoded) {
  if (path.find('%') == std::string_view::npos) return path;
  decoded.clear();
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') {
      decoded.push_back(path[i]);
      continue;
    }
    int high = i + 2 < path.size() ? HexDigit(path[i + 1]) : -1;
    int low = i + 2 < path.size() ? HexDigit(path[i + 2]) : -1;
    if (high < 0 || low < 0) return Bad("the path holds a percent sign without two hex digits");
    char c = static_cast<char>(high * 16 + low);
    if (c == '/' || IsControl(c))
      return Bad("the path holds an encoded slash or control character");
    decoded.push_back(c);
    i += 2;
  }
  return decoded;
}

std::optional<Fault> CheckSegments(std::string_view path) {
  if (path.find('\\') != std::string_view::npos) return Fault{400, "the path holds a backslash"};
  for (std::size_t start = 1; start <= path.size();) {
    std::size_t end = path.find('/', start);
    bool last = end == std::string_view::npos;
    if (last) end = path.size();
    std::string_view segment = path.substr(start, end - start);
    if (segment.empty() && !last) return Fault{400, "the path holds an empty segment"};
    if (segment == "." || segment == "..") return Fault{400, "the path holds a dot segment"};
    start = end + 1;
  }
  return std::nullopt;
}

// What may stand between the slashes of a path that needs no closer look.
constexpr CharacterClass MakeOrdinaryCharacters() {
  CharacterClass table{};
  for (unsigned c = 0x21; c < 0x7f; ++c) table[c] = true;
  for (char c : std::string_view("#%/?\\")) table[static_cast<unsigned char>(c)] = false;
  return table;
}
constexpr CharacterClass kOrdinaryCharacters = MakeOrdinaryCharacters();

// Whether sixteen bytes need no closer look, of which each has a follower, by the processor's
// vectors. False for a path's end.
bool AreOrdinary16(const char* at) {
  Bytes16 bytes;
  Bytes16 followers;
  std::memcpy(&bytes, at, sizeof bytes);
  std::memcpy(&followers, at + 1, sizeof followers);
  const auto odd = (bytes - 0x21 > 0x7e - 0x21) | (bytes == '#') | (bytes == '%') | (bytes == '?') |
                   (bytes == '\\') | ((bytes == '/') & ((followers == '/') | (followers == '.')));
  const auto halves = std::bit_cast<std::array<std::uint64_t, 2>>(odd);
  return (halves[0] | halves[1]) == 0;
}

// How long the path is that `text` begins with, when it is right as it stands: most are, and are
// looked at once. nullopt: it has to be looked at closely.
std::optional<std::size_t> OrdinaryPath(std::string_view text) {
  if (!text.starts_with('/')) return std::nullopt;
  constexpr std::size_t kVector = sizeof(Bytes16);
  std::size_t start = 0;
  while (start + kVector < text.size() && AreOrdinary16(text.data() + start)) start += kVector;
  // The last bytes of most are checked together with some that were checked before.
  const bool few = start > 0 && start + kVector >= text.size();
  if (few && AreOrdinary16(text.data() + text.size() - kVector - 1)) start = text.size() - 1;
  for (std::size_t i = start; i < text.size(); ++i) {
    if (kOrdinaryCharacters[static_cast<unsigned char>(text[i])]) continue;
    if (text[i] == '?') return i;
    // An empty segment, or one that begins with a dot.
    bool odd = i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '.');
    if (text[i] != '/' || odd) return std::nullopt;
  }
  return text.size();
}

}  // namespace

std::expected<Target, Fault> ParseTarget(Method method, std::string_view text,
                                         std::string& decoded) {
  Target target;
  if (std::optional<std::size_t> end = OrdinaryPath(text)) {
    target.path = text.substr(0, *end);
    if (*end == text.size()) return target;
    target.query = text.substr(*end + 1);
    if (auto fault = CheckRaw(target.query)) return std::unexpected(*fault);
    return target;
  }
  if (auto fault = CheckRaw(text)) return std::unexpected(*fault);
  if (text == "*") {
    if (method != Method::kOptions) return Bad("the target * is for OPTIONS only");
    target.path = text;
    return target;
  }
  if (!text.starts_with('/')) {
    auto authority = TakeAuthority(text);
    if (!authority) return std::unexpected(authority.error());
    target.authority = *authority;
  }
  std::size_t query = text.find('?');
  std::string_view path = text.substr(0, query);
  if (query != std::string_view::npos) target.query = text.substr(query + 1);
  if (path.empty()) path = "/";
  auto plain = Decode(path, decoded);
  if (!plain) return std::unexpected(plain.error());
  if (auto fault = CheckSegments(*plain)) return std::unexpected(*fault);
  target.path = *plain;
  return target;
}

}  // namespace koya::http
