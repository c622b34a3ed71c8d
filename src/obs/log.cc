#include "obs/log.h"

#include <array>
#include <chrono>
#include <utility>

#include "obs/json_line.h"
#include "obs/line_writer.h"
#include "obs/metrics.h"

namespace koya {
namespace {

// In the order of their values.
constexpr std::array<std::string_view, 4> kLevelNames{"debug", "info", "warn", "error"};

struct FieldWriter {
  JsonLine& line;
  std::string_view key;
  void operator()(std::string_view value) const { line.Text(key, value); }
  void operator()(std::uint64_t value) const { line.Unsigned(key, value); }
  void operator()(std::int64_t value) const { line.Signed(key, value); }
  void operator()(double value) const { line.Real(key, value); }
  void operator()(bool value) const { line.Flag(key, value); }
};

LogLevel LevelOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInternal:
    case ErrorKind::kCorrupt:
      return LogLevel::kError;
    case ErrorKind::kStorageFull:
    case ErrorKind::kUnavailable:
    case ErrorKind::kBadUpstream:
    case ErrorKind::kUpstreamTimeout:
      return LogLevel::kWarning;
    case ErrorKind::kInvalid:
    case ErrorKind::kRefused:
    case ErrorKind::kUnauthenticated:
    case ErrorKind::kForbidden:
    case ErrorKind::kTokenUsed:
    case ErrorKind::kNotFound:
    case ErrorKind::kGone:
    case ErrorKind::kConflict:
    case ErrorKind::kTooLarge:
    case ErrorKind::kThrottled:
    case ErrorKind::kTimeout:
      return LogLevel::kInfo;
  }
  return LogLevel::kError;
}

}  // namespace

std::optional<LogLevel> ParseLogLevel(std::string_view text) {
  for (std::size_t i = 0; i < kLevelNames.size(); ++i) {
    if (kLevelNames[i] == text) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

std::string_view LogLevelName(LogLevel level) {
  return kLevelNames[static_cast<std::size_t>(level)];
}

struct Logger::Impl {
  LineWriter& writer;
  LogLevel least;
  LimitCounter limits{};
};

Logger::Logger(LineWriter& writer, LogLevel level) : impl_(std::make_unique<Impl>(writer, level)) {}

Logger::~Logger() = default;

void Logger::Debug(std::string_view message, LogFields fields) {
  Write(LogLevel::kDebug, message, fields, nullptr);
}

void Logger::Info(std::string_view message, LogFields fields) {
  Write(LogLevel::kInfo, message, fields, nullptr);
}

void Logger::Warn(std::string_view message, LogFields fields) {
  Write(LogLevel::kWarning, message, fields, nullptr);
}

void Logger::Error(std::string_view message, LogFields fields) {
  Write(LogLevel::kError, message, fields, nullptr);
}

void Logger::Failure(std::string_view message, const koya::Error& error, LogFields fields) {
  Write(LevelOf(error.kind), message, fields, &error);
}

void Logger::LimitReached(LimitName limit, std::string_view message) {
  if (limit.empty()) return;
  std::uint64_t times = impl_->limits.Count(limit, std::chrono::steady_clock::now());
  if (times == 0) return;
  Warn("a limit was reached", {{"limit", limit.text()}, {"times", times}, {"error", message}});
}

void Logger::TakeLimit(koya::Error& error) {
  LimitReached(std::exchange(error.limit, {}), error.message);
}

void Logger::CountLimitsIn(Metrics& metrics) { impl_->limits.CountIn(metrics); }

void Logger::Write(LogLevel level, std::string_view message, LogFields fields,
                   const koya::Error* error) {
  if (level < impl_->least) return;
  JsonLine line;
  line.Time("time", std::chrono::system_clock::now());
  line.Text("level", LogLevelName(level));
  line.Text("message", message);
  for (const LogField& field : fields) std::visit(FieldWriter{line, field.key}, field.value);
  if (error != nullptr) {
    line.Text("kind", ErrorKindName(error->kind));
    line.Text("error", error->message);
    if (!error->detail.empty()) line.Text("detail", error->detail);
  }
  impl_->writer.Append(line.Finish());
}

}  // namespace koya
