// The program's log: one JSON object per line, on stderr.
//
//   log.Info("module published", {{"request_id", id}, {"address", address}, {"bytes", size}});
//   {"time":"2026-11-21T16:41:10.123Z","level":"info","message":"module published",…}
//
// A failure is logged once, where it is handled. Never log a query string, an Authorization field
// or a token: queries contain signatures. Each value is cut to a kilobyte.
//
// Threads: every method may be called from any thread and never waits for the log's reader.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace koya {

class LineWriter;
class Metrics;

enum class LogLevel { kDebug, kInfo, kWarning, kError };

// "debug", "info", "warn", "error".
std::optional<LogLevel> ParseLogLevel(std::string_view text);
std::string_view LogLevelName(LogLevel level);

// A named value of a log line. Views are used during the call only; keys are literals.
struct LogField {
  using Value = std::variant<std::string_view, std::uint64_t, std::int64_t, double, bool>;

  LogField(std::string_view field_key, const char* text)
      : key(field_key), value(std::string_view(text)) {}
  LogField(std::string_view field_key, std::string_view text) : key(field_key), value(text) {}
  LogField(std::string_view field_key, const std::string& text)
      : key(field_key), value(std::string_view(text)) {}
  LogField(std::string_view field_key, bool flag) : key(field_key), value(flag) {}
  LogField(std::string_view field_key, double number) : key(field_key), value(number) {}
  LogField(std::string_view field_key, std::unsigned_integral auto number)
      : key(field_key), value(std::uint64_t{number}) {}
  LogField(std::string_view field_key, std::signed_integral auto number)
      : key(field_key), value(std::int64_t{number}) {}

  std::string_view key;
  Value value;
};
using LogFields = std::initializer_list<LogField>;

class Logger {
 public:
  // Drops lines below `level`. `writer` must outlive the logger.
  Logger(LineWriter& writer, LogLevel level);
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  void Debug(std::string_view message, LogFields fields = {});
  void Info(std::string_view message, LogFields fields = {});
  void Warn(std::string_view message, LogFields fields = {});
  void Error(std::string_view message, LogFields fields = {});
  // Adds the error's kind, message and detail. kInternal and kCorrupt are logged as errors,
  // kUnavailable and kStorageFull as warnings; the rest is normal use: info.
  void Failure(std::string_view message, const koya::Error& error, LogFields fields = {});

  // Counts a reached limit, and logs it at most once a minute for each limit (see
  // LimitCounter in obs/metrics.h). An empty name does nothing. Call it where a failure is handled,
  // not where it arises: at the request boundary, and at the end of background work.
  void LimitReached(LimitName limit, std::string_view message);
  // The same for the limit that the error names; removes it from the error, so that the next
  // handler does not count it again.
  void TakeLimit(koya::Error& error);
  // Sets where reached limits are counted. `metrics` must outlive the logger's use; call it once,
  // before other threads log.
  void CountLimitsIn(Metrics& metrics);

 private:
  void Write(LogLevel level, std::string_view message, LogFields fields, const koya::Error* error);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace koya
