#include "service/change_feed.h"

namespace koya::service {

void ChangeFeed::Announce(std::string_view topic) {
  for (const Listener& listener : listeners_) listener(topic);
}

Task<void> ChangeFeed::Start() {
  ASSIGN_OR_CO_RETURN(seen_, co_await log_.LatestChange());
  confirmed_at_ = std::chrono::steady_clock::now();
  co_return Status();
}

Task<void> ChangeFeed::CatchUp() {
  while (true) {
    ASSIGN_OR_CO_RETURN(std::vector<Change> changes, co_await log_.ChangesSince(seen_));
    if (changes.empty()) co_return Status();
    for (const Change& change : changes) {
      Announce(change.topic);
      seen_ = change.sequence;
    }
  }
}

Awaitable<void> ChangeFeed::Run(Outage outage) {
  bool reachable = true;
  while (!stopping_) {
    Status waited = co_await log_.WaitForChange();
    if (stopping_) break;
    Status status = waited;
    if (waited) status = co_await CatchUp();
    if (status) confirmed_at_ = std::chrono::steady_clock::now();
    if (!status && reachable) outage.begins(status.error());
    if (status && !reachable) {
      Announce("");
      outage.is_over();
    }
    reachable = status.has_value();
  }
}

}  // namespace koya::service
