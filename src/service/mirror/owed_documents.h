// Authors' documents that the object store could not take when they were fetched: SHA256SUMS and
// signatures of releases that are pinned. They are served from memory, and stored when the store is
// back.
//
// Nothing depends on them: a release that is pinned without documents gets them from its registry
// when they are asked for, provided that they come with exactly the packages that are pinned.
// Threads: any.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "base/task.h"
#include "domain/upstream_record.h"

namespace koya {
class Blob;
}

namespace koya::service {

struct MirrorContext;

class OwedDocuments {
 public:
  // `pause`: the longest between two attempts to store something, at first; four times as long when
  // the store stays away. `context` outlives this, and this outlives its pools.
  OwedDocuments(const MirrorContext& context, std::chrono::milliseconds pause)
      : context_(context), pause_(pause) {}

  // What a verified release names as its SHA256SUMS and signature, which are not stored.
  struct Texts {
    std::string sums;
    std::string signature;
  };

  // Returns whether they are kept here now: not when they are large, nor when too many are, nor
  // when they come with other packages than `kept`, which is pinned. They go when they are stored,
  // after an hour, and when the server stops.
  bool Take(const UpstreamRelease& kept, UpstreamRelease whole, Texts texts);
  // `kept` with the documents that are owed for it, and with platforms that these name; as it is
  // where none are, or where they come with other packages.
  UpstreamRelease Complete(UpstreamRelease kept) const;
  // One of the documents. Null: it is not here.
  std::shared_ptr<Blob> Open(const Digest& digest) const;

  std::size_t size() const;

 private:
  // With the bound on a document: 32 MiB.
  static constexpr std::size_t kMost = 256;

  struct Owed {
    UpstreamRelease whole;
    Texts texts;
    std::chrono::steady_clock::time_point until;
  };
  using OwedPtr = std::shared_ptr<const Owed>;

  Awaitable<void> StoreInTime();
  OwedPtr Next(const std::stop_token& stop, std::string& key);
  Awaitable<bool> IsStoreAway(std::string key, OwedPtr owed);
  void GiveUpOld(const Error& why);
  Task<void> Store(OwedPtr owed);

  const MirrorContext& context_;
  const std::chrono::milliseconds pause_;
  mutable std::mutex mutex_;  // of what follows
  std::map<std::string, OwedPtr> owed_;
  bool storing_ = false;  // StoreInTime runs
};

}  // namespace koya::service
