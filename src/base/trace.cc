#include "base/trace.h"

#include <chrono>
#include <random>

namespace koya {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kFieldSize = 55;  // VERSION-TRACE-PARENT-FLAGS

std::string NewSpanId() {
  thread_local std::mt19937_64 random(std::random_device{}());
  std::uint64_t value = random() | 1;  // never all zeros, which is no id
  std::string id(16, '0');
  for (char& digit : id) {
    digit = kDigits[value & 15];
    value >>= 4;
  }
  return id;
}

std::int64_t NowNanoseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

thread_local const TracePtr* current = nullptr;  // of the innermost TraceScope

}  // namespace

std::string_view TraceIdOf(std::string_view traceparent) {
  if (traceparent.size() < kFieldSize) return {};
  auto is_hex = [](std::string_view text) {
    return text.find_first_not_of(kDigits) == std::string_view::npos;
  };
  auto is_id = [is_hex](std::string_view text) {
    return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
  };
  const std::string_view version = traceparent.substr(0, 2);
  const std::string_view trace = traceparent.substr(3, 32);
  const bool is_apart =
      traceparent[2] == '-' && traceparent[35] == '-' && traceparent[52] == '-' &&
      (traceparent.size() == kFieldSize || (version != "00" && traceparent[kFieldSize] == '-'));
  const bool is_sound = is_apart && is_hex(version) && version != "ff" && is_id(trace) &&
                        is_id(traceparent.substr(36, 16)) && is_hex(traceparent.substr(53, 2));
  return is_sound ? trace : std::string_view();
}

Trace::Trace(SpanSink& sink, std::string_view traceparent)
    : sink_(sink),
      trace_id_(traceparent.substr(3, 32)),
      caller_id_(traceparent.substr(36, 16)),
      span_id_(NewSpanId()),
      sampled_((kDigits.find(traceparent[54]) & 1) != 0) {}

Span Trace::RequestSpan(std::string name, std::int64_t duration) const {
  const std::int64_t now = NowNanoseconds();
  return {.trace_id = trace_id_,
          .span_id = span_id_,
          .parent_id = caller_id_,
          .name = std::move(name),
          .kind = Span::Kind::kServer,
          .begin = now - duration,
          .end = now};
}

TracePtr CurrentTrace() { return current == nullptr ? nullptr : *current; }

TraceScope::TraceScope(TracePtr trace)
    : trace_(std::move(trace)), before_(std::exchange(current, &trace_)) {}
TraceScope::~TraceScope() { current = before_; }

SpanScope::SpanScope(TracePtr trace, std::string_view name) : trace_(std::move(trace)) {
  if (trace_ == nullptr) return;
  span_.span_id = NewSpanId();
  if (!records()) return;
  span_.trace_id = trace_->trace_id_;
  span_.parent_id = trace_->span_id_;
  span_.name = name;
  span_.begin = NowNanoseconds();
}

SpanScope::~SpanScope() {
  if (!records()) return;
  span_.end = NowNanoseconds();
  trace_->sink_.AcceptSpan(std::move(span_));
}

void SpanScope::Describe(std::string_view attribute,
                         std::variant<std::string, std::int64_t> value) {
  if (records()) span_.attributes.emplace_back(attribute, std::move(value));
}

std::string SpanScope::traceparent() const {
  if (trace_ == nullptr) return {};
  return "00-" + trace_->trace_id_ + '-' + span_.span_id + (trace_->sampled_ ? "-01" : "-00");
}

}  // namespace koya
