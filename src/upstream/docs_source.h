// Docs of other registries' providers: the interface, see registry_docs.h.
//
// Every function blocks, at most for the time that its options and the caller's Deadline allow, and
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

// The list of a version's pages, or the information that the stored one is still current.
struct FetchedDocs {
  bool unchanged = false;  // 304: `list` is empty
  wire::ForeignDocs list;
  Validators validators;
};

class DocsSource {
 public:
  virtual ~DocsSource() = default;

  // The host that has docs for providers of `registry`; nullopt: the registry has no known docs
  // API.
  virtual std::optional<HostName> HostOf(const HostName& registry) const = 0;

  // Both REQUIRE that HostOf() has a value. Fails: kNotFound if the registry has no such version,
  // or no docs of it.
  virtual Result<FetchedDocs> List(const HostName& registry, const ProviderAddress& address,
                                   const Version& version, const Validators& held,
                                   const Deadline& patience) = 0;
  // A page in its list, as its author wrote it: UTF-8. Fails: kNotFound if the registry no longer
  // has it; kBadUpstream also for a page beyond the size limit.
  virtual Result<std::string> Page(const HostName& registry, const ProviderAddress& address,
                                   const Version& version, const wire::ForeignDoc& page,
                                   const Deadline& patience) = 0;
};

}  // namespace koya::upstream
