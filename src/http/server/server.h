// The HTTP engine (1.1, and 2 over TLS): listeners, TLS, connections, limits, drain.
//
// One event loop per thread, each with its own SO_REUSEPORT listener; a connection lives and dies
// on one loop. The engine knows nothing of registries: it gets a Router, an ErrorAnswer function
// and observers.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "http/server/message.h"
#include "http/server/router.h"
#include "http/server/server_options.h"

namespace koya::http {

class Server {
 public:
  // `router` and `observer` must outlive the server.
  Server(ServerOptions options, const Router& router, Observer& observer, ErrorAnswer error_answer);
  ~Server();  // stops without drain
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Binds the port and loads TLS, but does not respond yet: connections wait in the kernel's queue.
  // Lets the caller learn the port before the first request. Fails: kInvalid (bad address,
  // unreadable certificate), kUnavailable (the port is taken), each naming the setting to change.
  Status Bind();
  // Starts the loops; binds first if Bind() was not called. Fails: as Bind().
  Status Start();
  // The bound port. REQUIRES: bound.
  std::uint16_t port() const;
  // Stops accepting, ends idle connections, lets running requests finish until the drain deadline,
  // then closes their sockets and cancels their handlers (every await of theirs that supports
  // Asio's cancellation throws). Returns when all loops have ended: it waits for a handler that
  // waits for a worker. May be called once, from any other thread.
  void Stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya::http
