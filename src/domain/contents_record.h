// Stored records of the contents of module versions.
#pragma once

#include <cstdint>
#include <string>

#include "domain/archive_kind.h"
#include "domain/digest.h"
#include "domain/module_address.h"
#include "domain/version.h"

namespace koya {

// A version of a module that is published here or mirrored from another registry.
struct ModuleSubject {
  std::string host;  // ASCII form of the other registry's host; "": published here
  ModuleAddress address;
  Version version;

  bool IsPublishedHere() const { return host.empty(); }
  // Key of all versions of the module: as the module's own key, or UpstreamModule's.
  std::string Key() const { return host.empty() ? address.Key() : host + "/" + address.Key(); }
};

struct ContentsRecord {
  // The number of the reader that analyzed it. An improved reader has a higher number.
  std::uint64_t reader = 0;
  std::string body;  // the reader's result; UTF-8. Opaque to the catalog
  friend bool operator==(const ContentsRecord&, const ContentsRecord&) = default;
};
// The size of a record, without its body.
struct ContentsSize {
  std::uint64_t reader = 0;
  std::uint64_t bytes = 0;  // of the body
};
// The maximum length of a body, in bytes: longer ones are not stored.
inline constexpr std::size_t kLongestContents = 32U << 20;

// A version that no reader or only an older one has analyzed, and the location of its archive.
struct UnreadModule {
  // Where to continue: all modules published here come before all of other registries.
  struct Place {
    bool mirrored = false;
    std::int64_t row = 0;
  };
  Place place;
  ModuleSubject subject;
  ArchiveKind kind = ArchiveKind::kTarGz;
  Digest digest;
  std::uint64_t size = 0;
};

}  // namespace koya
