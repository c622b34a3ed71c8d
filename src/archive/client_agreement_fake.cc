#include "archive/client_agreement_fake.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>

namespace koya {
namespace {

// Thrown where a client's reader would give an error; caught at the four functions above.
struct ClientFails {};

void Need(bool holds) {
  if (!holds) throw ClientFails();
}

template <class Number>
Number Little(std::string_view bytes, std::size_t at) {
  Need(at <= bytes.size() && bytes.size() - at >= sizeof(Number));
  Number value = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    value |= static_cast<Number>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

std::string_view UpTo(std::string_view text, char end) { return text.substr(0, text.find(end)); }

// The inflated bytes; `packed` is left at what follows the stream.
std::string InflateRaw(std::string_view& packed) {
  z_stream stream{};
  Need(inflateInit2(&stream, -MAX_WBITS) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  int code = Z_OK;
  while (code == Z_OK) {
    char buffer[16384];
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    code = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, sizeof buffer - stream.avail_out);
  }
  packed.remove_prefix(packed.size() - stream.avail_in);
  inflateEnd(&stream);
  Need(code == Z_STREAM_END);
  return out;
}

std::uint32_t Crc(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// ---- gzip ----

void SkipGzipText(std::string_view& left) {
  constexpr std::size_t kBuffer = 512;
  std::size_t end = left.substr(0, kBuffer).find('\0');
  Need(end != std::string_view::npos);
  left.remove_prefix(end + 1);
}

void SkipGzipHeader(std::string_view& left) {
  std::string_view whole = left;
  Need(left.size() >= 10 && left.starts_with("\x1F\x8B\x08"));
  auto flags = static_cast<unsigned char>(left[3]);
  left.remove_prefix(10);
  if ((flags & 4U) != 0) {
    std::size_t extra = Little<std::uint16_t>(left, 0) + std::size_t{2};
    Need(left.size() >= extra);
    left.remove_prefix(extra);
  }
  if ((flags & 8U) != 0) SkipGzipText(left);
  if ((flags & 16U) != 0) SkipGzipText(left);
  if ((flags & 2U) != 0) {
    std::uint32_t crc = Crc(whole.substr(0, whole.size() - left.size()));
    Need(Little<std::uint16_t>(left, 0) == (crc & 0xFFFFU));
    left.remove_prefix(2);
  }
}

// ---- tar ----

struct Header {
  std::string name;
  char type = 0;
  std::int64_t size = 0;
  std::int64_t mode = 0;
};

std::int64_t Octal(std::string_view field) {
  constexpr std::string_view kBlank(" \0", 2);
  std::size_t begin = std::min(field.find_first_not_of(kBlank), field.size());
  field.remove_prefix(begin);
  field = field.substr(0, field.find_last_not_of(kBlank) + 1);
  if (field.empty()) return 0;
  field = UpTo(field, '\0');
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value, 8);
  Need(error == std::errc() && end == field.data() + field.size());
  return static_cast<std::int64_t>(value);
}

std::int64_t Numeric(std::string_view field) {
  auto first = static_cast<unsigned char>(field.front());
  if ((first & 0x80U) == 0) return Octal(field);
  const unsigned char inverted = (first & 0x40U) != 0 ? 0xFF : 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    auto byte = static_cast<unsigned char>(static_cast<unsigned char>(field[i]) ^ inverted);
    if (i == 0) byte &= 0x7FU;
    Need(value >> 56 == 0);
    value = value << 8 | byte;
  }
  Need(value >> 63 == 0);
  return static_cast<std::int64_t>(inverted != 0 ? ~value : value);
}

bool IsNumeric(std::string_view field) {
  try {
    Numeric(field);
    return true;
  } catch (const ClientFails&) {
    return false;
  }
}

// strconv.ParseInt with base 10.
std::int64_t Decimal(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    Need(!text.starts_with('-'));
  }
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  Need(error == std::errc() && end == text.data() + text.size() && !text.empty());
  return value;
}

void CheckTarSum(std::string_view block) {
  std::int64_t stated = Octal(block.substr(148, 8));
  std::int64_t plain = 0;
  std::int64_t with_signs = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    char c = i >= 148 && i < 156 ? ' ' : block[i];
    plain += static_cast<unsigned char>(c);
    with_signs += static_cast<signed char>(c);
  }
  Need(stated == plain || stated == with_signs);
}

std::string TarPrefix(std::string_view block) {
  std::string_view magic = block.substr(257, 6);
  bool posix = magic == std::string_view("ustar\0", 6);
  bool gnu = block.substr(257, 8) == std::string_view("ustar  \0", 8);
  if (!posix && !gnu) return {};
  Numeric(block.substr(329, 8));
  Numeric(block.substr(337, 8));
  if (posix && block.substr(508, 4) == std::string_view("tar\0", 4)) {
    Numeric(block.substr(476, 12));
    Numeric(block.substr(488, 12));
    return std::string(UpTo(block.substr(345, 131), '\0'));
  }
  std::string prefix(UpTo(block.substr(345, 155), '\0'));
  if (posix) return prefix;
  auto bad_time = [&block](std::size_t at) {
    return block[at] != '\0' && !IsNumeric(block.substr(at, 12));
  };
  bool ascii = std::ranges::all_of(prefix, [](char c) { return (c & 0x80) == 0; });
  return (bad_time(345) || bad_time(357)) && ascii ? prefix : std::string();
}

Header ParseTarBlock(std::string_view block) {
  CheckTarSum(block);
  Header header;
  header.name = UpTo(block.substr(0, 100), '\0');
  header.mode = Numeric(block.substr(100, 8));
  Numeric(block.substr(108, 8));
  Numeric(block.substr(116, 8));
  header.size = Numeric(block.substr(124, 12));
  Numeric(block.substr(136, 12));
  header.type = block[156];
  std::string prefix = TarPrefix(block);
  if (!prefix.empty()) header.name = prefix + "/" + header.name;
  return header;
}

using PaxMap = std::map<std::string, std::string, std::less<>>;

PaxMap ParsePax(std::string_view text) {
  PaxMap records;
  while (!text.empty()) {
    std::size_t space = text.find(' ');
    Need(space != std::string_view::npos);
    std::int64_t length = Decimal(text.substr(0, space));
    Need(length >= 5 && length <= static_cast<std::int64_t>(text.size()));
    auto size = static_cast<std::size_t>(length);
    Need(size > space + 1);
    std::string_view record = text.substr(space + 1, size - space - 2);
    Need(text[size - 1] == '\n');
    std::size_t equals = record.find('=');
    Need(equals != std::string_view::npos && equals != 0);
    std::string_view key = record.substr(0, equals);
    std::string_view value = record.substr(equals + 1);
    bool name = key == "path" || key == "linkpath" || key == "uname" || key == "gname";
    Need((name ? value : key).find('\0') == std::string_view::npos);
    Need(!key.starts_with("GNU.sparse."));
    records.insert_or_assign(std::string(key), std::string(value));
    text.remove_prefix(size);
  }
  return records;
}

void CheckPaxTime(std::string_view text) {
  Decimal(UpTo(text, '.'));
  std::string_view part = text.substr(std::min(UpTo(text, '.').size() + 1, text.size()));
  Need(std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; }));
}

void MergePax(const PaxMap& records, Header& header) {
  for (const auto& [key, value] : records) {
    if (value.empty()) continue;
    if (key == "path") header.name = value;
    if (key == "size") header.size = Decimal(value);
    if (key == "uid" || key == "gid") Decimal(value);
    if (key == "atime" || key == "mtime" || key == "ctime") CheckPaxTime(value);
  }
}

bool HasContent(char type) { return !(type >= '1' && type <= '6'); }

class TarWalk {
 public:
  explicit TarWalk(std::string_view tar) : left_(tar) {}

  // The next entry, its content in `content_`; nothing at the end.
  std::optional<ClientFile> Next() {
    PaxMap pax;
    std::string long_name;
    while (true) {
      if (at_end_) return std::nullopt;
      std::optional<Header> read = ReadHeader();
      if (!read) return std::nullopt;
      Header header = *std::move(read);
      switch (header.type) {
        case 'x':
          pax = ParsePax(Special(header));
          continue;
        case 'g':
          // Handed out as an entry of its own, which clients skip: what came before it is lost.
          ParsePax(Special(header));
          pax.clear();
          long_name.clear();
          continue;
        case 'L':
          long_name = UpTo(Special(header), '\0');
          continue;
        case 'K':
          Special(header);
          continue;
        default:
          break;
      }
      Need(header.type != 'S');
      MergePax(pax, header);
      if (!long_name.empty()) header.name = long_name;
      return Entry(header);
    }
  }

 private:
  // Nothing at the end: two zero blocks, or no bytes, or one zero block and no bytes.
  std::optional<Header> ReadHeader() {
    constexpr std::size_t kBlock = 512;
    auto zero = [](std::string_view block) {
      return std::ranges::all_of(block, [](char c) { return c == '\0'; });
    };
    if (left_.empty()) return std::nullopt;
    Need(left_.size() >= kBlock);
    std::string_view block = left_.substr(0, kBlock);
    left_.remove_prefix(kBlock);
    if (!zero(block)) return ParseTarBlock(block);
    if (left_.empty()) return std::nullopt;
    Need(left_.size() >= kBlock && zero(left_.substr(0, kBlock)));
    return std::nullopt;
  }

  std::string_view Content(const Header& header) {
    if (!HasContent(header.type)) return {};
    Need(header.size >= 0);
    auto size = static_cast<std::uint64_t>(header.size);
    Need(size <= left_.size());
    std::string_view content = left_.substr(0, size);
    left_.remove_prefix(size);
    std::size_t padding = (512 - size % 512) % 512;
    // Padding that is cut off ends the archive as if it were whole.
    at_end_ = padding > left_.size();
    left_.remove_prefix(std::min(padding, left_.size()));
    return content;
  }

  std::string_view Special(const Header& header) {
    std::string_view content = Content(header);
    Need(content.size() <= 1 << 20);
    return content;
  }

  ClientFile Entry(const Header& header) {
    // A type of '\0' is an old file, or an old folder when its name ends in "/".
    bool old_folder = header.type == '\0' && header.name.ends_with('/');
    bool folder = header.type == '5' || old_folder || (header.mode & ~07777) == S_IFDIR;
    char type = old_folder ? '5' : header.type;
    std::string_view content = Content({.name = {}, .type = type, .size = header.size});
    ClientFile file{.name = CleanClientPath(header.name), .folder = folder};
    if (!folder) file.content = content;
    return file;
  }

  std::string_view left_;
  bool at_end_ = false;
};

// ---- zip ----

constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kRecordBytes = 46;

struct Directory {
  std::uint64_t records = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

struct Record {
  std::string name;
  unsigned system = 0;
  unsigned flags = 0;
  unsigned method = 0;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0;
  std::uint64_t unpacked = 0;
  std::uint64_t offset = 0;
  std::uint32_t attributes = 0;
};

std::size_t FindEnd(std::string_view zip) {
  for (std::size_t most : {std::size_t{1024}, std::size_t{65 * 1024}}) {
    std::size_t length = std::min(most, zip.size());
    std::string_view block = zip.substr(zip.size() - length);
    std::size_t at = block.size() < kEndBytes ? std::string_view::npos
                                              : block.rfind("PK\x05\x06", block.size() - kEndBytes);
    bool found = at != std::string_view::npos &&
                 Little<std::uint16_t>(block, at + 20) + kEndBytes + at <= block.size();
    if (found) return zip.size() - length + at;
    Need(length != zip.size());
  }
  throw ClientFails();
}

// Where the zip64 end record is said to lie; nothing when there is no locator that counts.
std::optional<std::uint64_t> FindZip64End(std::string_view zip, std::size_t end) {
  if (end < 20) return std::nullopt;
  std::string_view locator = zip.substr(end - 20, 20);
  bool counts = Little<std::uint32_t>(locator, 0) == 0x07064B50 &&
                Little<std::uint32_t>(locator, 4) == 0 && Little<std::uint32_t>(locator, 16) == 1;
  return counts ? std::optional(Little<std::uint64_t>(locator, 8)) : std::nullopt;
}

// One record of the directory; nothing where there is none. A missing required part is the same
// kind of failure as a missing record.
std::optional<Record> ReadRecord(std::string_view zip, std::uint64_t& at) {
  if (at > zip.size() || zip.size() - at < kRecordBytes) return std::nullopt;
  std::string_view bytes = zip.substr(at);
  if (Little<std::uint32_t>(bytes, 0) != 0x02014B50) return std::nullopt;
  Record record;
  record.system = Little<std::uint16_t>(bytes, 4) >> 8;
  record.flags = Little<std::uint16_t>(bytes, 8);
  record.method = Little<std::uint16_t>(bytes, 10);
  record.crc = Little<std::uint32_t>(bytes, 16);
  record.packed = Little<std::uint32_t>(bytes, 20);
  record.unpacked = Little<std::uint32_t>(bytes, 24);
  std::size_t name = Little<std::uint16_t>(bytes, 28);
  std::size_t extra_size = Little<std::uint16_t>(bytes, 30);
  std::size_t comment = Little<std::uint16_t>(bytes, 32);
  record.attributes = Little<std::uint32_t>(bytes, 38);
  record.offset = Little<std::uint32_t>(bytes, 42);
  if (bytes.size() - kRecordBytes < name + extra_size + comment) return std::nullopt;
  record.name = bytes.substr(kRecordBytes, name);
  std::string_view extra = bytes.substr(kRecordBytes + name, extra_size);
  at += kRecordBytes + name + extra_size + comment;

  constexpr std::uint64_t kSee64 = 0xFFFFFFFF;
  bool need[3] = {record.unpacked == kSee64, record.packed == kSee64, record.offset == kSee64};
  std::uint64_t* values[3] = {&record.unpacked, &record.packed, &record.offset};
  while (extra.size() >= 4) {
    auto tag = Little<std::uint16_t>(extra, 0);
    auto size = Little<std::uint16_t>(extra, 2);
    extra.remove_prefix(4);
    if (extra.size() < size) break;
    std::string_view field = extra.substr(0, size);
    extra.remove_prefix(size);
    if (tag != 1) continue;
    for (int i = 0; i < 3; ++i) {
      if (!need[i]) continue;
      need[i] = false;
      if (field.size() < 8) return std::nullopt;
      *values[i] = Little<std::uint64_t>(field, 0);
      field.remove_prefix(8);
    }
  }
  if (need[1] || need[2]) return std::nullopt;
  return record;
}

std::vector<Record> ReadDirectory(std::string_view zip) {
  std::size_t end = FindEnd(zip);
  std::string_view bytes = zip.substr(end);
  Directory directory{.records = Little<std::uint16_t>(bytes, 10),
                      .size = Little<std::uint32_t>(bytes, 12),
                      .offset = Little<std::uint32_t>(bytes, 16)};
  if (directory.records == 0xFFFF || directory.size == 0xFFFF || directory.offset == 0xFFFFFFFF) {
    if (std::optional<std::uint64_t> at = FindZip64End(zip, end)) {
      Need(*at <= zip.size() && zip.size() - *at >= 56);
      std::string_view end64 = zip.substr(*at);
      Need(Little<std::uint32_t>(end64, 0) == 0x06064B50);
      directory = {.records = Little<std::uint64_t>(end64, 32),
                   .size = Little<std::uint64_t>(end64, 40),
                   .offset = Little<std::uint64_t>(end64, 48)};
      end = static_cast<std::size_t>(*at);
    }
  }
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  Need(directory.size <= kMost && directory.offset <= kMost);
  // The sum wraps as Go's does.
  auto base = static_cast<std::int64_t>(end - directory.size - directory.offset);
  auto begin = static_cast<std::int64_t>(static_cast<std::uint64_t>(base) + directory.offset);
  Need(begin >= 0 && begin < static_cast<std::int64_t>(zip.size()));
  std::uint64_t at = directory.offset;
  if (base > 0 && ReadRecord(zip, at)) base = 0;
  at = static_cast<std::uint64_t>(base) + directory.offset;
  std::vector<Record> records;
  while (std::optional<Record> record = ReadRecord(zip, at)) {
    record->offset += static_cast<std::uint64_t>(base);
    records.push_back(*std::move(record));
  }
  Need((records.size() & 0xFFFFU) == (directory.records & 0xFFFFU));
  return records;
}

bool IsZipFolder(const Record& record) {
  if (record.name.ends_with('/')) return true;
  if (record.system == 3 || record.system == 19) {
    return S_ISDIR(static_cast<mode_t>(record.attributes >> 16));
  }
  bool dos = record.system == 0 || record.system == 11 || record.system == 14;
  return dos && (record.attributes & 0x10U) != 0;
}

void CheckZipDescriptor(std::string_view rest, const Record& record) {
  std::size_t signature = Little<std::uint32_t>(rest, 0) == 0x08074B50 ? 4 : 0;
  Need(rest.size() >= 12 + signature && Little<std::uint32_t>(rest, signature) == record.crc);
}

std::string ReadZipContent(std::string_view zip, const Record& record) {
  Need(record.offset <= zip.size() && zip.size() - record.offset >= 30);
  std::string_view local = zip.substr(record.offset);
  Need(Little<std::uint32_t>(local, 0) == 0x04034B50);
  std::size_t header = std::size_t{30} + Little<std::uint16_t>(local, 26);
  header += Little<std::uint16_t>(local, 28);
  // Content that is said to go beyond the file's end fails only when it is needed.
  std::string_view packed = local.substr(std::min(header, local.size()), record.packed);
  std::string_view rest = local.substr(std::min(header + packed.size(), local.size()));
  if (packed.size() < record.packed) rest = {};
  Need(record.method == 0 || record.method == 8);
  std::string content = record.method == 0 ? std::string(packed) : InflateRaw(packed);
  Need(content.size() == record.unpacked);
  bool descriptor = (record.flags & 8U) != 0;
  if (descriptor) CheckZipDescriptor(rest, record);
  Need(Crc(content) == record.crc || (!descriptor && record.crc == 0));
  return content;
}

}  // namespace

std::string CleanClientPath(std::string_view path) {
  std::vector<std::string_view> kept;
  bool rooted = path.starts_with('/');
  while (!path.empty()) {
    std::string_view segment = UpTo(path, '/');
    path.remove_prefix(std::min(segment.size() + 1, path.size()));
    if (segment.empty() || segment == ".") continue;
    if (segment == ".." && !kept.empty() && kept.back() != "..") {
      kept.pop_back();
    } else if (segment != ".." || !rooted) {
      kept.push_back(segment);
    }
  }
  std::string clean;
  for (std::string_view segment : kept) {
    if (!clean.empty()) clean += '/';
    clean += segment;
  }
  if (rooted) return "/" + clean;
  return clean.empty() ? "." : clean;
}

std::optional<std::string> ClientGunzip(std::string_view bytes) {
  try {
    Need(!bytes.empty());
    std::string out;
    while (!bytes.empty()) {
      SkipGzipHeader(bytes);
      std::string member = InflateRaw(bytes);
      Need(Little<std::uint32_t>(bytes, 0) == Crc(member));
      Need(Little<std::uint32_t>(bytes, 4) == static_cast<std::uint32_t>(member.size()));
      bytes.remove_prefix(8);
      out += member;
    }
    return out;
  } catch (const ClientFails&) {
    return std::nullopt;
  }
}

std::optional<ClientFiles> ReadTarAsClient(std::string_view tar) {
  try {
    ClientFiles files;
    TarWalk walk(tar);
    while (std::optional<ClientFile> file = walk.Next()) files.push_back(*std::move(file));
    return files;
  } catch (const ClientFails&) {
    return std::nullopt;
  }
}

std::optional<ClientFiles> ReadTarGzAsClient(std::string_view bytes) {
  std::optional<std::string> tar = ClientGunzip(bytes);
  return tar ? ReadTarAsClient(*tar) : std::nullopt;
}

std::optional<ClientFiles> ReadZipAsClient(std::string_view bytes) {
  try {
    ClientFiles files;
    for (const Record& record : ReadDirectory(bytes)) {
      ClientFile file{.name = CleanClientPath(record.name), .folder = IsZipFolder(record)};
      if (!file.folder) file.content = ReadZipContent(bytes, record);
      files.push_back(std::move(file));
    }
    return files;
  } catch (const ClientFails&) {
    return std::nullopt;
  }
}

}  // namespace koya
