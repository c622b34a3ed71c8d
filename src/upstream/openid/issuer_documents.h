// Caches documents of issuers: fresh for a while, and usable for longer while no newer one arrives.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/expiring_map.h"
#include "base/result.h"

namespace koya::upstream {

// Thread-safe; holds at most `most` documents.
template <class T>
class IssuerDocuments {
 public:
  using Document = std::shared_ptr<const T>;

  // `usable`: how long a document counts if it cannot be fetched again.
  IssuerDocuments(std::size_t most, std::chrono::seconds usable) : usable_(usable), kept_(most) {}

  // The result without a request: a document, or a recent failure.
  std::optional<Result<Document>> FindFresh(const std::string& key, SteadyTime now) const {
    std::optional<Entry> entry = kept_.Find(key, now);
    if (!entry || entry->ask_at <= now) return std::nullopt;
    return Answer(*entry);
  }
  // Likewise, but only a result that was requested after `asked_since`, however fresh others are.
  std::optional<Result<Document>> FindSince(const std::string& key, SteadyTime now,
                                            SteadyTime asked_since) const {
    std::optional<Entry> entry = kept_.Find(key, now);
    if (!entry || entry->asked_at <= asked_since) return std::nullopt;
    return Answer(*entry);
  }

  // Stores a document that has just arrived; `ask_at` is the time of the next request.
  void Put(const std::string& key, Document document, SteadyTime now, SteadyTime ask_at) {
    kept_.Put(key, {.document = std::move(document), .asked_at = now, .ask_at = ask_at},
              now + usable_);
  }
  // Records a failed request. Returns the cached document if that is still usable, else the
  // failure.
  Result<Document> Fail(const std::string& key, Error error, SteadyTime now, SteadyTime ask_at) {
    auto slot = kept_.Peek(key);
    if (slot && slot->until > now && slot->value.document) {
      slot->value.asked_at = now;
      slot->value.ask_at = ask_at;
      kept_.Put(key, slot->value, slot->until);
      return slot->value.document;
    }
    kept_.Put(key, {.failure = error, .asked_at = now, .ask_at = ask_at}, ask_at);
    return Failure(std::move(error));
  }
  void Erase(const std::string& key) { kept_.Erase(key); }

 private:
  struct Entry {
    Document document = nullptr;  // null: there is none, because of `failure`
    Error failure = {};
    SteadyTime asked_at = {};
    SteadyTime ask_at = {};  // no request before then unless necessary
  };

  static Result<Document> Answer(const Entry& entry) {
    if (entry.document) return entry.document;
    return Failure(entry.failure);
  }

  const std::chrono::seconds usable_;
  ExpiringMap<std::string, Entry, SteadyTime> kept_;
};

}  // namespace koya::upstream
