#include "cli/api/verify_client.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace koya::cli {
namespace {

// Something large may have to be read, or fetched again, before the server answers.
constexpr std::chrono::milliseconds kLong = std::chrono::minutes(30);

// Appends "/" and each of the parts that `text` has between separators.
void AppendParts(std::string& path, std::string_view text, char separator) {
  while (!text.empty()) {
    std::size_t end = std::min(text.find(separator), text.size());
    path += "/" + http::PercentEncode(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string CheckPath(const wire::StoredArtifact& thing) {
  std::string path = thing.hostname.empty() ? "/api/v1" : "/api/v1/mirror";
  path += thing.kind == "module" ? "/modules" : "/providers";
  if (!thing.hostname.empty()) path += "/" + http::PercentEncode(thing.hostname);
  AppendParts(path, thing.address, '/');
  path += "/" + http::PercentEncode(thing.version);
  AppendParts(path, thing.platform, '_');
  if (thing.kind == "docs" || thing.kind == "schema") path += "/" + thing.kind;
  return path + "/verify";
}

}  // namespace

Result<wire::ArtifactList> VerifyClient::List(const std::string& after, std::string_view of) {
  std::string path = "/api/v1/verify?after=" + http::PercentEncode(after);
  if (!of.empty()) path += fmt::format("&of={}", of);
  ASSIGN_OR_RETURN(std::string body, api_.Get(path));
  return wire::DecodeArtifactList(body);
}

Result<wire::CheckOutcome> VerifyClient::Check(const wire::StoredArtifact& thing,
                                               const wire::VerifyRequest& wish) {
  http::ClientRequest request;
  request.method = "POST";
  request.fields.emplace_back("Content-Type", "application/json");
  request.body = wire::EncodeVerifyRequest(wish);
  request.total_timeout = kLong;
  ASSIGN_OR_RETURN(http::ClientResponse response, api_.Call(std::move(request), CheckPath(thing)));
  return wire::DecodeCheckOutcome(response.body);
}

}  // namespace koya::cli
