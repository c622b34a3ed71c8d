#include "signing/armor.h"
#include "base/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace koya::signing {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kEnd = "-----END ";
constexpr std::string_view kDashes = "-----";
constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::size_t kLineDigits = 64;

std::string_view Trim(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
  return line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

// What stands in "-----BEGIN LABEL-----"; nullopt for any other line.
std::optional<std::string_view> Label(std::string_view line, std::string_view opening) {
  if (!line.starts_with(opening) || !line.ends_with(kDashes)) return std::nullopt;
  if (line.size() <= opening.size() + kDashes.size()) return std::nullopt;
  return line.substr(opening.size(), line.size() - opening.size() - kDashes.size());
}

// RFC 4880 §6.1.
std::uint32_t Crc24(std::string_view bytes) {
  std::uint32_t crc = 0xB704CE;
  for (const char c : bytes) {
    crc ^= std::uint32_t{static_cast<unsigned char>(c)} << 16;
    for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ ((crc & 0x800000U) != 0 ? 0x1864CFBU : 0U);
  }
  return crc & 0xFFFFFFU;
}

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  // The next line without the white space around it; nullopt at the end.
  std::optional<std::string_view> Next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return Trim(line);
  }
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

Failure Damaged(std::size_t begin, std::string_view what) {
  return FailInvalid(
      "the armored block that begins on line {} {}; paste it again, from its "
      "BEGIN line to its END line",
      begin, what);
}

// The block whose BEGIN line was read last.
Result<ArmorBlock> ReadBlock(Lines& lines, std::string_view label) {
  const std::size_t begin = lines.number();
  auto line = lines.Next();
  while (line && line->contains(':')) line = lines.Next();  // "Version: …"
  if (!line || !line->empty()) return Damaged(begin, "has no empty line after its headers");
  std::string digits;
  std::optional<std::string> checksum;
  while ((line = lines.Next()) && !line->starts_with(kDashes)) {
    if (checksum && !line->empty()) return Damaged(begin, "goes on after its checksum");
    if (line->size() == 5 && line->starts_with('=')) {
      checksum = Base64Decode(line->substr(1));
      if (!checksum) return Damaged(begin, "has a checksum that is not base64");
    } else {
      digits += *line;
    }
  }
  if (!line) return Damaged(begin, "has no END line");
  if (Label(*line, kEnd) != label) return Damaged(begin, "does not end with the same name");
  auto bytes = Base64Decode(digits);
  if (!bytes) return Damaged(begin, "is not base64");
  const std::uint32_t crc = Crc24(*bytes);
  const std::string expected = {static_cast<char>(crc >> 16), static_cast<char>(crc >> 8),
                                static_cast<char>(crc)};
  if (checksum && *checksum != expected) return Damaged(begin, "does not match its checksum");
  return ArmorBlock{std::string(label), *std::move(bytes)};
}

}  // namespace

bool BeginsArmor(std::string_view text, std::string_view word) {
  Lines lines(text);
  while (auto line = lines.Next()) {
    // Loosely: an editor may have eaten a dash.
    const std::size_t at = line->find("BEGIN PGP ");
    if (at != std::string_view::npos && line->substr(at).contains(word)) return true;
  }
  return false;
}

Result<std::vector<ArmorBlock>> ReadArmor(std::string_view text) {
  std::vector<ArmorBlock> blocks;
  Lines lines(text);
  while (auto line = lines.Next()) {
    const auto label = Label(*line, kBegin);
    if (!label || !label->starts_with("PGP ") || *label == "PGP SIGNED MESSAGE") continue;
    ASSIGN_OR_RETURN(ArmorBlock block, ReadBlock(lines, *label));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::string WriteArmor(std::string_view label, std::string_view bytes) {
  std::string digits;
  digits += Base64Encode(std::as_bytes(std::span(bytes)));
  std::string text = fmt::format("{}{}{}\n\n", kBegin, label, kDashes);
  for (std::size_t at = 0; at < digits.size(); at += kLineDigits) {
    text.append(digits, at, kLineDigits) += '\n';
  }
  const std::uint32_t crc = Crc24(bytes);
  const std::string sum = {static_cast<char>(crc >> 16), static_cast<char>(crc >> 8),
                           static_cast<char>(crc)};
  text += '=';
  text += Base64Encode(std::as_bytes(std::span(sum)));
  return text + fmt::format("\n{}{}{}\n", kEnd, label, kDashes);
}

}  // namespace koya::signing
