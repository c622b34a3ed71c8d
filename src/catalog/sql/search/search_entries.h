// Changes entries of the search index within other transactions: a publish, a withdrawal, a
// deprecation. See SearchIndex. All throw as SOCI does.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "catalog/search_index.h"
#include "catalog/sql/engine/session.h"
#include "domain/upstream_record.h"

namespace koya::sql {

// Stands for the namespace of all entries of other registries: no namespace has such a key. A
// caller who may read the mirror may read all of it.
inline constexpr std::string_view kMirroredPlace = "/mirror";
// SQL condition: the entry is of a package that is published here.
inline constexpr std::string_view kPublishedHere = " AND namespace_key <> '/mirror'";

// Call after the version was added, and before RenewBlobs and AppendChange: it waits for
// transactions that add the same spellings. Fails as SearchIndex::PutSearchEntries.
Status PutSearchEntries(Session& session, const SearchSubject& subject,
                        std::span<const SearchEntry> entries);

// Call when the version is withdrawn; no-op when it is not indexed. REQUIRES: the module's or
// provider's row is locked.
Status RemoveSearchEntries(Session& session, const SearchSubject& subject);

// Call when bytes of mirrored modules are released, before they are marked as gone: for one
// version, or for all that have this digest.
Status RemoveMirroredEntries(Session& session, const UpstreamModule& module,
                             const Version& version);
Status RemoveMirroredEntries(Session& session, std::string_view digest);

// Mirrored provider releases that may have lost their last held package: a release is indexed while
// it has one.
class EvictedReleases {
 public:
  // Call before packages with this digest are marked as gone.
  void AddHoldersOf(Session& session, std::string_view digest);
  void Add(const UpstreamProvider& provider, const Version& version);
  // Call once they are marked, and after the last row of held_blob was locked: removes the releases
  // without held packages from the index. Concurrent calls for one release are serialized here.
  Status RemoveFromIndex(Session& session) const;

 private:
  std::map<std::string, SearchSubject> releases_;  // by "HOST/NS/TYPE@VERSION"
};

// Call when the version is deprecated, or its deprecation is cleared; no-op when it is not indexed.
// REQUIRES: the module's or provider's row is locked.
Status SetSearchDeprecated(Session& session, const SearchSubject& subject, bool deprecated);

}  // namespace koya::sql
