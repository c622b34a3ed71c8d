// Tells whoever keeps something derived from the catalog that a topic changed.
//
// A use case that writes calls Announce() before it answers, so that a publish shows at once on
// this server. Changes made elsewhere (another server on the same database) arrive through Run().
// Listeners are added while the server is being put together and are called on any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "catalog/catalog.h"
#include "domain/topic.h"

namespace koya::service {

class ChangeFeed {
 public:
  // Given a topic ("module:acme/vpc/aws"), or "" when anything may have changed.
  using Listener = std::function<void(std::string_view topic)>;

  explicit ChangeFeed(ChangeLog& log) : log_(log) {}

  // REQUIRES: before Run() and Announce().
  void AddListener(Listener listener) { listeners_.push_back(std::move(listener)); }

  void Announce(std::string_view topic);

  // Begins at the log's present end. Fails: as the catalog.
  Task<void> Start();
  // What is told of each outage, once: that the catalog does not answer, and that it does again.
  struct Outage {
    std::function<void(const Error&)> begins;
    std::function<void()> is_over;
  };
  // Hands on changes until Stop(). While the catalog is unreachable every listener hears "" once,
  // at the moment it answers again: what was missed is not known.
  Awaitable<void> Run(Outage outage);
  // When the catalog last answered, which is asked about once a second. Any thread.
  std::chrono::steady_clock::time_point ConfirmedAt() const { return confirmed_at_; }
  // Run() ends within a second or so. Any thread.
  void Stop() { stopping_ = true; }

 private:
  Task<void> CatchUp();

  ChangeLog& log_;
  std::vector<Listener> listeners_;
  std::int64_t seen_ = 0;
  std::atomic<std::chrono::steady_clock::time_point> confirmed_at_;
  std::atomic<bool> stopping_ = false;
};

// The topic under which a module's changes are announced.
using koya::ModuleTopic;

}  // namespace koya::service
