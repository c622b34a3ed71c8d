#include "peers/fill_routes.h"

#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "blobs/blob_store.h"
#include "peers/peer_keys.h"

namespace koya::peers {
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

template <class Value>
std::optional<Value> WholeNumber(std::string_view digits) {
  Value value{};
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

// "bytes=OFFSET-" alone.
std::optional<std::uint64_t> OffsetOf(std::string_view range) {
  constexpr std::string_view kBegin = "bytes=";
  if (!range.starts_with(kBegin) || !range.ends_with('-')) return std::nullopt;
  range.remove_prefix(kBegin.size());
  range.remove_suffix(1);
  return WholeNumber<std::uint64_t>(range);
}

bool IsFromCluster(const http::Request& request, const FillRoutesState& state) {
  std::optional<std::uint64_t> offset = OffsetOf(request.Get("Range"));
  std::optional<UnixSeconds> time = WholeNumber<UnixSeconds>(request.Get(kTimeField));
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
