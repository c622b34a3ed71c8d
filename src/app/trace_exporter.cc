#include "app/trace_exporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <iterator>
#include <utility>

#include "http/client/client.h"

namespace koya {
namespace {
namespace json = boost::json;

constexpr std::chrono::seconds kBetween(1);
constexpr std::chrono::seconds kPostMost(2);
constexpr std::chrono::minutes kBetweenWarnings(1);

json::object Attribute(std::string_view name,
                       const std::variant<std::string, std::int64_t>& value) {
  json::object encoded;
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    encoded["intValue"] = fmt::format("{}", *number);  // 64 bits do not fit a number of JSON
  } else {
    encoded["stringValue"] = std::get<std::string>(value);
  }
  return {{"key", name}, {"value", std::move(encoded)}};
}

json::object EncodeSpan(const Span& span) {
  json::array attributes;
  for (const auto& [name, value] : span.attributes) attributes.push_back(Attribute(name, value));
  json::object encoded{{"traceId", span.trace_id},
                       {"spanId", span.span_id},
                       {"parentSpanId", span.parent_id},
                       {"name", span.name},
                       {"kind", span.kind == Span::Kind::kServer ? 2 : 3},
                       {"startTimeUnixNano", fmt::format("{}", span.begin)},
                       {"endTimeUnixNano", fmt::format("{}", span.end)},
                       {"attributes", std::move(attributes)}};
  if (span.failed) encoded["status"] = json::object{{"code", 2}};
  return encoded;
}

std::string TracesUrl(std::string_view endpoint) {
  while (endpoint.ends_with('/')) endpoint.remove_suffix(1);
  return fmt::format("{}/v1/traces", endpoint);
}

}  // namespace

std::string EncodeSpans(const TraceExporter::Options& options, const std::vector<Span>& spans) {
  json::array encoded;
  for (const Span& span : spans) encoded.push_back(EncodeSpan(span));
  json::object scope{{"scope", json::object{{"name", "koya"}, {"version", options.version}}},
                     {"spans", std::move(encoded)}};
  json::object resource{
      {"attributes",
       json::array{Attribute("service.name", "koya"), Attribute("service.version", options.version),
                   Attribute("service.instance.id", options.instance)}}};
  json::object of_resource{{"resource", std::move(resource)},
                           {"scopeSpans", json::array{std::move(scope)}}};
  return json::serialize(json::object{{"resourceSpans", json::array{std::move(of_resource)}}});
}

TraceExporter::TraceExporter(Options options, Logger& log)
    : options_(std::move(options)),
      log_(log),
      sender_([this](const std::stop_token& stop) { Run(stop); }) {}

TraceExporter::~TraceExporter() {
  sender_.request_stop();
  sender_.join();
}

void TraceExporter::AcceptSpan(Span span) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= kMostWaiting) {
      ++dropped_;
      return;
    }
    waiting_.push_back(std::move(span));
    if (waiting_.size() != 1 && waiting_.size() != kMostAtOnce) return;
  }
  arrived_.notify_one();
}

void TraceExporter::Run(const std::stop_token& stop) {
  http::Client client({.user_agent = "koya/" + options_.version,
                       .connect_timeout = kPostMost,
                       .total_timeout = kPostMost});
  std::chrono::steady_clock::time_point warned{};
  while (true) {
    std::vector<Span> spans;
    std::uint64_t lost = 0;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, stop, [this] { return !waiting_.empty(); });
      if (waiting_.empty()) return;
      // What follows within a second goes with it.
      arrived_.wait_for(lock, stop, kBetween, [this] { return waiting_.size() >= kMostAtOnce; });
      const auto count = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kMostAtOnce));
      spans.assign(std::make_move_iterator(waiting_.begin()),
                   std::make_move_iterator(waiting_.begin() + count));
      waiting_.erase(waiting_.begin(), waiting_.begin() + count);
      lost = std::exchange(dropped_, 0);
    }
    const std::string trouble = Post(client, spans);
    if (!trouble.empty()) lost += spans.size();
    const auto now = std::chrono::steady_clock::now();
    if (lost > 0 && now - warned >= kBetweenWarnings) {
      warned = now;
      log_.Warn("spans were lost: the collector of observability.otlp_endpoint does not take them",
                {{"spans", lost}, {"reason", trouble.empty() ? "it is too slow" : trouble}});
    }
    if (stop.stop_requested()) return;
  }
}

// Sends the spans; returns why the collector did not take them, or "".
std::string TraceExporter::Post(http::Client& client, const std::vector<Span>& spans) const {
  http::ClientRequest request{
      .method = "POST", .url = TracesUrl(options_.endpoint), .max_body = 64 << 10};
  request.fields = {{"Content-Type", "application/json"}};
  request.body = EncodeSpans(options_, spans);
  auto answer = client.Send(request);
  if (!answer) return answer.error().message;
  if (answer->status / 100 == 2) return {};
  return fmt::format("it responded with status {}", answer->status);
}

}  // namespace koya
