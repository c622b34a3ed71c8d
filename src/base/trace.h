// Traces (W3C Trace Context, level 1): a request whose client sends a traceparent field takes part
// in that client's trace. A span is one step of it, with its duration.
//
// A request's trace travels with its work: base/traced_executor.h takes it through coroutines and
// onto the threads of the pools, where CurrentTrace() returns it to code that blocks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace koya {

struct Span {
  enum class Kind { kServer, kClient };

  std::string trace_id;   // 32 lower-case hex digits
  std::string span_id;    // 16
  std::string parent_id;  // 16
  std::string name;
  Kind kind = Kind::kClient;
  std::int64_t begin = 0;  // nanoseconds since 1970
  std::int64_t end = 0;
  // Names as in OpenTelemetry's semantic conventions. Never secrets.
  std::vector<std::pair<std::string_view, std::variant<std::string, std::int64_t>>> attributes;
  bool failed = false;
};

// Receives spans that have ended. Threads: any.
class SpanSink {
 public:
  virtual ~SpanSink() = default;
  // Returns at once; may drop the span.
  virtual void AcceptSpan(Span span) = 0;
};

// A request's place in a trace. Immutable.
class Trace {
 public:
  // `traceparent` is a field that TraceIdOf accepts. `sink` outlives this.
  Trace(SpanSink& sink, std::string_view traceparent);

  // Whether the client records this trace: else no span is made.
  bool sampled() const { return sampled_; }
  // The span of the request itself; it ends now.
  Span RequestSpan(std::string name, std::int64_t duration) const;

 private:
  friend class SpanScope;
  SpanSink& sink_;
  std::string trace_id_;
  std::string caller_id_;  // the client's span
  std::string span_id_;    // the request's
  bool sampled_ = false;
};

using TracePtr = std::shared_ptr<const Trace>;

// The trace_id in a traceparent field (§3.2): 32 lower-case hex digits, a view into it. "": the
// field is malformed. Later versions may add members after the flags.
std::string_view TraceIdOf(std::string_view traceparent);

// The trace for which this thread works now; null: none.
TracePtr CurrentTrace();

// Sets CurrentTrace() until it is destroyed.
class TraceScope {
 public:
  explicit TraceScope(TracePtr trace);
  ~TraceScope();
  TraceScope(const TraceScope&) = delete;
  TraceScope& operator=(const TraceScope&) = delete;

 private:
  const TracePtr trace_;
  const TracePtr* const before_;
};

// A step of a request, from construction to destruction. Does nothing for a trace that is null or
// not sampled.
class SpanScope {
 public:
  SpanScope(TracePtr trace, std::string_view name);
  ~SpanScope();
  SpanScope(const SpanScope&) = delete;
  SpanScope& operator=(const SpanScope&) = delete;

  // `attribute` is a literal.
  void Describe(std::string_view attribute, std::variant<std::string, std::int64_t> value);
  void SetFailed() { span_.failed = true; }
  // The field for a request to another server, which makes this step the caller there; "": there is
  // no trace. An unsampled trace is passed on, too.
  std::string traceparent() const;

 private:
  bool records() const { return trace_ != nullptr && trace_->sampled(); }

  TracePtr trace_;
  Span span_;
};

}  // namespace koya
