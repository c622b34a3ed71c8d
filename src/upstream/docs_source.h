// Docs of other registries' providers: the interface, see registry_docs.h.
//
// Every function blocks, at most for the time that its options and the caller's Patience say, and
// is meant for a worker pool; sources are thread-safe. Failures are those of provider_source.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "upstream/provider_source.h"
#include "wire/foreign_docs.h"

namespace koya {
class HostName;
class ProviderAddress;
class Version;
}  // namespace koya

namespace koya::upstream {

// The list of a version's pages, or word that the one held is still the one.
struct FetchedDocs {
  bool unchanged = false;  // 304: `list` is empty
  wire::ForeignDocs list;
  Validators validators;
};

class DocsSource {
 public:
  virtual ~DocsSource() = default;

  // Who is asked for docs of providers of `registry`; nobody: it has no docs API that is known.
  virtual std::optional<HostName> HostOf(const HostName& registry) const = 0;

  // Both REQUIRE that somebody is. Fails: kNotFound when the registry has no such version, or no
  // docs of it.
  virtual Result<FetchedDocs> List(const HostName& registry, const ProviderAddress& address,
                                   const Version& version, const Validators& held,
                                   const Patience& patience) = 0;
  // A page that its list names, as its author wrote it: UTF-8. Fails: kNotFound when the registry
  // has it no more; kBadUpstream, too, for one that is larger than a page may be.
  virtual Result<std::string> Page(const HostName& registry, const ProviderAddress& address,
                                   const Version& version, const wire::ForeignDoc& page,
                                   const Patience& patience) = 0;
};

}  // namespace koya::upstream
