#include "archive/tar_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "archive/archive_limits.h"
#include "archive/entry_name.h"

namespace koya {
namespace {

// Extended headers are held in memory; the clients' reader has the same bound.
constexpr std::uint64_t kMaxExtendedHeader = 1 << 20;

constexpr std::string_view kTarCutOff =
    "is cut off: its tar ends without the end marker; pack and upload it again";

// Why entries of this type cannot be in a module, or "" when they can.
std::string_view TypeRefusal(char type) {
  switch (type) {
    case '\0':
    case '0':
    case '7':  // "contiguous": a plain file everywhere
    case '5':
      return "";
    case '1':
      return "is a hard link, which clients lose; pack a copy of the file (tar "
             "--hard-dereference), or give the module's folder to \"koya publish module\"";
    case '2':
      return kSymbolicLink;
    case '3':
    case '4':
      return "is a device; leave it out";
    case '6':
      return "is a named pipe; leave it out";
    case 'S':
      return "is a sparse file, which clients read in different ways; pack without --sparse";
    default:
      return "is neither a file nor a folder; pack with tar --format=posix";
  }
}

}  // namespace

TarReader::TarReader(const PackedFile& file, const ArchiveLimits& limits, LinkRule links)
    : links_(links), budget_(limits, file.size()), source_(file, budget_) {}

Result<std::span<const std::byte>> TarReader::Content() {
  if (content_left_ == 0) return std::span<const std::byte>();
  auto max = static_cast<std::size_t>(std::min<std::uint64_t>(content_left_, SIZE_MAX));
  ASSIGN_OR_RETURN(std::span<const std::byte> part, source_.ReadBytes(max));
  if (part.empty()) return RefuseArchive(kTarCutOff);
  content_left_ -= part.size();
  return part;
}

Status TarReader::SkipContent() {
  while (content_left_ > 0) RETURN_IF_ERROR(Content());
  return SkipPadding();
}

Status TarReader::SkipPadding() {
  while (padding_left_ > 0) {
    ASSIGN_OR_RETURN(std::span<const std::byte> part, source_.ReadBytes(padding_left_));
    if (part.empty()) return RefuseArchive(kTarCutOff);
    padding_left_ -= part.size();
  }
  return {};
}

// False at the end of the stream; a part of a block is refused.
Result<bool> TarReader::ReadBlock(TarBlock& block) {
  std::span<std::byte> left(block);
  while (!left.empty()) {
    ASSIGN_OR_RETURN(std::span<const std::byte> part, source_.ReadBytes(left.size()));
    if (part.empty() && left.size() == block.size()) return false;
    if (part.empty()) return RefuseArchive(kTarCutOff);
    std::ranges::copy(part, left.begin());
    left = left.subspan(part.size());
  }
  return true;
}

Result<std::optional<ArchiveEntry>> TarReader::Next() {
  if (ended_) return std::nullopt;
  RETURN_IF_ERROR(SkipContent());
  Extension extension;
  while (true) {
    TarBlock block;
    ASSIGN_OR_RETURN(bool more, ReadBlock(block));
    if (!more) return RefuseArchive(kTarCutOff);
    if (IsZeroBlock(block)) {
      if (extension.present || extension.link) return RefuseArchive(kTarCutOff);
      RETURN_IF_ERROR(CheckEnd());
      ended_ = true;
      return std::nullopt;
    }
    ASSIGN_OR_RETURN(TarHeader header, ParseTarHeader(block));
    plain_ = plain_ && header.plain;
    if (header.type == 'x') {
      RETURN_IF_ERROR(ReadPax(header, extension));
      continue;
    }
    if (header.type == 'L') {
      RETURN_IF_ERROR(ReadLongName(header, extension));
      continue;
    }
    // Headers of the two kinds above are not charged: an entry has at most one of them.
    RETURN_IF_ERROR(budget_.AddEntry());
    if (header.type == 'g') {
      if (extension.present || extension.link) {
        return RefuseArchive(
            "has a global header between an entry and what extends it, and readers apply that to "
            "different entries; pack with tar --format=posix");
      }
      RETURN_IF_ERROR(ReadGlobalPax(header));
    } else if (header.type == 'K') {
      // The long target of the link that follows.
      ASSIGN_OR_RETURN(extension.link, ReadLongText(header));
    } else {
      ASSIGN_OR_RETURN(ArchiveEntry entry, MakeEntry(std::move(header), extension));
      return entry;
    }
  }
}

// Joins a header with what extended headers said before it. What pax or GNU say wins, as in every
// reader; that only one of them speaks was checked.
Result<ArchiveEntry> TarReader::MakeEntry(TarHeader header, const Extension& extension) {
  if (extension.path) header.name = *extension.path;
  if (extension.size) header.size = *extension.size;
  bool link = header.type == '1' || header.type == '2';
  if (link && links_ == LinkRule::kReport) return MakeLink(header, extension);
  if (std::string_view why = TypeRefusal(header.type); !why.empty()) {
    return RefuseEntry(header.name, why);
  }
  // Before POSIX, a folder was a file whose name ends in "/".
  bool slash = header.name.ends_with('/');
  ArchiveEntry entry;
  entry.directory = header.type == '5' || (header.type == '\0' && slash);
  if (slash && !entry.directory) {
    return RefuseEntry(header.name, "is a file with a folder's name; pack it again");
  }
  if (entry.directory && header.size != 0) {
    return RefuseEntry(header.name, "is a folder with content; pack it again");
  }
  RETURN_IF_ERROR(CheckMode(header, entry));
  ASSIGN_OR_RETURN(entry.name, ParseEntryName(header.name));
  RETURN_IF_ERROR(budget_.AddName(entry.name.size()));
  if (entry.name.empty() && !entry.directory) {
    return RefuseEntry(header.name, "is a file named as the root folder; pack it again");
  }
  RETURN_IF_ERROR(budget_.CheckAnnouncedBytes(entry.name, header.size));
  entry.size = header.size;
  entry.executable = !entry.directory && header.executable;
  content_left_ = header.size;
  padding_left_ = (kTarBlock - header.size % kTarBlock) % kTarBlock;
  return entry;
}

// The clients' reader takes an entry for a folder when its mode says so, whatever its type is.
Status TarReader::CheckMode(const TarHeader& header, const ArchiveEntry& entry) {
  std::uint64_t type = entry.directory ? S_IFDIR : S_IFREG;
  if (header.mode_type == 0 || header.mode_type == type) return {};
  return RefuseEntry(header.name, "has a mode that contradicts its type; pack it again");
}

// A link has no content; where it leads is for the caller to judge.
Result<ArchiveEntry> TarReader::MakeLink(const TarHeader& header, const Extension& extension) {
  if (header.size != 0) {
    return RefuseEntry(header.name, "is a link with content, which clients read in different ways");
  }
  ArchiveEntry entry;
  entry.link = header.type == '1' ? LinkKind::kHard : LinkKind::kSymbolic;
  entry.target = extension.link.value_or(header.link);
  if (entry.target.size() > kMaxEntryName) return RefuseEntry(header.name, "is a link too long");
  ASSIGN_OR_RETURN(entry.name, ParseEntryName(header.name));
  RETURN_IF_ERROR(budget_.AddName(entry.name.size() + entry.target.size()));
  if (entry.name.empty()) return RefuseEntry(header.name, "is a link named as the root folder");
  return entry;
}

// The content of an extended header, whole.
Result<std::string> TarReader::ReadText(const TarHeader& header) {
  if (header.size > kMaxExtendedHeader) {
    return RefuseArchive("has an extended header of more than 1 MiB; pack with plain tar -czf");
  }
  content_left_ = header.size;
  padding_left_ = (kTarBlock - header.size % kTarBlock) % kTarBlock;
  std::string text;
  while (content_left_ > 0) {
    ASSIGN_OR_RETURN(std::span<const std::byte> part, Content());
    text.append(reinterpret_cast<const char*>(part.data()), part.size());
  }
  RETURN_IF_ERROR(SkipPadding());
  return text;
}

// Two extended headers for one entry are refused: readers merge them in different ways.
Status TarReader::ReadPax(const TarHeader& header, Extension& extension) {
  ASSIGN_OR_RETURN(std::string text, ReadText(header));
  ASSIGN_OR_RETURN(PaxRecords records, ParsePaxRecords(text));
  plain_ = plain_ && records.plain;
  if (records.sparse) {
    return RefuseEntry(records.path.value_or(header.name), TypeRefusal('S'));
  }
  if (extension.present) {
    return RefuseEntry(records.path.value_or(header.name),
                       "has several extended headers; pack with tar --format=posix");
  }
  extension = {.path = std::move(records.path),
               .size = records.size,
               .link = std::move(records.link),
               .present = true};
  return {};
}

// `git archive` puts the commit's id there. Readers disagree on whether a global header may name
// or size entries, so such a one is refused.
Status TarReader::ReadGlobalPax(const TarHeader& header) {
  ASSIGN_OR_RETURN(std::string text, ReadText(header));
  ASSIGN_OR_RETURN(PaxRecords records, ParsePaxRecords(text));
  if (records.path || records.size || records.link || records.sparse) {
    return RefuseArchive("has a global header that changes every entry; pack with plain tar -czf");
  }
  return {};
}

// GNU tar's way to write a name or a link's target of more than 100 bytes: as far as the first NUL.
Result<std::string> TarReader::ReadLongText(const TarHeader& header) {
  ASSIGN_OR_RETURN(std::string text, ReadText(header));
  if (text.ends_with('\0')) text.pop_back();
  if (text.empty() || text.find('\0') != std::string::npos) {
    return RefuseArchive("has an extended header with no name in it; pack it again");
  }
  return text;
}

Status TarReader::ReadLongName(const TarHeader& header, Extension& extension) {
  ASSIGN_OR_RETURN(std::string text, ReadLongText(header));
  if (extension.present) {
    return RefuseEntry(text, "has several extended headers; pack with tar --format=posix");
  }
  extension.path = std::move(text);
  extension.present = true;
  return {};
}

// After the first zero block: the second one, then padding only.
Status TarReader::CheckEnd() {
  TarBlock block;
  ASSIGN_OR_RETURN(bool second, ReadBlock(block));
  if (!second || !IsZeroBlock(block)) return RefuseArchive(kTarCutOff);
  while (true) {
    ASSIGN_OR_RETURN(std::span<const std::byte> part, source_.ReadBytes(SIZE_MAX));
    if (part.empty()) return {};
    if (std::ranges::any_of(part, [](std::byte b) { return b != std::byte{0}; })) {
      return RefuseArchive("has other data after its tar ends; pack and upload it again");
    }
  }
}

}  // namespace koya
