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
    loop_.run_for(time);
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

Result<std::optional<Stores>> OpenStoresPatiently(const Settings& settings, Logger& log,
                                                  ServingStatus& status) {
  auto tell = [&log](const SchemaReport& report) { TellOfSchema(log, report); };
  std::optional<StopSignals> signals;
  while (true) {
    Result<Stores> opened = OpenStores(settings, log, tell);
    if (opened) {
      if (signals) log.Info("the database is there: the start goes on");
      status.SetWaiting("");
      return std::optional(*std::move(opened));
    }
    const bool may_come =
        opened.error().kind == ErrorKind::kUnavailable && !settings.catalog.url.empty();
    if (!may_come) return std::unexpected(std::move(opened).error());
    if (!signals) {
      log.Failure("the start waits for the database, and tries every second", opened.error());
      signals.emplace();
    }
    status.SetWaiting(opened.error().message);
    if (signals->CameWithin(kBetweenAttempts)) {
      log.Info("stopped before it served: the database never came");
      return std::optional<Stores>();
    }
  }
}

}  // namespace koya
