#include "archive/zip_directory.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "archive/archive_limits.h"
#include "archive/entry_name.h"

namespace koya {
namespace {

constexpr std::uint16_t kZip64ExtraId = 1;

// The content of the zip64 extra field, or nothing.
std::span<const std::byte> FindZip64(std::span<const std::byte> extra) {
  while (extra.size() >= 4) {
    auto id = ZipField<std::uint16_t>(extra, 0);
    auto size = ZipField<std::uint16_t>(extra, 2);
    extra = extra.subspan(4);
    if (size > extra.size()) return {};
    if (id == kZip64ExtraId) return extra.first(size);
    extra = extra.subspan(size);
  }
  return {};
}

}  // namespace

bool ApplyZip64(std::span<const std::byte> extra, std::span<std::uint64_t* const> values) {
  std::span<const std::byte> field = FindZip64(extra);
  for (std::uint64_t* value : values) {
    if (*value != kZipSee64) continue;
    if (field.size() < sizeof(std::uint64_t)) return false;
    *value = ZipField<std::uint64_t>(field, 0);
    field = field.subspan(sizeof(std::uint64_t));
  }
  return true;
}

namespace {

constexpr std::string_view kZipCutOff =
    "is cut off or damaged: its zip directory is not at its end; pack and upload it again";
constexpr std::string_view kDamagedDirectory =
    "is damaged: its zip directory is malformed; pack and upload it again";

// Where the central directory lies and how many entries it announces.
struct DirectoryPlace {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t entries = 0;
};

// ---- the end record ----

// The number of bytes from the start of the end record to the end of the file. The record has no
// fixed place, since a comment follows it, so it is searched from the back, as all readers do.
Result<std::size_t> FindEndRecord(std::span<const std::byte> tail) {
  if (tail.size() < kZipEndBytes) return RefuseArchive(kZipCutOff);
  for (std::size_t at = tail.size() - kZipEndBytes + 1; at-- > 0;) {
    if (ZipField<std::uint32_t>(tail, at) != kZipEndSignature) continue;
    // Only a comment may follow, and it must reach the end exactly; a signature inside a comment
    // would let two readers see two directories.
    std::size_t comment = tail.size() - at - kZipEndBytes;
    if (ZipField<std::uint16_t>(tail, at + 20) != comment) return RefuseArchive(kZipCutOff);
    return tail.size() - at;
  }
  return RefuseArchive(kZipCutOff);
}

// Reads the zip64 end record that must lie between the directory and the locator at `locator_end`.
Result<DirectoryPlace> ReadZip64End(const PackedFile& file, std::uint64_t locator_end) {
  std::array<std::byte, kZip64EndBytes + kZip64LocatorBytes> bytes{};
  if (locator_end < bytes.size()) return RefuseArchive(kDamagedDirectory);
  std::uint64_t begin = locator_end - bytes.size();
  RETURN_IF_ERROR(file.ReadAt(begin, bytes));
  std::span<const std::byte> end(bytes.data(), kZip64EndBytes);
  std::span<const std::byte> locator = std::span(bytes).subspan(kZip64EndBytes);
  bool right = ZipField<std::uint32_t>(end, 0) == kZip64EndSignature &&
               ZipField<std::uint64_t>(end, 4) == kZip64EndBytes - 12 &&
               ZipField<std::uint32_t>(end, 16) == 0 && ZipField<std::uint32_t>(end, 20) == 0 &&
               ZipField<std::uint64_t>(end, 24) == ZipField<std::uint64_t>(end, 32) &&
               ZipField<std::uint32_t>(locator, 0) == kZip64LocatorSignature &&
               ZipField<std::uint32_t>(locator, 4) == 0 &&
               ZipField<std::uint32_t>(locator, 16) == 1 &&
               ZipField<std::uint64_t>(locator, 8) == begin;
  if (!right) return RefuseArchive(kDamagedDirectory);
  DirectoryPlace place{.offset = ZipField<std::uint64_t>(end, 48),
                       .size = ZipField<std::uint64_t>(end, 40),
                       .entries = ZipField<std::uint64_t>(end, 32)};
  if (place.offset > begin || place.size != begin - place.offset) {
    return RefuseArchive(kDamagedDirectory);
  }
  return place;
}

// What the end record says of the directory, before anything is believed.
struct EndRecord {
  std::uint64_t offset = 0;  // of the record itself
  std::uint16_t entries = 0;
  std::uint32_t directory_size = 0;
  std::uint32_t directory_offset = 0;
  bool one_disk = false;
};

// The directory must end where the end record begins: a gap would mean that offsets are shifted, as
// in a self-extracting program, and readers differ in how they correct that.
Result<DirectoryPlace> ClassicalPlace(const EndRecord& end) {
  if (!end.one_disk) return RefuseArchive("is one part of several; make a zip of one part");
  std::uint64_t directory_end = std::uint64_t{end.directory_offset} + end.directory_size;
  if (directory_end > end.offset) return RefuseArchive(kZipCutOff);
  if (directory_end != end.offset) {
    return RefuseArchive(
        "has data before its zip begins or after its directory (is it self-extracting?); make a "
        "plain zip");
  }
  return DirectoryPlace{
      .offset = end.directory_offset, .size = end.directory_size, .entries = end.entries};
}

Result<bool> HasZip64Locator(const PackedFile& file, std::uint64_t end_offset) {
  std::array<std::byte, 4> signature{};
  if (end_offset < kZip64LocatorBytes) return false;
  RETURN_IF_ERROR(file.ReadAt(end_offset - kZip64LocatorBytes, signature));
  return ZipField<std::uint32_t>(signature, 0) == kZip64LocatorSignature;
}

// Some readers follow a zip64 locator whenever there is one, others when the number of entries or
// the offset says so, the clients' also when the size is 0xFFFF: so that they all find the same
// directory, a locator is only taken when both records describe it, and every reader follows it or
// need not.
Result<DirectoryPlace> Zip64Place(const PackedFile& file, const EndRecord& end) {
  ASSIGN_OR_RETURN(DirectoryPlace place, ReadZip64End(file, end.offset));
  bool see_entries = end.entries == kZipSee64Short;
  bool see_size = end.directory_size == kZipSee64;
  bool see_offset = end.directory_offset == kZipSee64;
  bool same = (see_entries || end.entries == place.entries) &&
              (see_size || end.directory_size == place.size) &&
              (see_offset || end.directory_offset == place.offset);
  bool all_follow = see_entries || see_offset || !see_size;
  if (same && all_follow && end.directory_size != kZipSee64Short) return place;
  return RefuseArchive(
      "has two directories that readers choose between in different ways; make a plain zip");
}

Result<DirectoryPlace> FindDirectory(const PackedFile& file) {
  std::vector<std::byte> tail(std::min<std::uint64_t>(file.size(), kZipEndBytes + 0xFFFF));
  RETURN_IF_ERROR(file.ReadAt(file.size() - tail.size(), tail));
  ASSIGN_OR_RETURN(std::size_t from_end, FindEndRecord(tail));
  std::span<const std::byte> bytes = std::span(tail).last(from_end);
  EndRecord end{.offset = file.size() - from_end,
                .entries = ZipField<std::uint16_t>(bytes, 10),
                .directory_size = ZipField<std::uint32_t>(bytes, 12),
                .directory_offset = ZipField<std::uint32_t>(bytes, 16)};
  end.one_disk = ZipField<std::uint16_t>(bytes, 4) == 0 && ZipField<std::uint16_t>(bytes, 6) == 0 &&
                 ZipField<std::uint16_t>(bytes, 8) == end.entries;
  ASSIGN_OR_RETURN(bool locator, HasZip64Locator(file, end.offset));
  return locator ? Zip64Place(file, end) : ClassicalPlace(end);
}

// ---- one record ----

struct CentralRecord {
  std::array<std::byte, kZipCentralBytes> fixed{};
  std::string name;
  std::vector<std::byte> extra;

  template <class Number>
  Number Field(std::size_t offset) const {
    return ZipField<Number>(fixed, offset);
  }
};

// Reads one record, with its name and extra fields, and leaves the cursor at the next. Its lengths
// are checked against the end of the directory first: nothing is read that is not there.
Status ReadRecord(FileCursor& cursor, std::uint64_t directory_end, CentralRecord& record) {
  if (directory_end - cursor.position() < kZipCentralBytes) {
    return RefuseArchive(kDamagedDirectory);
  }
  RETURN_IF_ERROR(cursor.Fill(record.fixed));
  if (record.Field<std::uint32_t>(0) != kZipCentralSignature) {
    return RefuseArchive(kDamagedDirectory);
  }
  auto name = record.Field<std::uint16_t>(28);
  auto extra = record.Field<std::uint16_t>(30);
  auto comment = record.Field<std::uint16_t>(32);
  if (directory_end - cursor.position() < std::uint64_t{name} + extra + comment) {
    return RefuseArchive(kDamagedDirectory);
  }
  record.name.resize(name);
  record.extra.resize(extra);
  RETURN_IF_ERROR(cursor.Fill(std::as_writable_bytes(std::span(record.name))));
  RETURN_IF_ERROR(cursor.Fill(record.extra));
  cursor.Seek(cursor.position() + comment);
  return {};
}

// Refuses what needs a password or a decompressor that clients do not have.
Status CheckReadable(const CentralRecord& record) {
  constexpr std::uint16_t kEncrypted = 1U << 0;
  constexpr std::uint16_t kPatch = 1U << 5;
  constexpr std::uint16_t kStrongEncryption = 1U << 6;
  constexpr std::uint16_t kMaskedHeaders = 1U << 13;
  constexpr std::uint16_t kAesMethod = 99;
  auto flags = record.Field<std::uint16_t>(8);
  auto method = record.Field<std::uint16_t>(10);
  if ((flags & (kEncrypted | kStrongEncryption | kMaskedHeaders)) != 0 || method == kAesMethod) {
    return RefuseEntry(record.name, "is encrypted; make the zip without a password");
  }
  if ((method != kZipStored && method != kZipDeflated) || (flags & kPatch) != 0) {
    return RefuseEntry(record.name,
                       fmt::format("is packed with method {}, which clients cannot read; use "
                                   "\"deflate\", the default of zip programs",
                                   method));
  }
  if (record.Field<std::uint16_t>(34) != 0) {
    return RefuseEntry(record.name, "lies in another part of a split zip; make a zip of one part");
  }
  return {};
}

// Sets `directory` and `executable`. Which bits count depends on the system that packed it.
Status ReadType(const CentralRecord& record, LinkRule links, ArchiveEntry& entry) {
  constexpr unsigned kUnix = 3;
  constexpr unsigned kMac = 19;
  constexpr std::uint32_t kDosDirectory = 0x10;
  unsigned system = record.Field<std::uint16_t>(4) >> 8;
  auto attributes = record.Field<std::uint32_t>(38);
  mode_t mode = attributes >> 16;
  mode_t type = mode & S_IFMT;
  // A link is one whatever system is named: some clients look at nothing else.
  if (S_ISLNK(type) && links == LinkRule::kReport && !record.name.ends_with('/')) {
    entry.link = LinkKind::kSymbolic;
    return {};
  }
  if (S_ISLNK(type)) {
    return RefuseEntry(record.name,
                       "is a symbolic link, which clients unpack as a file holding the target's "
                       "name; pack a copy of its target");
  }
  bool has_mode = system == kUnix || system == kMac;
  if (has_mode && type != 0 && !S_ISREG(type) && !S_ISDIR(type)) {
    return RefuseEntry(record.name, "is a device, pipe or socket; leave it out");
  }
  entry.directory = record.name.ends_with('/');
  bool says_directory = has_mode ? S_ISDIR(type) : (attributes & kDosDirectory) != 0;
  if (says_directory && !entry.directory) {
    return RefuseEntry(record.name, "is a folder without \"/\" at its end; pack it again");
  }
  entry.executable = !entry.directory && has_mode && (mode & S_IXUSR) != 0;
  return {};
}

// Everything the record says, checked; the extent's end is not known yet.
Result<ZipEntry> MakeEntry(CentralRecord& record, LinkRule links, NameRule names) {
  RETURN_IF_ERROR(CheckReadable(record));
  ZipEntry zip;
  zip.crc = record.Field<std::uint32_t>(16);
  zip.flags = record.Field<std::uint16_t>(8);
  zip.method = record.Field<std::uint16_t>(10);
  zip.packed_size = record.Field<std::uint32_t>(20);
  zip.entry.size = record.Field<std::uint32_t>(24);
  zip.begin = record.Field<std::uint32_t>(42);
  std::array<std::uint64_t*, 3> wide{&zip.entry.size, &zip.packed_size, &zip.begin};
  if (!ApplyZip64(record.extra, wide)) return RefuseArchive(kDamagedDirectory);
  RETURN_IF_ERROR(ReadType(record, links, zip.entry));
  Result<std::string> name = ParseEntryName(record.name);
  if (!name && names == NameRule::kRefuse) return Failure(std::move(name).error());
  if (name) {
    zip.entry.name = *std::move(name);
  } else {
    zip.unsafe = std::move(name).error().message;
  }
  if (zip.entry.name.empty() && zip.unsafe.empty() && !zip.entry.directory) {
    return RefuseEntry(record.name, "is a file named as the root folder; pack it again");
  }
  if (zip.entry.directory && zip.entry.size != 0) {
    return RefuseEntry(record.name, "is a folder with content; pack it again");
  }
  if (zip.method == kZipStored && zip.packed_size != zip.entry.size) {
    return RefuseEntry(record.name, "is damaged: its sizes contradict each other; pack it again");
  }
  zip.stored_name = std::move(record.name);
  return zip;
}

// Orders entries by place and gives each the bytes up to the next one. Overlaps show later, when
// an entry turns out not to fit its extent.
Status AssignExtents(std::vector<ZipEntry>& entries, std::uint64_t directory_offset) {
  std::ranges::sort(entries, {}, &ZipEntry::begin);
  std::uint64_t end = directory_offset;
  for (std::size_t i = entries.size(); i-- > 0;) {
    ZipEntry& zip = entries[i];
    zip.end = end;
    end = zip.begin;
    if (zip.begin > zip.end || zip.packed_size > zip.end - zip.begin) {
      return RefuseEntry(zip.stored_name, "shares its data with another entry; pack it again");
    }
  }
  if (end != 0) {
    return RefuseArchive("has data before its first entry; make a plain zip");
  }
  return {};
}

}  // namespace

Result<std::vector<ZipEntry>> ReadZipDirectory(const PackedFile& file, const ArchiveLimits& limits,
                                               LinkRule links, NameRule names) {
  ArchiveBudget budget(limits, file.size());
  ASSIGN_OR_RETURN(DirectoryPlace place, FindDirectory(file));
  RETURN_IF_ERROR(budget.CheckAnnouncedEntries(place.entries));
  if (place.entries == 0) return RefuseArchive("is empty: it has no files; pack it again");
  FileCursor cursor(file);
  cursor.Seek(place.offset);
  std::uint64_t end = place.offset + place.size;
  std::vector<ZipEntry> entries;
  CentralRecord record;
  for (std::uint64_t i = 0; i < place.entries; ++i) {
    RETURN_IF_ERROR(ReadRecord(cursor, end, record));
    RETURN_IF_ERROR(budget.AddName(record.name.size()));
    ASSIGN_OR_RETURN(ZipEntry zip, MakeEntry(record, links, names));
    zip.place = i;
    RETURN_IF_ERROR(budget.CheckAnnouncedBytes(zip.entry.name, zip.entry.size));
    RETURN_IF_ERROR(budget.AddUnpacked(zip.entry.size));
    entries.push_back(std::move(zip));
  }
  if (cursor.position() != end) return RefuseArchive(kDamagedDirectory);
  RETURN_IF_ERROR(AssignExtents(entries, place.offset));
  return entries;
}

}  // namespace koya
