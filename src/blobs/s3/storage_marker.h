// The ownership marker of a store: a small object beside the blobs, koya-catalog.json, names the
// catalog that its objects belong to. A copy of a database must not garbage-collect the original's
// bucket.
//
//   {"catalog":"<id>","url":"https://registry.example.com"}
//
// It is the only object that is ever overwritten.
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

// nullopt: there is no marker. Fails: kRefused: another object has its name; as the client.
Task<std::optional<StorageMarker>> ReadMarker(ObjectClient& objects);

// Checks that the store belongs to this catalog; claims a store without a marker. Fails: kRefused:
// it belongs to another catalog (the message names both and the fix); kInvalid: `ours` cannot be
// written.
Task<void> CheckMarker(ObjectClient& objects, StorageMarker ours);

// Claims the store for this catalog, whichever owned it: `koya admin adopt-storage`. Fails:
// kInvalid: as CheckMarker.
Task<void> AdoptStorage(ObjectClient& objects, StorageMarker ours);

}  // namespace koya
