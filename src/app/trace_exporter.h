// Sends spans to an OpenTelemetry collector: OTLP over HTTP, in its JSON form
// (opentelemetry.io/docs/specs/otlp).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/trace.h"
#include "obs/log.h"

namespace koya {

namespace http {
class Client;
}

// One POST to ENDPOINT/v1/traces a second, or for each kMostAtOnce. Spans that wait for a slow
// collector are bounded: beyond, and where a POST fails, they are lost, which the log reports once
// a minute.
class TraceExporter final : public SpanSink {
 public:
  static constexpr std::size_t kMostWaiting = 4096;  // spans
  static constexpr std::size_t kMostAtOnce = 512;

  struct Options {
    std::string endpoint;  // the base URL
    std::string version;   // of this program
    std::string instance;  // this server's name among others
  };
  // `log` outlives this.
  TraceExporter(Options options, Logger& log);
  // Sends the spans that wait, once, within two seconds.
  ~TraceExporter() override;

  void AcceptSpan(Span span) override;

 private:
  void Run(const std::stop_token& stop);
  std::string Post(http::Client& client, const std::vector<Span>& spans) const;

  const Options options_;
  Logger& log_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable_any arrived_;
  std::vector<Span> waiting_;
  std::uint64_t dropped_ = 0;  // since the last POST
  std::jthread sender_;        // last: it uses the members above
};

// The document for these spans; `spans` is not empty.
std::string EncodeSpans(const TraceExporter::Options& options, const std::vector<Span>& spans);

}  // namespace koya
