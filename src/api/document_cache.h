// Rendered answers by the path that asked for them, each kept once.
//
// Look-ups are lenient (letter case, a leading "v", the spellings of an international name), so one
// document is asked for under any number of paths. A path is only a name here: what it leads to is
// found by its content, so that further spellings cost a small entry each, and push out paths, not
// documents. Thread-safe; never waits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/sha256.h"
#include "base/topic_cache.h"
#include "http/server/message.h"

namespace koya::api {

class DocumentCache {
  // What a path leads to.
  struct Lead {
    Sha256Bytes content;
    std::string topic;
    UnixSeconds fresh_until = 0;  // 0: until something changes
    UnixSeconds put_at = 0;
  };
  using Paths = TopicCache<Lead>;

 public:
  using Ticket = Paths::Ticket;

  // Takes `bound` bytes at most, whatever is asked for.
  explicit DocumentCache(std::uint64_t bound)
      : paths_(bound / kPathsShare), documents_(bound - bound / kPathsShare) {}

  // What was put under this key and is fresh at `now`, or null. What has a time and was put later
  // than `now`, while the clock was ahead, is not fresh. nullopt: whatever its time was.
  std::shared_ptr<const http::Document> Find(std::string_view key, std::optional<UnixSeconds> now);

  // What was put under `key`, which from then on is found under `spelled` as well; null as Find.
  std::shared_ptr<const http::Document> FindAgain(std::string_view key, std::string spelled,
                                                  Ticket ticket, UnixSeconds now);

  // As TopicCache's.
  Ticket TakeTicket() const { return paths_.TakeTicket(); }
  bool IsCurrent(Ticket ticket) const { return paths_.IsCurrent(ticket); }
  void Put(Ticket ticket, std::string key, const std::string& topic,
           std::shared_ptr<const http::Document> document, UnixSeconds now);
  void Invalidate(std::string_view topic);

  // Small files share the documents' bytes. They are found by what they are, their ETag, which is
  // their digest: who may have them is decided before. What is found has a body and nothing else.
  std::shared_ptr<const http::Document> FindFile(std::string_view etag);
  void PutFile(std::string etag, std::string topic, std::string bytes);

  // Hits and misses of Find, documents kept, bytes taken.
  CacheCounters Counters() const;

 private:
  // A path takes about a third of what a small document does.
  static constexpr std::uint64_t kPathsShare = 4;

  static bool IsFresh(const Lead& lead, UnixSeconds now);
  static std::uint64_t CostOf(const Lead& lead);

  Paths paths_;
  TopicCache<http::Document> documents_;
};

}  // namespace koya::api
