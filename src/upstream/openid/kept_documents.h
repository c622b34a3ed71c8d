// Documents of issuers that are kept: fresh for a while, and for longer while nothing newer comes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/exchange_clock.h"
#include "base/expiring_map.h"
#include "base/result.h"

namespace koya::upstream {

// Thread-safe; bounded by `most`.
template <class T>
class KeptDocuments {
 public:
  using Document = std::shared_ptr<const T>;

  // `usable`: how long one counts that could not be fetched anew.
  KeptDocuments(std::size_t most, std::chrono::seconds usable) : usable_(usable), kept_(most) {}

  // What is to be answered without asking: a document, or how asking failed just now.
  std::optional<Result<Document>> Find(const std::string& key, SteadyTime now) const {
    std::optional<Entry> entry = kept_.Find(key, now);
    if (!entry || entry->ask_at <= now) return std::nullopt;
    return Answer(*entry);
  }
  // The same for whom nothing helps that was asked for before `asked_since`, however fresh.
  std::optional<Result<Document>> FindSince(const std::string& key, SteadyTime now,
                                            SteadyTime asked_since) const {
    std::optional<Entry> entry = kept_.Find(key, now);
    if (!entry || entry->asked_at <= asked_since) return std::nullopt;
    return Answer(*entry);
  }

  // A document that has just come, and when the next is to be asked for.
  void Put(const std::string& key, Document document, SteadyTime now, SteadyTime ask_at) {
    kept_.Put(key, {.document = std::move(document), .asked_at = now, .ask_at = ask_at},
              now + usable_);
  }
  // Asking has failed. What is kept counts on; returned is what is to be answered.
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
    SteadyTime ask_at = {};  // not before then without need
  };

  static Result<Document> Answer(const Entry& entry) {
    if (entry.document) return entry.document;
    return Failure(entry.failure);
  }

  const std::chrono::seconds usable_;
  ExpiringMap<std::string, Entry, SteadyTime> kept_;
};

}  // namespace koya::upstream
