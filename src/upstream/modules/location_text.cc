#include "upstream/modules/location_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/encoding.h"
#include "base/text.h"

namespace koya::upstream {
namespace {

constexpr std::size_t kMaxRef = 255;

// Decodes a part of a query: "+" is a blank. Invalid escapes stay as they are.
std::string Decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool escape = text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
                  HexDigit(text[i + 2]) >= 0;
    if (escape) {
      out += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::string NameOf(std::string_view piece) { return Decoded(piece.substr(0, piece.find('='))); }

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; }

// git check-ref-format, for one part between slashes.
bool IsRefPart(std::string_view part) {
  return !part.empty() && part.front() != '.' && !part.ends_with(".lock") &&
         part.find("..") == std::string_view::npos && part.find("@{") == std::string_view::npos &&
         std::ranges::none_of(part, [](char c) {
           return IsControl(c) || std::string_view(" ~^:?*[\\").find(c) != std::string_view::npos;
         });
}

}  // namespace

AddressText SplitAddress(std::string_view text) {
  text = text.substr(0, text.find('#'));
  std::size_t question = text.find('?');
  AddressText out;
  if (question != std::string_view::npos) out.query = text.substr(question + 1);
  std::string_view place = text.substr(0, question);
  std::size_t scheme = place.find("://");
  std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
  std::size_t slashes = place.find("//", begin);
  if (slashes != std::string_view::npos) out.folder = place.substr(slashes + 2);
  out.place = place.substr(0, slashes);
  return out;
}

std::string SchemeOf(std::string_view place) {
  std::size_t end = place.find("://");
  return end == std::string_view::npos ? std::string() : AsciiLower(place.substr(0, end));
}

AddressQuery::AddressQuery(std::string_view query) {
  for (std::string_view piece : Split(query, '&')) {
    if (!piece.empty()) pieces_.emplace_back(piece);
  }
}

Result<std::optional<std::string>> AddressQuery::TakeParameter(std::string_view name) {
  std::optional<std::string> value;
  for (auto piece = pieces_.begin(); piece != pieces_.end();) {
    if (NameOf(*piece) != name) {
      ++piece;
      continue;
    }
    if (value) return FailBadUpstream("it has \"{}\" twice", name);
    std::size_t equals = piece->find('=');
    value = equals == std::string::npos ? "" : Decoded(piece->substr(equals + 1));
    piece = pieces_.erase(piece);
  }
  return value;
}

std::string AddressQuery::ToString() const { return fmt::format("{}", fmt::join(pieces_, "&")); }

std::string AddressQuery::FirstName() const {
  return pieces_.empty() ? std::string() : NameOf(pieces_.front());
}

Authority SplitUserInfo(std::string_view place) {
  std::size_t scheme = place.find("://");
  std::size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
  std::string_view authority = place.substr(begin, place.find('/', begin) - begin);
  std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return {std::nullopt, std::string(place)};
  return {std::string(authority.substr(0, at)),
          std::string(place.substr(0, begin)).append(place.substr(begin + at + 1))};
}

bool HasPlainHost(std::string_view place) {
  std::size_t colon = place.find(':');
  if (colon == std::string_view::npos || place.substr(colon, 3) != "://") return false;
  std::string_view rest = place.substr(colon + 3);
  std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  return !host.empty() && host.find('%') == std::string_view::npos;
}

Result<std::string> NormalFolder(std::string_view written) {
  std::string folder;
  for (std::string_view part : Split(written, '/')) {
    if (part.empty() || part == ".") continue;
    auto fail = [&](std::string_view why) {
      return FailBadUpstream("its folder \"{}\" {}", Printable(written, 100), why);
    };
    if (part == "..") return fail("leads out of the package");
    if (std::ranges::any_of(part, [](char c) { return IsControl(c) || c == '\\'; })) {
      return fail("contains characters that are not allowed in a file name");
    }
    bool pattern = part.find_first_of("*?[]{}") != std::string_view::npos;
    if (pattern && !(part == "*" && folder.empty())) {
      return fail("is a pattern: only \"*\" for the one top folder is supported");
    }
    folder += (folder.empty() ? "" : "/") + std::string(part);
  }
  return folder;
}

Status CheckGitRef(std::string_view ref) {
  auto fail = [&](std::string_view why) {
    return FailBadUpstream("its ref \"{}\" {}", Printable(ref, 80), why);
  };
  if (ref.empty()) return fail("is empty");
  if (ref.size() > kMaxRef) return fail("is too long");
  if (ref.front() == '-') return fail("would be read as an option of git");
  bool good = ref.front() != '+' && ref != "@" && !ref.ends_with('.') &&
              std::ranges::all_of(Split(ref, '/'), IsRefPart);
  return good ? Status() : fail("is not a name of a branch, a tag or a commit");
}

}  // namespace koya::upstream
