// The token of a first start: made by one of the servers that share a catalog, told to whoever
// started it, and forgotten once there is an administrator. When its hour is over there is another.
//
// On a terminal the token is shown; where output goes to a log, that must not hold it: then it is
// in DIR/setup.token, for the owner of the process alone.
// Main thread, but for Forget().
#pragma once

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "obs/log.h"
#include "service/leases.h"
#include "service/sign_in/first_run.h"

namespace koya {

struct SetUpPlace {
  std::filesystem::path file;  // DIR/setup.token
  std::string url;             // of this server
  bool on_terminal = false;    // whether what is announced stays with whoever reads it
};

class SetUp {
 public:
  using Announce = std::function<void(std::string_view line)>;

  // Everything given must outlive this.
  SetUp(service::FirstRun& first_run, service::Leases& leases, const Clock& clock, Logger& log,
        SetUpPlace place, Announce announce);

  // Until there is an administrator, or `stopping`, which cancels `timer`: one server has the
  // lease, makes a token and keeps the lease, so that no other makes another; it does when the
  // token has ended, and so does a restart.
  Awaitable<void> Run(boost::asio::steady_timer& timer, const std::atomic<bool>& stopping);
  // What Run does each time. True: there is an administrator, and so nothing to do any more.
  Awaitable<bool> Look();

  // Removes DIR/setup.token. Any thread; blocks.
  static void Forget(const std::filesystem::path& file);

 private:
  Task<bool> MakeToken();
  Status Tell(std::string_view token);

  service::FirstRun& first_run_;
  service::Leases& leases_;
  const Clock& clock_;
  Logger& log_;
  const SetUpPlace place_;
  const Announce announce_;
  std::optional<UnixSeconds> told_until_;  // the end of the token that this server told
  bool failed_ = false;
};

}  // namespace koya
