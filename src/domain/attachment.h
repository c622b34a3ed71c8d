// Attachments: files beside a version that say how it was made (attestations) or list its contents
// (bills of materials, SBOMs). The end of the name says the kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "domain/digest.h"

namespace koya {

// An attachment of a version. It never changes.
struct Attachment {
  std::string name;
  Digest digest;
  std::uint64_t size = 0;
  friend bool operator==(const Attachment&, const Attachment&) = default;
};

enum class AttachmentKind {
  kSigstoreBundle,  // .sigstore.json
  kInTotoLines,     // .intoto.jsonl: a statement on each line
  kSpdx,            // .spdx.json
  kCycloneDx,       // .cdx.json
};

inline constexpr std::size_t kMaxAttachmentName = 200;

// By the end of the name, whatever the rest is; nullopt: no attachment is named so.
std::optional<AttachmentKind> FindAttachmentKind(std::string_view name);

// The end of the names of a kind: ".sigstore.json".
std::string_view AttachmentEnd(AttachmentKind kind);

// Checks that `name` is [A-Za-z0-9][A-Za-z0-9._+-]*, at most kMaxAttachmentName long, with the end
// of a kind. Fails: kRefused.
Result<AttachmentKind> ParseAttachmentName(std::string_view name);

// The media type with which attachments of the kind are served.
constexpr std::string_view MediaType(AttachmentKind kind) {
  return kind == AttachmentKind::kInTotoLines ? "application/x-ndjson" : "application/json";
}

}  // namespace koya
