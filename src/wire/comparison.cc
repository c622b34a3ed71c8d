#include "wire/comparison.h"

#include "wire/schema.h"
#include "wire/shared_documents.h"

namespace koya::wire {

namespace {

// A document has at most 2 MB; reading takes more, since each line has parts of its own.
constexpr JsonLimits kSourceBounds{.storage = 64 << 20};

}  // namespace

template <>
constexpr auto kDocument<DiffLine> =
    Document("the difference", Required("op", &DiffLine::op), Optional("text", &DiffLine::text));

template <>
constexpr auto kDocument<DiffHunk> =
    Document("the difference", Optional("from_line", &DiffHunk::from_line),
             Optional("to_line", &DiffHunk::to_line), Required("lines", &DiffHunk::lines));

template <>
constexpr auto kDocument<FileDiff> =
    Document("the difference", Required("path", &FileDiff::path),
             Required("status", &FileDiff::status), Optional("added", &FileDiff::added),
             Optional("removed", &FileDiff::removed), Optional("binary", &FileDiff::binary),
             Optional("cut", &FileDiff::cut), Required("hunks", &FileDiff::hunks));

template <>
constexpr auto kDocument<SourceDiff> =
    Document("the difference", Required("from", &SourceDiff::from), Required("to", &SourceDiff::to),
             Required("files", &SourceDiff::files), Optional("cut", &SourceDiff::cut))
        .Within(kSourceBounds);

KOYA_DOCUMENT(Comparison);
KOYA_DOCUMENT(SourceDiff);

void AddComparisonSchemas(SchemaList& list) {
  AddSchema<Comparison>(list);
  AddSchema<SourceDiff>(list);
}

}  // namespace koya::wire
