#include "blobs/s3/live_store_fake.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "blobs/s3/request.h"
#include "http/client/client.h"
#include "http/url.h"

namespace koya::s3 {

std::optional<LiveStore> LiveStore::Find() {
  const char* set = std::getenv("KOYA_TEST_S3");
  if (set == nullptr) return std::nullopt;
  std::string_view text(set);
  std::size_t scheme = text.find("://");
  std::size_t colon = text.find(':', scheme == text.npos ? text.npos : scheme + 3);
  std::size_t at = text.find('@');
  if (at == text.npos || colon >= at) return std::nullopt;
  return LiveStore{.endpoint = fmt::format("{}{}", text.substr(0, scheme + 3), text.substr(at + 1)),
                   .access_key = std::string(text.substr(scheme + 3, colon - scheme - 3)),
                   .secret_key = std::string(text.substr(colon + 1, at - colon - 1))};
}

Status LiveStore::MakeBucket(const std::string& bucket) const {
  ASSIGN_OR_RETURN(http::Url url, http::ParseUrl(endpoint));
  SigningKey key{.credentials = {.access_key = access_key, .secret_key = secret_key},
                 .region = "us-east-1",
                 .now = SystemClock().Now()};
  http::ClientRequest request{.method = "PUT", .url = fmt::format("{}/{}", endpoint, bucket)};
  request.fields = SignedFields(key, Signed{.method = "PUT",
                                            .host = url.Authority(),
                                            .path = "/" + bucket,
                                            .payload_hash = std::string(kEmptyPayload)});
  request.plain = true;
  http::Client client;
  ASSIGN_OR_RETURN(http::ClientResponse answer, client.Send(request));
  if (answer.status == 200 || answer.status == 409) return {};
  return Fail(ErrorKind::kUnavailable, fmt::format("no bucket: {}", answer.status), answer.body);
}

S3Options LiveStore::Options(const std::string& bucket, const std::string& prefix) const {
  S3Options options{
      .address = {fmt::format("s3://{}/{}", bucket, prefix), endpoint, "us-east-1", {}}};
  options.part_bytes = 5 << 20;
  options.whole_bytes = 5 << 20;
  return options;
}

Result<std::unique_ptr<S3Client>> LiveStore::Connect(S3Options options) const {
  S3TestHooks surroundings;
  surroundings.credentials.environment =
      [key = access_key, secret = secret_key](std::string_view name) -> std::optional<std::string> {
    if (name == "AWS_ACCESS_KEY_ID") return key;
    if (name == "AWS_SECRET_ACCESS_KEY") return secret;
    return std::nullopt;
  };
  return S3Client::Make(std::move(options), std::move(surroundings));
}

}  // namespace koya::s3
