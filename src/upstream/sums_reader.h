// SHA256SUMS documents of other people, read as clients read them: not as they ought to be
// (signing/sha256sums.h), but so that what is kept here means to a client what it meant to us.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/digest.h"

namespace koya::upstream {

struct ForeignSums {
  struct Line {
    std::string_view digest;  // as spelled: what stands first
    std::string_view name;    // as spelled: what stands second
  };
  std::vector<Line> lines;   // those of two fields and more, in order; views of the text read
  bool blank_lines = false;  // clients crash on one, wherever it stands
  // A line of one field, or one that does not begin with a digest: clients then keep none of the
  // signed digests in their lock files.
  bool odd_lines = false;

  // The digest of the first line that names `name`. Upper-case digits are taken, "*" before a name
  // is a part of it. nullopt when there is none; a digest that is none is told by `is_digest`.
  struct Found {
    bool is_digest = false;
    Digest digest = Digest::Of("");
  };
  std::optional<Found> Find(std::string_view name) const;
};

// Pure. `text` must outlive what is returned.
ForeignSums ReadForeignSums(std::string_view text);

// 64 hexadecimal digits, of either case. nullopt for anything else.
std::optional<Digest> ReadHexDigest(std::string_view text);

}  // namespace koya::upstream
