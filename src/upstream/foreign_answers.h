// Reads what other registries answer as clients do, and corrects it before it is passed on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/digest.h"

namespace koya::wire {
struct ProviderVersions;
}

namespace koya::upstream {

// ---- SHA256SUMS documents of other authors, read as clients do: not strictly
// (signing/sha256sums.h), but so that a stored document means the same to a client as it did here

struct ForeignSums {
  struct Line {
    std::string_view digest;  // as spelled: the first field
    std::string_view name;    // as spelled: the second field
  };
  std::vector<Line> lines;   // those with two fields or more, in order; views of the text
  bool blank_lines = false;  // clients crash on a blank line, at any position
  // A line with one field, or one that does not begin with a digest: then clients store none of the
  // signed digests in their lock files.
  bool odd_lines = false;

  // The digest of the first line that names `name`. Upper-case digits are accepted, "*" before a
  // name is a part of it. nullopt if there is no such line; an invalid digest has `is_digest`
  // false.
  struct Found {
    bool is_digest = false;
    Digest digest = Digest::Of("");
  };
  std::optional<Found> Find(std::string_view name) const;
};

// Pure. `text` must outlive the result.
ForeignSums ReadForeignSums(std::string_view text);

// Parses 64 hexadecimal digits, of either case. nullopt for anything else.
std::optional<Digest> ReadHexDigest(std::string_view text);

// A failure to fetch something that one of upstream's own documents names, as clients see it: its
// absence is upstream's fault (kBadUpstream). kNotFound would mean that there is no such release.
template <class T>
Result<T> NotFoundAsBadGateway(Result<T> result) {
  if (!result && result.error().kind == ErrorKind::kNotFound) {
    result.error().kind = ErrorKind::kBadUpstream;
  }
  return result;
}

// Removes versions that would cost a client the whole list, or crash it: versions that are not
// canonical SemVer, numbers of 2^63 and more, 0.0.0, and each spelling after its first. Returns
// their number.
std::size_t DropUnusableVersions(wire::ProviderVersions& document);

}  // namespace koya::upstream
