// What was read inside a module's version, as it is kept.
#pragma once

#include <cstdint>
#include <string>

#include "domain/archive_kind.h"
#include "domain/digest.h"
#include "domain/module_address.h"
#include "domain/version.h"

namespace koya {

// A version of a module that is here: published here, or kept of another registry.
struct ModuleSubject {
  std::string host;  // of the other registry, in its ASCII form; "": published here
  ModuleAddress address;
  Version version;

  bool IsPublishedHere() const { return host.empty(); }
  // Of all its versions: as the module's own key, or UpstreamModule's.
  std::string Key() const { return host.empty() ? address.Key() : host + "/" + address.Key(); }
};

struct ContentsRecord {
  // The number of the reader that read it. A reader that is better has a higher one.
  std::uint64_t reader = 0;
  std::string body;  // what the reader found; UTF-8. The catalog does not look into it
  friend bool operator==(const ContentsRecord&, const ContentsRecord&) = default;
};
// What is kept, without looking at it.
struct ContentsSize {
  std::uint64_t reader = 0;
  std::uint64_t bytes = 0;  // of the body
};
// Of a body, in bytes: one that is longer is not kept.
inline constexpr std::size_t kLongestContents = 32U << 20;

// A version that no reader, or only a worse one, has read, and where its archive lies.
struct UnreadModule {
  // Where to go on from: all that is published here comes before all of other registries.
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
