// Entries of the search index as a part of others' transactions: of a publish, a withdrawal, a
// deprecation. See SearchIndex. All throw as SOCI does.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "catalog/search_index.h"
#include "catalog/sql/session.h"
#include "domain/upstream_record.h"

namespace koya::sql {

// What stands for the namespace of whatever is kept of other registries: no namespace has such a
// key. Who may read the mirror may read all of it.
inline constexpr std::string_view kMirroredPlace = "/mirror";
// A condition: what is published here.
inline constexpr std::string_view kPublishedHere = " AND namespace_key <> '/mirror'";

// To be called after the version was added, and before RenewBlobs and AppendChange: it waits for
// whoever adds the same spellings. Fails as SearchIndex::PutSearchEntries.
Status PutSearchEntries(Session& session, const SearchSubject& subject,
                        std::span<const SearchEntry> entries);

// To be called by whoever withdraws the version; nothing happens when it is not in. REQUIRES: the
// module's or provider's row is locked.
Status RemoveSearchEntries(Session& session, const SearchSubject& subject);

// To be called by whoever lets go of the bytes of mirrored modules, before they are marked as gone:
// of one version, or of all that have this digest.
Status RemoveMirroredEntries(Session& session, const UpstreamModule& module,
                             const Version& version);
Status RemoveMirroredEntries(Session& session, std::string_view digest);

// Releases of mirrored providers, which are in the index while a package of theirs is held: those
// that may have lost their last one.
class ReleasesLetGo {
 public:
  // To be called before packages with this digest are marked as gone.
  void AddHoldersOf(Session& session, std::string_view digest);
  void Add(const UpstreamProvider& provider, const Version& version);
  // To be called once they are marked, and after the last row of held_blob was locked: takes those
  // out of which nothing is held any more. Two who let go of one release take turns here.
  Status RemoveFromIndex(Session& session) const;

 private:
  std::map<std::string, SearchSubject> releases_;  // by "HOST/NS/TYPE@VERSION"
};

// The same for whoever deprecates it, or takes that back.
Status SetSearchDeprecated(Session& session, const SearchSubject& subject, bool deprecated);

}  // namespace koya::sql
