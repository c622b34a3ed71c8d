// Cache of rendered documents by request path, which stores each document once.
//
// Look-ups are lenient (letter case, a leading "v", the spellings of an international name), so one
// document is requested under any number of paths. Paths map to documents by content: each further
// spelling costs a small entry, and evicts paths, not documents. Thread-safe; never waits.
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
  // The document of a path.
  struct Lead {
    Sha256Bytes content;
    std::string topic;
    UnixSeconds fresh_until = 0;  // 0: until something changes
    UnixSeconds put_at = 0;
  };
  using Paths = TopicCache<Lead>;

 public:
  using Ticket = Paths::Ticket;

  // Takes at most `bound` bytes in total.
  explicit DocumentCache(std::uint64_t bound)
      : paths_(bound / kPathsShare), documents_(bound - bound / kPathsShare) {}

  // The document stored under this key if it is fresh at `now`, or null. A document with an expiry
  // that was stored later than `now`, while the clock was ahead, is not fresh. nullopt: at any age.
  std::shared_ptr<const http::Document> FindDocument(std::string_view key,
                                                     std::optional<UnixSeconds> now);

  // The document stored under `key`, which is found under `spelled` as well from now on; null as
  // Find.
  std::shared_ptr<const http::Document> FindAgain(std::string_view key, std::string spelled,
                                                  Ticket ticket, UnixSeconds now);

  // As TopicCache's.
  Ticket TakeTicket() const { return paths_.TakeTicket(); }
  bool IsCurrent(Ticket ticket) const { return paths_.IsCurrent(ticket); }
  void Put(Ticket ticket, std::string key, const std::string& topic,
           std::shared_ptr<const http::Document> document, UnixSeconds now);
  void Invalidate(std::string_view topic);

  // Small files share the byte limit of the documents. Their key is their ETag, which is their
  // digest: check permissions before a look-up. A file that is found has a body and nothing else.
  std::shared_ptr<const http::Document> FindFile(std::string_view etag);
  void PutFile(std::string etag, std::string topic, std::string bytes);

  // Hits and misses of Find, documents cached, bytes taken.
  CacheCounters Counters() const;

 private:
  // A path takes about a third of the memory of a small document.
  static constexpr std::uint64_t kPathsShare = 4;

  static bool IsFresh(const Lead& lead, UnixSeconds now);
  static std::uint64_t CostOf(const Lead& lead);

  Paths paths_;
  TopicCache<http::Document> documents_;
};

}  // namespace koya::api
