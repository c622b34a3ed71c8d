#include "obs/access_log.h"

#include "obs/json_line.h"

namespace koya {

void AccessLog::Write(const AccessLogEntry& entry) {
  // Clients choose these; a short limit bounds the log output of one request.
  constexpr std::size_t kMaxAgent = 256;
  constexpr std::size_t kMaxMethod = 32;
  using std::chrono::duration_cast;
  auto microseconds = duration_cast<std::chrono::microseconds>(entry.duration).count();

  JsonLine line;
  line.Piece(R"("time":)");
  line.Value(std::chrono::system_clock::now());
  line.Piece(R"(,"level":"info","message":"request","request_id":)");
  line.PlainValue(entry.request_id);
  if (!entry.trace_id.empty()) {
    line.Piece(R"(,"trace_id":)");
    line.Value(entry.trace_id);
  }
  line.Piece(R"(,"remote":)");
  line.PlainValue(entry.remote);
  line.Piece(R"(,"method":)");
  line.Value(entry.method, kMaxMethod);
  line.Piece(R"(,"path":)");
  line.Value(entry.path.substr(0, entry.path.find('?')));
  if (!entry.route.empty()) {
    line.Piece(R"(,"route":)");
    line.PlainValue(entry.route);
  }
  line.Piece(R"(,"status":)");
  line.Value(entry.status);
  line.Piece(R"(,"bytes_in":)");
  line.Value(entry.bytes_received);
  line.Piece(R"(,"bytes_out":)");
  line.Value(entry.bytes_sent);
  line.Piece(R"(,"duration_us":)");
  line.Value(microseconds);
  line.Piece(R"(,"user_agent":)");
  line.Value(entry.user_agent, kMaxAgent);
  if (entry.http2) line.Piece(R"(,"protocol":"h2")");
  if (entry.cut_off) line.Piece(R"(,"cut_off":true)");
  if (!entry.detail.empty()) line.Text("detail", entry.detail);
  writer_.Append(line.Finish());
}

}  // namespace koya
