// Runs one coroutine to completion on an event loop of its own, for threads that may block
// (start-up, the CLI, tests).
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/task.h"

namespace koya {

inline void RunTask(Awaitable<void> task) {
  boost::asio::io_context loop(1);
  std::exception_ptr failure;
  boost::asio::co_spawn(loop, std::move(task), [&](std::exception_ptr error) { failure = error; });
  loop.run();
  if (failure) std::rethrow_exception(failure);
}

template <class T>
Awaitable<void> StoreOutcome(Awaitable<T> task, std::optional<T>* outcome) {
  outcome->emplace(co_await std::move(task));
}

template <class T>
T RunTask(Awaitable<T> task) {
  std::optional<T> outcome;
  RunTask(StoreOutcome(std::move(task), &outcome));
  if (!outcome) throw std::logic_error("the coroutine never finished");
  return *std::move(outcome);
}

}  // namespace koya
