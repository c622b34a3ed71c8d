#include "upstream/upstream_fixture_fake.h"

#include <cstdlib>
#include <fstream>
#include <utility>

namespace koya::upstream {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

UpstreamTest::UpstreamTest() { folder_.Write("ca.pem", root_.Pem()); }

std::unique_ptr<ScriptedServer> UpstreamTest::Serve(Respond respond) {
  return std::make_unique<ScriptedServer>(std::move(respond), context_.get());
}

std::unique_ptr<ScriptedServer> UpstreamTest::Serve(ScriptedAnswer answer) {
  return Serve(Respond([answer = std::move(answer)](const ScriptedRequest&) { return answer; }));
}

UpstreamOptions UpstreamTest::Options() const {
  UpstreamOptions options;
  options.user_agent = "koya-test";
  options.ca_file = (folder_ / "ca.pem").string();
  options.timeout = std::chrono::seconds(30);
  options.allow_private_addresses = {"127.0.0.0/8"};
  return options;
}

UpstreamOptions UpstreamTest::HastyOptions(std::chrono::milliseconds timeout) const {
  UpstreamOptions options = Options();
  options.timeout = timeout;
  return options;
}

std::unique_ptr<Fetcher> UpstreamTest::MakeFetcher(UpstreamOptions options) {
  auto fetcher = Fetcher::Create(std::move(options), clock_);
  if (!fetcher) {
    ADD_FAILURE() << fetcher.error().message;
    return nullptr;
  }
  return *std::move(fetcher);
}

}  // namespace koya::upstream
