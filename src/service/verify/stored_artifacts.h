// Lists all stored artifacts, published and mirrored, page by page, for koya verify.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/digest.h"
#include "domain/host_name.h"
#include "domain/page.h"
#include "domain/platform.h"
#include "domain/version.h"

namespace koya {
class BlobStore;
class Catalog;
}  // namespace koya

namespace koya::service {

// An artifact whose bytes can be verified (published_check.h, mirror/check.h).
struct StoredArtifact {
  enum class Kind {
    kModule,     // a module version's archive
    kPackage,    // a provider release's zip for one platform
    kDocuments,  // a provider release's SHA256SUMS and its signature
    kDocs,       // the zip of a provider release's docs
    kSchema,     // the stored form of its schema
    kDraft,      // a file of a provider version that is not published yet
    kRecord,     // an object of the object store, by the ledger's record of it
    kObject,     // an object in the object store that no record names
  };
  Kind kind = Kind::kModule;
  std::optional<HostName> host;  // of another registry; nullopt: published here
  std::string address;  // "acme/vpc/aws", "acme/demo"; an object's name; of a record its digest
  std::optional<Version> version;     // nullopt for an object or a record
  std::optional<Platform> platform;   // for a package
  std::uint64_t size = 0;             // 0: unknown
  std::optional<Digest> digest = {};  // of a draft's file or a record
  std::string file = {};              // of a draft
};

struct ArtifactPage {
  std::vector<StoredArtifact> things;
  std::string next;  // where the next page begins, "" at the end
};

struct ArtifactListing {
  std::string after;           // "" or `next` of the page before
  bool mirrored_only = false;  // without artifacts that were published here
};

class StoredArtifacts {
 public:
  StoredArtifacts(Catalog& catalog, BlobStore& blobs) : catalog_(catalog), blobs_(blobs) {}

  // Returns some hundred artifacts, or more if one address has more. Order: modules published here,
  // providers published here, mirrored providers, mirrored modules, files of drafts, the records of
  // a remote store's objects; the last two sorted by digest, the others by address. An
  // artifact that is added or removed meanwhile may or may not be listed; all others are listed
  // once. Fails: kInvalid if `after` is not the `next` of a page; as the catalog.
  Task<ArtifactPage> Page(ArtifactListing listing);
  // Objects in the object store that no record names (BlobStore::ListUnknown).
  Task<ArtifactPage> UnknownObjects(std::string after);

 private:
  Catalog& catalog_;
  BlobStore& blobs_;
};

}  // namespace koya::service
