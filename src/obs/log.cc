#include "obs/log.h"

#include <spdlog/details/null_mutex.h>
#include <spdlog/formatter.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <array>
#include <utility>

#include "obs/json_line.h"
#include "obs/limit_counter.h"

namespace koya {
namespace {

struct LevelName {
  LogLevel level;
  std::string_view name;
  spdlog::level::level_enum spdlog_level;
};
constexpr std::array kLevels{LevelName{LogLevel::kDebug, "debug", spdlog::level::debug},
                             LevelName{LogLevel::kInfo, "info", spdlog::level::info},
                             LevelName{LogLevel::kWarning, "warn", spdlog::level::warn},
                             LevelName{LogLevel::kError, "error", spdlog::level::err}};

const LevelName& Entry(LogLevel level) { return kLevels[static_cast<std::size_t>(level)]; }

std::string_view NameOf(spdlog::level::level_enum level) {
  for (const LevelName& entry : kLevels) {
    if (entry.spdlog_level == level) return entry.name;
  }
  return "error";
}

// The payload is the members of the object, written already: spdlog 1.10 knows no fields.
class JsonFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    JsonLine line;
    line.Time("time", message.time);
    line.Text("level", NameOf(message.level));
    line.Members({message.payload.data(), message.payload.size()});
    std::string_view text = line.Finish();
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }
};

// LineWriter does the locking, so the sink needs none.
class LineSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit LineSink(LineWriter& writer)
      : base_sink(std::make_unique<JsonFormatter>()), writer_(writer) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    writer_.Append({text.data(), text.size()});
  }
  void flush_() override {}

  LineWriter& writer_;
};

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
    case ErrorKind::kNotFound:
    case ErrorKind::kConflict:
    case ErrorKind::kTooLarge:
    case ErrorKind::kTimeout:
      return LogLevel::kInfo;
  }
  return LogLevel::kError;
}

}  // namespace

std::optional<LogLevel> ParseLogLevel(std::string_view text) {
  for (const LevelName& entry : kLevels) {
    if (entry.name == text) return entry.level;
  }
  return std::nullopt;
}

std::string_view LogLevelName(LogLevel level) { return Entry(level).name; }

struct Logger::Impl {
  explicit Impl(LineWriter& writer) : logger("koya", std::make_shared<LineSink>(writer)) {}
  LimitCounter limits;
  spdlog::logger logger;  // not registered with spdlog's global registry
};

Logger::Logger(LineWriter& writer, LogLevel level) : impl_(std::make_unique<Impl>(writer)) {
  impl_->logger.set_level(Entry(level).spdlog_level);
}

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
  spdlog::level::level_enum spdlog_level = Entry(level).spdlog_level;
  if (!impl_->logger.should_log(spdlog_level)) return;
  JsonLine line;
  line.Text("message", message);
  for (const LogField& field : fields) std::visit(FieldWriter{line, field.key}, field.value);
  if (error != nullptr) {
    line.Text("kind", ErrorKindName(error->kind));
    line.Text("error", error->message);
    if (!error->detail.empty()) line.Text("detail", error->detail);
  }
  std::string_view members = line.members();
  impl_->logger.log(spdlog_level, spdlog::string_view_t(members.data(), members.size()));
}

}  // namespace koya
