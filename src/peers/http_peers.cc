#include "peers/http_peers.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/decimal.h"
#include "blobs/blob_store.h"
#include "http/client/client.h"
#include "peers/peer_keys.h"

namespace koya::peers {
namespace {

// The size of the whole, out of "bytes FIRST-LAST/SIZE"; nothing when it does not begin at `first`
// and go on to the end.
std::optional<std::uint64_t> SizeOf(std::string_view content_range, std::uint64_t first) {
  std::size_t slash = content_range.rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  auto size = ParseDecimal<std::uint64_t>(content_range.substr(slash + 1));
  if (!size || *size <= first) return std::nullopt;
  if (content_range != fmt::format("bytes {}-{}/{}", first, *size - 1, *size)) return std::nullopt;
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

namespace {

// Timeout for the first bytes. A little later the caller takes it for silence, and asks again.
constexpr std::chrono::milliseconds kFirstBytes{2000};

class FollowedGrowth final : public http::FileGrowth {
 public:
  explicit FollowedGrowth(std::shared_ptr<Fill> fill) : fill_(std::move(fill)) {}
  Task<std::uint64_t> WaitBeyond(std::uint64_t offset) override {
    return fill_->WaitBeyond(offset);
  }

 private:
  std::shared_ptr<Fill> fill_;
};

http::Response Bare(unsigned status, std::string log_detail = {}) {
  http::Response reply;
  reply.status = status;
  reply.fields = {{"Cache-Control", "no-store"}};
  reply.log_detail = std::move(log_detail);
  return reply;
}

// "bytes=OFFSET-" alone.
std::optional<std::uint64_t> OffsetOf(std::string_view range) {
  constexpr std::string_view kBegin = "bytes=";
  if (!range.starts_with(kBegin) || !range.ends_with('-')) return std::nullopt;
  range.remove_prefix(kBegin.size());
  range.remove_suffix(1);
  return ParseDecimal<std::uint64_t>(range);
}

bool IsFromCluster(const http::Request& request, const FillRoutesState& state) {
  std::optional<std::uint64_t> offset = OffsetOf(request.Get("Range"));
  std::optional<UnixSeconds> time = ParseDecimal<UnixSeconds>(request.Get(kTimeField));
  if (!offset || !time) return false;
  PeerRequest claim{request.method_text, request.path, *offset, *time};
  return state.keys.Accepts(claim, request.Get(kMacField), state.clock.Now());
}

// Only files: a blob that lies elsewhere is read from there.
http::Response FileReply(Fill::Opened opened) {
  std::shared_ptr<Blob> blob = std::move(opened.blob);
  std::optional<int> descriptor = blob->file_descriptor();
  if (!descriptor) return Bare(503, "it was moved meanwhile");
  http::FileBody file{blob, *descriptor, blob->size()};
  if (std::shared_ptr<Fill> growth = blob->growth()) {
    file.growth = std::make_shared<FollowedGrowth>(std::move(growth));
  }
  http::Response reply = Bare(200);
  reply.fields.emplace_back("Content-Type", "application/octet-stream");
  reply.etag = "\"" + opened.digest.hex() + "\"";
  reply.body = std::move(file);
  return reply;
}

Awaitable<http::Response> ShowFill(http::Exchange& exchange, FillRoutesState& state) {
  if (!IsFromCluster(exchange.request, state)) {
    ++state.refused;
    co_return Bare(403);
  }
  Result<Digest> digest = Digest::Parse(exchange.parameters[0]);
  if (!digest) co_return Bare(404);
  std::shared_ptr<Fill> fill = state.offers.FindFill(*digest);
  if (!fill) co_return Bare(404);
  Error late{ErrorKind::kUnavailable, "nothing has arrived yet", {}};
  auto deadline = std::chrono::steady_clock::now() + kFirstBytes;
  Result<Fill::Opened> opened = co_await fill->Open(deadline, std::move(late));
  if (!opened) co_return Bare(503, opened.error().message);
  co_return FileReply(*std::move(opened));
}

}  // namespace

std::vector<http::RouteSpec> FillRoutes(FillRoutesState& state) {
  http::RouteSpec route{
      .method = http::Method::kGet,
      .pattern = std::string(kFillPattern),
      .max_body = 0,
      .handler = [&state](http::Exchange& exchange) { return ShowFill(exchange, state); }};
  std::vector<http::RouteSpec> routes;
  routes.push_back(std::move(route));
  return routes;
}

}  // namespace koya::peers
