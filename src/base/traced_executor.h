// Takes a request's trace along with its coroutine: a coroutine that is spawned on a traced
// executor has its trace in everything that it awaits, on whatever thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>

#include "base/trace.h"

namespace koya {

// An executor that works as `inner` and sets CurrentTrace() while it does.
boost::asio::any_io_executor TracedExecutor(boost::asio::any_io_executor inner, TracePtr trace);

// The trace of such an executor; null for any other.
TracePtr TraceOf(const boost::asio::any_io_executor& executor);

}  // namespace koya
