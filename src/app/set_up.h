// The token of a first start: created by one of the servers that share a catalog, shown to the
// operator, and discarded once there is an administrator. It expires after an hour, and another one
// is created.
//
// On a terminal the token is shown. Where the output goes to a log, which must not contain it, the
// token is in DIR/setup.token, readable only by the owner of the process. Main thread, except
// RemoveTokenFile().
//
// A --dev server has an admin token instead.
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
#include "service/access/tokens.h"
#include "service/common/leases.h"
#include "service/sign_in/first_run.h"

namespace koya {

struct SetUpPlace {
  std::filesystem::path file;  // DIR/setup.token
  std::string url;             // this server's
  bool on_terminal = false;    // whether the announcement is shown on a terminal and not logged
};

class SetUp {
 public:
  using Announce = std::function<void(std::string_view line)>;

  // All arguments must outlive this.
  SetUp(service::FirstRun& first_run, service::Leases& leases, const Clock& clock, Logger& log,
        SetUpPlace place, Announce announce);

  // Runs until there is an administrator, or `stopping`, which cancels `timer`. One server takes
  // the lease, creates a token and keeps the lease, so that no other server creates one. The server
  // creates another token when the token expires; so does a restart.
  Awaitable<void> Run(boost::asio::steady_timer& timer, const std::atomic<bool>& stopping);
  // One iteration of Run. True: there is an administrator, so there is nothing more to do.
  Awaitable<bool> CheckOnce();

  // Removes DIR/setup.token. Any thread; blocks.
  static void RemoveTokenFile(const std::filesystem::path& file);

 private:
  Task<bool> MakeToken();
  Status AnnounceToken(std::string_view token);

  service::FirstRun& first_run_;
  service::Leases& leases_;
  const Clock& clock_;
  Logger& log_;
  const SetUpPlace place_;
  const Announce announce_;
  std::optional<UnixSeconds> reported_until_;  // expiry of the token that this server announced
  bool failed_ = false;
};

// Returns the token in `kept` (the contents of DIR/dev/admin.token, "" if there is none) if it is
// still an admin token of this catalog; else creates a token that replaces it. Blocks.
Result<std::string> EnsureDevAdminToken(service::Tokens& tokens, const std::string& kept);

}  // namespace koya
