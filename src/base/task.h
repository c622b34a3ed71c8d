// Coroutine types. Include this only in files that await: it pulls in Asio's awaitable.
//
// Task<T> is a lazy coroutine that yields a Result<T>. The rules that keep coroutines safe
// (docs/coroutines.md): parameters by value, or references to objects that outlive the server;
// nothing clever inside an awaited expression; no co_await in ?:; no lock held over an await.
#pragma once

#include <boost/asio/awaitable.hpp>

#include "base/result.h"

namespace koya {

template <class T>
using Awaitable = boost::asio::awaitable<T>;

template <class T>
using Task = boost::asio::awaitable<Result<T>>;

}  // namespace koya
