// An event loop and the connections that live on it. Everything here belongs to the loop's own
// thread, except where a comment says otherwise.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <memory>
#include <vector>

#include "base/task.h"
#include "http/server/engine.h"
#include "http/server/transport.h"

namespace koya::http {

class Connection;

class Loop {
 public:
  explicit Loop(Engine& engine);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Serves until Drain() has been called and the last connection has ended. `listener` is a
  // listening socket, of which the loop takes ownership.
  void Run(int listener);
  // Stops accepting and ends idle connections; at `deadline` the rest is cut. Any thread.
  void Drain(std::chrono::milliseconds deadline);

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
  LoopContext share_;
  // Sockets and timers belong to the loop's thread, which needs no locks for them; posting is open
  // to every thread.
  boost::asio::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, LoopExecutor> acceptor_;
  LoopTimer ticker_;
  LoopTimer accept_pause_;
  std::vector<std::unique_ptr<Connection>> connections_;
  bool draining_ = false;
  LoopTime cut_at_ = kNever;
};

}  // namespace koya::http
