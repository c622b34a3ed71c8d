// One event loop and the connections that live on it. Everything here belongs to the loop's own
// thread, except where a comment says otherwise.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/task.h"
#include "http/address_range.h"
#include "http/connection_limits.h"
#include "http/date_cache.h"
#include "http/request_id.h"
#include "http/server.h"
#include "http/tls_context.h"

namespace koya::http {

class Connection;

using LoopExecutor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, LoopExecutor>;
using LoopTimer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, LoopExecutor>;

// What all loops share. Set up before they start, and alive until they have ended.
struct Engine {
  Engine(ServerOptions the_options, const Router& the_router, Observer& the_observer,
         ErrorBody the_error_body);

  const ServerOptions options;
  const Router& router;
  Observer& observer;
  const ErrorBody error_body;
  const std::string allowed_anywhere;
  ConnectionLimits limits;
  std::vector<AddressRange> trusted_proxies;
  std::unique_ptr<ReloadingTlsContext> tls;
};

// Milliseconds on a clock that never goes back; coarse (a few milliseconds), and cheap to read.
using LoopTime = std::int64_t;
constexpr LoopTime kNever = INT64_MAX;
LoopTime LoopNow();

class Loop {
 public:
  explicit Loop(Engine& engine);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Serves until Drain() has been called and the last connection has ended. `listener` is a
  // listening socket, which the loop takes over.
  void Run(int listener);
  // Stops accepting and ends idle connections; at `deadline` the rest is cut. From any thread.
  void Drain(std::chrono::milliseconds deadline);

  Engine& engine() { return engine_; }
  boost::asio::io_context& io() { return io_; }
  std::string_view AnswerFields() { return date_.Fields(CoarseSeconds()); }
  RequestIdSource& request_ids() { return request_ids_; }
  bool draining() const { return draining_; }

 private:
  Awaitable<void> Accept();
  Awaitable<void> Tick();
  Awaitable<bool> SurviveAcceptError(int error_number);
  void Admit(Socket socket);
  void Start(std::unique_ptr<Connection> connection);
  void Finish(Connection* connection, const std::exception_ptr& failure);
  void StartDraining(std::chrono::milliseconds deadline);
  void StopTickingWhenEmpty();

  Engine& engine_;
  boost::asio::io_context io_{1};
  boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, LoopExecutor> acceptor_;
  LoopTimer ticker_;
  LoopTimer accept_pause_;
  DateCache date_;
  RequestIdSource request_ids_;
  std::vector<std::unique_ptr<Connection>> connections_;
  bool draining_ = false;
  LoopTime cut_at_ = kNever;
};

}  // namespace koya::http
