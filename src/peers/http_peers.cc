#include "peers/http_peers.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "http/client/client.h"
#include "peers/peer_keys.h"

namespace koya::peers {
namespace {

// The size of the whole, out of "bytes FIRST-LAST/SIZE"; nothing when it does not begin at `first`
// and go on to the end.
std::optional<std::uint64_t> SizeOf(std::string_view content_range, std::uint64_t first) {
  std::size_t slash = content_range.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::string_view digits = content_range.substr(slash + 1);
  std::uint64_t size = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  if (error != std::errc() || end != digits.data() + digits.size() || size <= first) {
    return std::nullopt;
  }
  if (content_range != fmt::format("bytes {}-{}/{}", first, size - 1, size)) return std::nullopt;
  return size;
}

// One exchange. Separates failures of the caller's functions from those of the network.
struct PeerExchange {
  const PeerTransfer& transfer;
  std::optional<Error> callers = std::nullopt;
  bool odd = false;  // a response that does not match the request

  Status Ours(Status status) {
    if (!status) callers = status.error();
    return status;
  }
  Status Begin(const http::ClientResponse& head) {
    std::optional<std::uint64_t> size =
        head.status == 206 ? SizeOf(head.Get("Content-Range").value_or(""), transfer.offset)
                           : std::nullopt;
    odd = !size || *size > transfer.max_bytes;
    if (odd) return FailUnavailable("it sent an unexpected response");
    return Ours(transfer.on_start(*size));
  }
};

PeerAnswer AnswerOf(const Error& error) {
  if (http::IsRefusedConnection(error)) return {PeerEnd::kGone, "it refused the connection"};
  PeerEnd end = error.kind == ErrorKind::kTimeout ? PeerEnd::kSilent : PeerEnd::kBroken;
  return {end, error.message};
}

PeerAnswer AnswerOf(unsigned status) {
  switch (status) {
    case 206:
      return {PeerEnd::kComplete};
    case 403:
      return {PeerEnd::kBroken,
              "it responded with 403: does its server.secret differ, or is the clock far off?"};
    case 404:
      return {PeerEnd::kGone, "it is not fetching this"};
    default:
      return {PeerEnd::kBroken, fmt::format("it responded with {}", status)};
  }
}

}  // namespace

Result<PeerAnswer> HttpPeers::Fetch(const PeerTransfer& transfer) {
  http::Client client({.user_agent = user_agent_,
                       .pinned_keys = keys_.pins(),
                       .connect_timeout = times_.connect,
                       .stall_timeout = times_.silence});
  std::string path = FillPath(transfer.digest);
  UnixSeconds now = clock_.Now();
  PeerExchange exchange{transfer};
  http::ClientRequest request;
  request.url = "https://" + transfer.address + path;
  request.fields = {{"Range", fmt::format("bytes={}-", transfer.offset)},
                    {std::string(kTimeField), std::to_string(now)},
                    {std::string(kMacField), keys_.Sign({"GET", path, transfer.offset, now})}};
  request.max_body = transfer.max_bytes;
  request.on_head = [&exchange](const http::ClientResponse& head) { return exchange.Begin(head); };
  request.sink = [&exchange](std::span<const std::byte> bytes) {
    return exchange.Ours(exchange.transfer.sink(bytes));
  };
  request.stop = transfer.stop;
  Result<http::ClientResponse> response = client.Send(request);
  if (exchange.callers) return Failure(*std::move(exchange.callers));
  if (!response) return AnswerOf(response.error());
  return AnswerOf(response->status);
}

}  // namespace koya::peers
