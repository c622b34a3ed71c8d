// Common types for code on a loop: time and sockets.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace koya::http {

using LoopExecutor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, LoopExecutor>;
using LoopTimer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, LoopExecutor>;

// Milliseconds on a clock that never goes back; coarse (a few milliseconds), and cheap to read.
using LoopTime = std::int64_t;
constexpr LoopTime kNever = INT64_MAX;
inline LoopTime LoopNow() {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<LoopTime>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace koya::http
