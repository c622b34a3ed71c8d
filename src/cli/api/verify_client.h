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

 private:
  ApiClient api_;
};

}  // namespace koya::cli
