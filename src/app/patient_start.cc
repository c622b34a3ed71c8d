#include "app/patient_start.h"

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
        "a step of the catalog's schema waits until no server runs that does not know it; a later "
        "start, or koya admin migrate, takes it",
        {{"step", step}});
  }
}

}  // namespace

Status StartPatience::Await(const std::function<Status()>& step) {
  std::optional<StopSignals> signals;
  // One that hangs says nothing for as long as it is waited for.
  if (!settings_.catalog.url.empty()) {
    status_.SetWaiting("the database that catalog.url names has not answered yet");
  }
  while (true) {
    Status done = step();
    if (signals && signals->Came()) {
      log_.Info("stopped before it served");
      stopped_ = true;
      return Fail(ErrorKind::kUnavailable, "the server is stopping");
    }
    if (done) {
      if (signals) log_.Info("the database is there: the start goes on");
      status_.SetWaiting("");
      return {};
    }
    const bool may_come =
        done.error().kind == ErrorKind::kUnavailable && !settings_.catalog.url.empty();
    if (!may_come) return done;
    // A step on a catalog that was opened is told of every failure that the database is away.
    if (std::optional<Error> refused = refusal_(settings_.catalog.url)) {
      return Failure(*std::move(refused));
    }
    if (!signals) {
      log_.Failure("the start waits for the database, and tries every second", done.error());
      signals.emplace();
    }
    status_.SetWaiting(done.error().message);
    if (signals->CameWithin(kBetweenAttempts)) {
      log_.Info("stopped before it served: the database never came");
      stopped_ = true;
      return done;
    }
  }
}

Result<Stores> OpenStoresPatiently(const Settings& settings, Logger& log, StartPatience& patience) {
  auto tell = [&log](const SchemaReport& report) { TellOfSchema(log, report); };
  std::optional<Stores> stores;
  RETURN_IF_ERROR(patience.Await([&]() -> Status {
    ASSIGN_OR_RETURN(stores, OpenStores(settings, log, tell));
    return {};
  }));
  return *std::move(stores);
}

}  // namespace koya
