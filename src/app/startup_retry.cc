#include "app/startup_retry.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <csignal>
#include <string>
#include <utility>

namespace koya {
namespace {

constexpr std::chrono::seconds kBetweenAttempts(1);

// The signals that end a server, for as long as this lives.
class StopSignals {
 public:
  StopSignals() {
    signals_.async_wait([this](boost::system::error_code error, int) { came_ = !error; });
  }
  bool CameWithin(std::chrono::seconds time) {
    loop_.restart();
    loop_.run_for(time);
    return came_;
  }
  // Whether one has come so far.
  bool Came() {
    loop_.restart();
    loop_.poll();
    return came_;
  }

 private:
  boost::asio::io_context loop_{1};
  boost::asio::signal_set signals_{loop_, SIGTERM, SIGINT};
  bool came_ = false;
};

void TellOfSchema(Logger& log, const SchemaReport& report) {
  if (!report.taken.empty()) {
    log.Info("the catalog's schema is up to date",
             {{"steps", report.taken.size()}, {"last", report.taken.back()}});
  }
  for (const std::string& step : report.waiting) {
    log.Warn(
        "a schema migration waits until the last server that does not know it has stopped; a later "
        "start, or koya admin migrate, runs it",
        {{"step", step}});
  }
}

}  // namespace

Status StartupRetry::Await(const std::function<Status()>& step) {
  std::optional<StopSignals> signals;
  // One that hangs says nothing for as long as it is waited for.
  if (!settings_.catalog.url.empty()) {
    status_.SetWaiting("the database that catalog.url names has not responded yet");
  }
  while (true) {
    Status done = step();
    if (signals && signals->Came()) {
      log_.Info("stopped before the server was ready");
      stopped_ = true;
      return FailUnavailable("the server is stopping");
    }
    if (done) {
      if (signals) log_.Info("the database responds: the start continues");
      status_.SetWaiting("");
      return {};
    }
    const bool may_come =
        done.error().kind == ErrorKind::kUnavailable && !settings_.catalog.url.empty();
    if (!may_come) return done;
    // A step on an opened catalog sees every failure as the database being down.
    if (std::optional<Error> refused = refusal_(settings_.catalog.url)) {
      return Failure(*std::move(refused));
    }
    if (!signals) {
      log_.Failure("waiting for the database, retrying every second", done.error());
      signals.emplace();
    }
    status_.SetWaiting(done.error().message);
    if (signals->CameWithin(kBetweenAttempts)) {
      log_.Info("stopped before the server was ready: the database never responded");
      stopped_ = true;
      return done;
    }
  }
}

Result<Stores> OpenStoresWithRetries(const Settings& settings, Logger& log,
                                     StartupRetry& patience) {
  auto tell = [&log](const SchemaReport& report) { TellOfSchema(log, report); };
  std::optional<Stores> stores;
  RETURN_IF_ERROR(patience.Await([&]() -> Status {
    ASSIGN_OR_RETURN(stores, OpenStores(settings, log, tell));
    return {};
  }));
  return *std::move(stores);
}

}  // namespace koya
