// Everything that is kept here, published and mirrored, page by page: what koya verify goes
// through.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/host_name.h"
#include "domain/page.h"
#include "domain/platform.h"
#include "domain/version.h"

namespace koya {
class BlobStore;
class Catalog;
}  // namespace koya

namespace koya::service {

// One thing whose bytes can be checked (published_check.h, mirror/check.h).
struct KeptThing {
  enum class Kind {
    kModule,     // a module version's archive
    kPackage,    // a provider release's zip for one platform
    kDocuments,  // a provider release's SHA256SUMS and its signature
    kDocs,       // the zip of a provider release's docs
    kSchema,     // what its schema was made into
    kObject,     // of the object store, and no record names it
  };
  Kind kind = Kind::kModule;
  std::optional<HostName> host;      // of another registry; nothing for what was published here
  std::string address;               // "acme/vpc/aws", "acme/demo"; an object's name
  std::optional<Version> version;    // nothing of an object
  std::optional<Platform> platform;  // of a package
  std::uint64_t size = 0;            // 0: not known
};

struct KeptPage {
  std::vector<KeptThing> things;
  std::string next;  // where the next page begins, "" at the end
};

struct KeptListing {
  std::string after;           // "" or what the page before calls `next`
  bool mirrored_only = false;  // leave out what was published here
};

class KeptList {
 public:
  KeptList(Catalog& catalog, BlobStore& blobs) : catalog_(catalog), blobs_(blobs) {}

  // Some hundred things, or more where one address has more. In order: modules published here,
  // providers published here, providers of other registries, their modules; each by address. What
  // is added or goes meanwhile may or may not be listed; what stays is listed once. Fails: kInvalid
  // for an `after` that no page ends with; as the catalog.
  Task<KeptPage> Page(KeptListing listing);
  // Objects that lie in the object store and that no record names (BlobStore::ListUnknown).
  Task<KeptPage> UnknownObjects(std::string after);

 private:
  Catalog& catalog_;
  BlobStore& blobs_;
};

}  // namespace koya::service
