#include "domain/attachment.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace koya {
namespace {

constexpr std::array<std::pair<std::string_view, AttachmentKind>, 4> kEnds{{
    {".sigstore.json", AttachmentKind::kSigstoreBundle},
    {".intoto.jsonl", AttachmentKind::kInTotoLines},
    {".spdx.json", AttachmentKind::kSpdx},
    {".cdx.json", AttachmentKind::kCycloneDx},
}};

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::optional<AttachmentKind> FindAttachmentKind(std::string_view name) {
  for (const auto& [end, kind] : kEnds) {
    if (name.ends_with(end)) return kind;
  }
  return std::nullopt;
}

std::string_view AttachmentEnd(AttachmentKind kind) {
  return std::ranges::find(kEnds, kind, &decltype(kEnds)::value_type::second)->first;
}

Result<AttachmentKind> ParseAttachmentName(std::string_view name) {
  const std::optional<AttachmentKind> kind = FindAttachmentKind(name);
  if (!kind) {
    return FailRefused(
        "an attachment's name ends with .sigstore.json, .intoto.jsonl, .spdx.json or .cdx.json; "
        "\"{}\" does not",
        Printable(name));
  }
  const bool allowed = std::ranges::all_of(name, [](char c) {
    return IsLetterOrDigit(c) || c == '.' || c == '_' || c == '+' || c == '-';
  });
  if (!allowed || !IsLetterOrDigit(name.front()) || name.size() > kMaxAttachmentName) {
    return FailRefused(
        "an attachment's name is at most {} letters, digits and ._+-, and begins with a letter or "
        "digit; \"{}\" does not fit: rename the file",
        kMaxAttachmentName, Printable(name));
  }
  return *kind;
}

}  // namespace koya
