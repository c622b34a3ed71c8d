#include "archive/tar_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "archive/archive_limits.h"
#include "base/decimal.h"

namespace koya {
namespace {

// Where POSIX puts the fields.
struct Field {
  std::size_t offset;
  std::size_t size;
};
constexpr Field kName{0, 100};
constexpr Field kMode{100, 8};
constexpr Field kUserId{108, 8};
constexpr Field kGroupId{116, 8};
constexpr Field kSize{124, 12};
constexpr Field kTime{136, 12};
constexpr Field kChecksum{148, 8};
constexpr std::size_t kType = 156;
constexpr Field kLink{157, 100};
constexpr Field kMagic{257, 6};
constexpr Field kMagicAndVersion{257, 8};
constexpr Field kDeviceMajor{329, 8};
constexpr Field kDeviceMinor{337, 8};
constexpr Field kPrefix{345, 155};
constexpr Field kPadding{500, 12};
constexpr Field kStarMark{508, 4};
constexpr Field kGnuTimes[] = {{345, 12}, {357, 12}};  // of GNU tar's headers only

constexpr std::string_view kDamaged = "is damaged: {}; pack and upload it again";
constexpr std::uint64_t kMaxNumber = std::numeric_limits<std::int64_t>::max();

std::string_view Bytes(const TarBlock& block, Field field) {
  return {reinterpret_cast<const char*>(block.data()) + field.offset, field.size};
}

// The field as far as its first NUL; what follows a NUL means nothing.
std::string_view Text(const TarBlock& block, Field field) {
  std::string_view bytes = Bytes(block, field);
  return bytes.substr(0, bytes.find('\0'));
}

// Octal digits with blanks before them, and blanks and NULs behind; an empty field is 0, as old
// programs wrote it. Nothing else: readers skip a NUL before the digits, or stop at it.
std::optional<std::uint64_t> ParseOctal(std::string_view field) {
  field = field.substr(0, field.find_last_not_of(std::string_view(" \0", 2)) + 1);
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  if (field.empty()) return 0;
  std::uint64_t value = 0;
  auto [end, ec] = std::from_chars(field.data(), field.data() + field.size(), value, 8);
  if (ec != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return value;
}

// Octal digits, or GNU tar's big-endian number with the top bit set.
std::optional<std::uint64_t> ParseNumber(std::string_view field) {
  auto first = static_cast<unsigned char>(field.front());
  if ((first & 0x80U) == 0) return ParseOctal(field);
  if ((first & 0x7FU) != 0) return std::nullopt;  // negative, or far beyond any limit
  std::uint64_t value = 0;
  for (char c : field.substr(1)) {
    if (value > kMaxNumber >> 8) return std::nullopt;
    value = value << 8 | static_cast<unsigned char>(c);
  }
  return value;
}

// Old programs summed signed characters; readers take both.
bool ChecksumMatches(const TarBlock& block) {
  std::optional<std::uint64_t> stated = ParseOctal(Bytes(block, kChecksum));
  if (!stated) return false;
  std::int64_t as_unsigned = 0;
  std::int64_t as_signed = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    bool in_checksum = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.size;
    auto byte =
        in_checksum ? static_cast<unsigned char>(' ') : static_cast<unsigned char>(block[i]);
    as_unsigned += byte;
    as_signed += static_cast<signed char>(byte);
  }
  auto sum = static_cast<std::int64_t>(*stated);
  return sum == as_unsigned || sum == as_signed;
}

// GNU's headers have times where POSIX's have the prefix. A program once wrote the prefix there all
// the same, so the clients' reader takes times that are not numbers for a prefix.
bool HasStrayPrefix(const TarBlock& block) {
  if (Bytes(block, kMagicAndVersion) != std::string_view("ustar  \0", 8)) return false;
  return std::ranges::any_of(kGnuTimes, [&block](Field field) {
    std::string_view time = Bytes(block, field);
    return time.front() != '\0' && !ParseNumber(time);
  });
}

// Whether there is only one way to read the block: a POSIX header with nothing but octal numbers.
bool IsPlain(const TarBlock& block, const TarHeader& header) {
  constexpr Field kNumbers[] = {kMode, kUserId, kGroupId, kSize, kTime, kDeviceMajor, kDeviceMinor};
  return Bytes(block, kMagicAndVersion) == std::string_view("ustar\00000", 8) &&
         (header.type == '0' || header.type == '5' || header.type == 'x') && header.link.empty() &&
         Text(block, kPadding).empty() && std::ranges::all_of(kNumbers, [&block](Field field) {
           return ParseOctal(Bytes(block, field)).has_value();
         });
}

}  // namespace

bool IsZeroBlock(const TarBlock& block) {
  return std::ranges::all_of(block, [](std::byte b) { return b == std::byte{0}; });
}

Result<TarHeader> ParseTarHeader(const TarBlock& block) {
  if (!ChecksumMatches(block)) {
    return RefuseArchive(
        "has no valid tar inside its gzip: an entry's checksum is wrong; pack the module's folder "
        "with tar -czf and upload it again");
  }
  TarHeader header;
  header.type = static_cast<char>(block[kType]);
  header.name = Text(block, kName);
  header.link = Text(block, kLink);
  // Only POSIX's own magic ("ustar", NUL) has the prefix; GNU's ("ustar  ") keeps times there.
  if (Bytes(block, kMagic) == std::string_view("ustar\0", 6)) {
    if (Bytes(block, kStarMark) == std::string_view("tar\0", 4)) {
      return RefuseEntry(header.name, "is in star's own format; pack with tar --format=posix");
    }
    std::string_view prefix = Text(block, kPrefix);
    if (!prefix.empty()) header.name = fmt::format("{}/{}", prefix, header.name);
  }
  std::optional<std::uint64_t> size = ParseNumber(Bytes(block, kSize));
  if (!size) return RefuseEntry(header.name, fmt::format(kDamaged, "its size is no number"));
  header.size = *size;
  if (HasStrayPrefix(block)) {
    return RefuseEntry(header.name, fmt::format(kDamaged, "its times are no numbers"));
  }
  // A mode that cannot be read is no reason to refuse: few bits of it matter.
  std::uint64_t mode = ParseNumber(Bytes(block, kMode)).value_or(0);
  header.executable = (mode & 0100U) != 0;
  header.mode_type = mode & ~std::uint64_t{07777};
  header.plain = IsPlain(block, header);
  return header;
}

namespace {

Failure BadPax() { return RefuseArchive(fmt::format(kDamaged, "a pax header in it is malformed")); }

// Records that every program writes and every reader interprets in the same way.
bool IsPlainRecord(std::string_view key, std::string_view value) {
  constexpr std::string_view kKnown[] = {"path", "size", "uname", "gname"};
  auto is_key = [key](std::string_view each) { return each == key; };
  if (std::ranges::any_of(kKnown, is_key)) return value.find('\0') == std::string_view::npos;
  constexpr std::string_view kNumbers[] = {"mtime", "atime", "ctime", "uid", "gid"};
  constexpr std::size_t kDigits = 18;  // no reader's numbers end before
  std::string_view whole = value.substr(0, value.find('.'));
  std::string_view part = value.substr(std::min(whole.size() + 1, value.size()));
  auto digits = [](std::string_view text) {
    return text.size() <= kDigits &&
           std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  bool fraction = part.empty() ? whole.size() == value.size() : key.ends_with("time");
  return std::ranges::any_of(kNumbers, is_key) && !whole.empty() && digits(whole) && digits(part) &&
         fraction;
}

Status ApplyPax(std::string_view key, std::string_view value, PaxRecords& records) {
  // An empty value means that there is none, or that the header's counts. An entry without a name
  // is refused later.
  if (key == "linkpath" && value.empty()) return BadPax();
  records.plain = records.plain && IsPlainRecord(key, value);
  if (key == "path") {
    records.path = value;
  } else if (key == "size") {
    auto size = ParseDecimal<std::uint64_t>(value);
    if (!size || *size > kMaxNumber) return BadPax();
    records.size = *size;
  } else if (key == "linkpath") {
    records.link = value;
  } else if (key.starts_with("GNU.sparse.") || key == "SCHILY.realsize") {
    records.sparse = true;
  }
  return {};
}

}  // namespace

// Each record is "LENGTH KEY=VALUE\n", where LENGTH counts all of it.
Result<PaxRecords> ParsePaxRecords(std::string_view text) {
  PaxRecords records;
  while (!text.empty()) {
    std::size_t length = 0;
    auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), length);
    auto digits = static_cast<std::size_t>(end - text.data());
    if (ec != std::errc() || length > text.size() || length < digits + 2) return BadPax();
    std::string_view record = text.substr(0, length);
    if (record[digits] != ' ' || record.back() != '\n') return BadPax();
    std::string_view body = record.substr(digits + 1, length - digits - 2);
    std::size_t equals = body.find('=');
    if (equals == std::string_view::npos || equals == 0) return BadPax();
    RETURN_IF_ERROR(ApplyPax(body.substr(0, equals), body.substr(equals + 1), records));
    text.remove_prefix(length);
  }
  return records;
}

}  // namespace koya
