// Awaits two awaitables concurrently, for example disk I/O alongside computation.
#pragma once

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <optional>
#include <utility>

#include "base/run_task.h"
#include "base/task.h"

namespace koya {

// Awaits both on the caller's executor and returns both results, in their order, when the slower
// one has ended, whether or not the other failed. So both may refer to the caller's variables, but
// must not touch the same ones. An exception of either is rethrown once both have ended; if both
// throw, as Asio's multiple_exceptions.
template <class First, class Second>
Awaitable<std::pair<First, Second>> Both(Awaitable<First> first, Awaitable<Second> second) {
  using boost::asio::experimental::awaitable_operators::operator&&;
  std::optional<First> of_first;
  std::optional<Second> of_second;
  Awaitable<void> both =
      StoreOutcome(std::move(first), &of_first) && StoreOutcome(std::move(second), &of_second);
  co_await std::move(both);
  co_return std::pair<First, Second>(*std::move(of_first), *std::move(of_second));
}

}  // namespace koya
