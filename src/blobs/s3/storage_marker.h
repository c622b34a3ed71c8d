// Whose the store is: a small object beside the blobs, koya-catalog.json, names the catalog that
// its objects belong to. A copy of a database must not collect the original's bucket.
//
//   {"catalog":"<id>","url":"https://registry.example.com"}
//
// It is the one object that is ever written twice.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/task.h"
#include "blobs/s3/object_client.h"

namespace koya {

struct StorageMarker {
  std::string catalog;  // the catalog's id
  std::string url;      // server.url
  friend bool operator==(const StorageMarker&, const StorageMarker&) = default;
};

inline constexpr std::string_view kMarkerName = "koya-catalog.json";

// Nothing: there is none. Fails: kRefused: there is something else under its name; as the client.
Task<std::optional<StorageMarker>> ReadMarker(ObjectClient& objects);

// Whether the store is this catalog's; one without a marker becomes so. Fails: kRefused: it is
// another's (the message names both and the way out); kInvalid: `ours` cannot be written.
Task<void> CheckMarker(ObjectClient& objects, StorageMarker ours);

// Makes the store this catalog's, whosever it was: `koya admin adopt-storage`. Fails: kInvalid: as
// CheckMarker.
Task<void> AdoptStorage(ObjectClient& objects, StorageMarker ours);

}  // namespace koya
