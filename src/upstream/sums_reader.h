// Reads SHA256SUMS documents of other authors as clients do: not strictly (signing/sha256sums.h),
// but so that a stored document means the same to a client as it did here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/digest.h"

namespace koya::upstream {

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

}  // namespace koya::upstream
