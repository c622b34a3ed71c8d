// Holds authors' documents (SHA256SUMS and signatures of pinned releases) that the object store
// could not store when they were fetched. They are served from memory, and stored when the store is
// back.
//
// Nothing depends on them: a release that is pinned without documents gets them from its registry
// on demand, provided that they list exactly the pinned packages. Threads: any.
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

class PendingUploads {
 public:
  // `pause`: the longest wait between two attempts to store something, at first; four times as long
  // while the store stays away. `context` outlives this, and this outlives its pools.
  PendingUploads(const MirrorContext& context, std::chrono::milliseconds pause)
      : context_(context), pause_(pause) {}

  // SHA256SUMS and signature of a verified release, not stored yet.
  struct Texts {
    std::string sums;
    std::string signature;
  };

  // Takes the documents of `whole`. Returns whether they are held in memory now: not when they are
  // large, nor when too many are held, nor when they list other packages than `kept`, which is
  // pinned. They are removed when they are stored, after an hour, and when the server stops.
  bool AddDocuments(const UpstreamRelease& kept, UpstreamRelease whole, Texts texts);
  // Drops the documents that are held longest, if no others would be taken: they are fetched again
  // when they are requested.
  void MakeRoom();
  // Returns `kept` with its pending documents and the platforms that these name; unchanged if there
  // are none, or if they list other packages.
  UpstreamRelease Complete(UpstreamRelease kept) const;
  // One of the documents. Null: not in memory.
  std::shared_ptr<Blob> OpenDocument(const Digest& digest) const;

  std::size_t size() const;

 private:
  // With the size limit of a document: 32 MiB in total.
  static constexpr std::size_t kMost = 256;

  struct Pending {
    UpstreamRelease whole;
    Texts texts;
    std::chrono::steady_clock::time_point until;
  };
  using PendingPtr = std::shared_ptr<const Pending>;

  Awaitable<void> StoreInTime();
  PendingPtr Next(const std::stop_token& stop, std::string& key);
  Awaitable<bool> IsStoreAway(std::string key, PendingPtr owed);
  void GiveUpOld(const Error& why);
  Task<void> Store(PendingPtr owed);

  const MirrorContext& context_;
  const std::chrono::milliseconds pause_;
  mutable std::mutex mutex_;  // guards the members below
  std::map<std::string, PendingPtr> pending_;
  bool storing_ = false;  // StoreInTime runs
};

}  // namespace koya::service
