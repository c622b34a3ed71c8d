#include "obs/access_log.h"

#include "obs/json_line.h"

namespace koya {

void AccessLog::Write(const AccessLogEntry& entry) {
  // A stranger chooses these; a short bound keeps what one request can write to the log small.
  constexpr std::size_t kMaxAgent = 256;
  constexpr std::size_t kMaxMethod = 32;
  using std::chrono::duration_cast;
  auto microseconds = duration_cast<std::chrono::microseconds>(entry.duration).count();

  JsonLine line;
  line.Time("time", std::chrono::system_clock::now());
  line.Members(R"("level":"info","message":"request")");
  line.Text("request_id", entry.request_id);
  line.Text("remote", entry.remote);
  line.Text("method", entry.method, kMaxMethod);
  line.Text("path", entry.path.substr(0, entry.path.find('?')));
  if (!entry.route.empty()) line.Text("route", entry.route);
  line.Unsigned("status", entry.status);
  line.Unsigned("bytes_in", entry.bytes_received);
  line.Unsigned("bytes_out", entry.bytes_sent);
  line.Signed("duration_us", microseconds);
  line.Text("user_agent", entry.user_agent, kMaxAgent);
  if (entry.cut_off) line.Flag("cut_off", true);
  if (!entry.detail.empty()) line.Text("detail", entry.detail);
  writer_.Append(line.Finish());
}

}  // namespace koya
