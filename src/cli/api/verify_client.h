// VerifyClient calls the API of "koya verify". One thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "wire/verify.h"

namespace koya::cli {

// Every function fails as ApiClient::Call does.
class VerifyClient {
 public:
  explicit VerifyClient(RegistryClientOptions options) : api_(std::move(options)) {}

  // The page of stored artifacts that begins after `after`; "" for the first. `of`: "", "mirror" or
  // "storage", as in GET /api/v1/verify.
  Result<wire::ArtifactList> List(const std::string& after, std::string_view of);
  // Fails with kNotFound for artifacts that were removed in the meantime.
  Result<wire::CheckOutcome> Check(const wire::StoredArtifact& thing,
                                   const wire::VerifyRequest& wish);

  // Reports a run to the server; returns its id there. Neither waits for long: nothing depends on
  // it.
  Result<std::string> BeginRun(const wire::VerifyProgress& progress);
  Status TellRun(const std::string& id, const wire::VerifyProgress& progress);

 private:
  Result<http::ClientResponse> SendRun(std::string method, const std::string& path,
                                       const wire::VerifyProgress& progress);

  ApiClient api_;
};

}  // namespace koya::cli
