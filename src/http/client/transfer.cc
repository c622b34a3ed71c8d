#include "http/client/transfer.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "http/url.h"

namespace koya::http {
namespace {

// Of the failure that is a first byte which did not come.
constexpr std::string_view kFirstByteDetail = "first byte: ";

// Without the spaces and the line's end around it.
std::string_view Trimmed(std::string_view text) {
  std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

bool RefuseHead(Transfer& transfer, std::string_view what) {
  transfer.failure = Error{ErrorKind::kTooLarge, fmt::format("the response head has {}", what), {}};
  transfer.failure->limit = "fixed.answer_head";
  return false;
}

// A line of a head. False: it is one too many.
bool TakeField(Transfer& transfer, std::string_view line) {
  auto& fields = transfer.response.fields;
  transfer.head_bytes += line.size();
  if (transfer.head_bytes > kMaxHeadBytes) {
    return RefuseHead(transfer, fmt::format("more than {} bytes", kMaxHeadBytes));
  }
  // A status line begins a new head: what came before was a 100 or a proxy's answer.
  if (line.starts_with("HTTP/")) fields.clear();
  std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || line.starts_with("HTTP/")) return true;
  if (fields.size() >= kMaxFields) {
    return RefuseHead(transfer, fmt::format("more than {} fields", kMaxFields));
  }
  fields.emplace_back(line.substr(0, colon), Trimmed(line.substr(colon + 1)));
  return true;
}

}  // namespace

std::size_t OnField(char* data, std::size_t size, std::size_t count, void* context) {
  bool taken = TakeField(*static_cast<Transfer*>(context), {data, size * count});
  return taken ? size * count : 0;
}

namespace {

bool IsSuccess(long status) { return status >= 200 && status <= 299; }

}  // namespace

bool TellHead(Transfer& transfer, long status) {
  const ClientRequest& request = *transfer.request;
  if (transfer.head_told || !request.sink || !request.on_head || !IsSuccess(status)) return true;
  transfer.head_told = true;
  transfer.response.status = static_cast<unsigned>(status);
  Status taken = request.on_head(transfer.response);
  if (taken) return true;
  transfer.failure = std::move(taken).error();
  return false;
}

namespace {

// Of what failed, as much as a message can need.
bool TakeOfFailure(Transfer& transfer, std::string_view bytes) {
  std::string& body = transfer.response.body;
  body.append(bytes.substr(0, kMaxFailureBody - body.size()));
  transfer.enough = body.size() >= kMaxFailureBody;
  return !transfer.enough;
}

bool Give(Transfer& transfer, std::string_view bytes) {
  Status taken = transfer.request->sink(std::as_bytes(std::span(bytes)));
  if (taken) return true;
  transfer.failure = std::move(taken).error();
  return false;
}

bool GiveGathered(Transfer& transfer) {
  const std::size_t size = std::exchange(transfer.piece_size, 0);
  return size == 0 || Give(transfer, {transfer.piece.get(), size});
}

// libcurl hands out 16 KiB at most, however much it has received.
bool Gather(Transfer& transfer, std::string_view bytes) {
  const std::size_t room = std::min(transfer.request->piece_bytes, kMaxPiece);
  if (!transfer.piece) transfer.piece = std::make_unique_for_overwrite<char[]>(room);
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), room - transfer.piece_size);
    std::memcpy(transfer.piece.get() + transfer.piece_size, bytes.data(), taken);
    transfer.piece_size += taken;
    bytes.remove_prefix(taken);
    if (transfer.piece_size == room && !GiveGathered(transfer)) return false;
  }
  return true;
}

bool Take(Transfer& transfer, std::string_view bytes, long status) {
  if (!IsSuccess(status)) return TakeOfFailure(transfer, bytes);
  if (!TellHead(transfer, status)) return false;
  const bool first = transfer.received == 0;
  transfer.received += bytes.size();
  if (transfer.received > transfer.request->max_body) {
    transfer.failure =
        Error{ErrorKind::kTooLarge,
              fmt::format("the response is larger than {} bytes", transfer.request->max_body),
              {}};
    return false;
  }
  if (!transfer.request->sink) {
    transfer.response.body.append(bytes);
    return true;
  }
  const bool gathers = transfer.request->piece_bytes > 0 && !first;
  return gathers ? Gather(transfer, bytes) : Give(transfer, bytes);
}

// Does `work`, for which the peer is not to blame, however long it takes.
template <class Work>
bool Untimed(Transfer& transfer, Work work) {
  Transfer::Time began = std::chrono::steady_clock::now();
  const bool done = work();
  transfer.last_byte = std::chrono::steady_clock::now();
  transfer.window_began += transfer.last_byte - began;
  return done;
}

}  // namespace

bool HandOver(Transfer& transfer) {
  if (transfer.piece_size == 0) return true;
  return Untimed(transfer, [&transfer] { return GiveGathered(transfer); });
}

std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  long status = 0;
  curl_easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
  const std::string_view bytes(data, size * count);
  bool taken = Untimed(transfer, [&] { return Take(transfer, bytes, status); });
  return taken ? size * count : 0;
}

std::size_t OnRead(char* buffer, std::size_t size, std::size_t count, void* context) {
  auto& transfer = *static_cast<Transfer*>(context);
  const FileUpload& upload = *transfer.request->upload;
  // The file may be longer than the range that is sent.
  const std::size_t wanted =
      std::min<std::uint64_t>(size * count, upload.size - transfer.upload_offset);
  ssize_t got = 0;
  do {
    got = ::pread(upload.descriptor, buffer, wanted,
                  static_cast<off_t>(upload.offset + transfer.upload_offset));
  } while (got < 0 && errno == EINTR);
  if (got < 0 || (got == 0 && transfer.upload_offset < upload.size)) {
    transfer.failure = Error{ErrorKind::kInvalid,
                             "the file changed or became unreadable while it was being sent; run "
                             "the command again when nothing writes to it",
                             {}};
    return CURL_READFUNC_ABORT;
  }
  transfer.upload_offset += static_cast<std::uint64_t>(got);
  return static_cast<std::size_t>(got);
}

// libcurl rewinds when a kept connection turned out to be closed.
int OnSeek(void* context, curl_off_t offset, int origin) {
  if (origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
  static_cast<Transfer*>(context)->upload_offset = static_cast<std::uint64_t>(offset);
  return CURL_SEEKFUNC_OK;
}

namespace {

bool TooSlow(Transfer& transfer, std::string_view how) {
  auto origin = ParseUrl(transfer.request->url);
  transfer.failure =
      Error{ErrorKind::kTimeout,
            fmt::format("{} was too slow: {}; try again, or look at the server's log",
                        origin ? origin->Origin() : "the server", how),
            {}};
  return true;
}

// libcurl's own limit goes by an average of five seconds, and so notices too late.
bool HasStalled(Transfer& transfer, curl_off_t moved, Transfer::Time now) {
  if (moved != transfer.moved) transfer.last_byte = now;
  transfer.moved = moved;
  auto limit = transfer.stall_timeout();
  if (limit.count() == 0 || now - transfer.last_byte < limit) return false;
  return TooSlow(transfer, fmt::format("no byte for {} milliseconds", limit.count()));
}

bool IsTrickling(Transfer& transfer, curl_off_t moved, Transfer::Time now) {
  const ClientRequest& request = *transfer.request;
  if (request.min_rate == 0 || now - transfer.window_began < request.rate_window) return false;
  double seconds = std::chrono::duration<double>(now - transfer.window_began).count();
  double rate = static_cast<double>(moved - transfer.window_moved) / seconds;
  transfer.window_began = now;
  transfer.window_moved = moved;
  if (rate >= static_cast<double>(request.min_rate)) return false;
  TooSlow(transfer,
          fmt::format("{:.0f} bytes a second, less than the required {}", rate, request.min_rate));
  transfer.failure->limit = request.min_rate_name;
  return true;
}

}  // namespace

std::chrono::milliseconds Transfer::stall_timeout() const {
  return request->stall_timeout.count() > 0 ? request->stall_timeout : options->stall_timeout;
}

bool Transfer::IsFirstByteLate(Time now) {
  if (request->first_byte_timeout.count() == 0 || head_bytes > 0) return false;
  // Until the connection stands, its own time limit holds.
  curl_off_t connected = 0;
  curl_easy_getinfo(handle, CURLINFO_PRETRANSFER_TIME_T, &connected);
  if (connected == 0) return false;
  auto limit = request->first_byte_timeout;
  if (now - began - std::chrono::microseconds(connected) < limit) return false;
  TooSlow(*this, fmt::format("no response for {} milliseconds", limit.count()));
  failure->detail = kFirstByteDetail;
  return true;
}

std::chrono::milliseconds Transfer::UntilNextLook(Time now) const {
  constexpr std::chrono::milliseconds kMost{1000};
  constexpr std::chrono::milliseconds kLeast{1};
  auto next = kMost;
  if (auto limit = stall_timeout(); limit.count() > 0) {
    auto left = std::chrono::ceil<std::chrono::milliseconds>(last_byte + limit - now);
    next = std::min(next, std::max(left, kLeast));
  }
  if (request->first_byte_timeout.count() > 0 && head_bytes == 0) {
    // Counted from when the connection stands, so that this is a little early at worst.
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(began + request->first_byte_timeout - now);
    next = std::min(next, std::max(left, kLeast));
  }
  return next;
}

// Called when bytes move, and about once a second when none do.
int OnProgress(void* context, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent) {
  auto& transfer = *static_cast<Transfer*>(context);
  const ClientRequest& request = *transfer.request;
  if (request.upload && request.upload->on_progress) {
    request.upload->on_progress(static_cast<std::uint64_t>(sent));
  }
  curl_off_t moved = received + sent;
  Transfer::Time now = std::chrono::steady_clock::now();
  return HasStalled(transfer, moved, now) || IsTrickling(transfer, moved, now) ? 1 : 0;
}

namespace {

// Without port and zone; "" for any other kind of address.
std::string NumericAddress(const curl_sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (address.family == AF_INET) {
    bytes = &reinterpret_cast<const sockaddr_in&>(address.addr).sin_addr;
  } else if (address.family == AF_INET6) {
    bytes = &reinterpret_cast<const sockaddr_in6&>(address.addr).sin6_addr;
  }
  if (bytes == nullptr) return {};
  const char* written = ::inet_ntop(address.family, bytes, text.data(), text.size());
  return written == nullptr ? std::string() : std::string(written);
}

}  // namespace

// Checks the very address that is connected to: no second look-up can return another one.
curl_socket_t OnOpenSocket(void* context, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(context);
  Status allowed = transfer.options->check_address(NumericAddress(*address));
  if (!allowed) {
    transfer.refusal = std::move(allowed).error();
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

bool IsFirstByteTimeout(const Error& error) { return error.detail == kFirstByteDetail; }

}  // namespace koya::http
