// The API of the audit log as the commands call it. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "wire/audit.h"

namespace koya::cli {

// What of the log is asked for, as it is written; empty fields do not restrict.
struct AuditWish {
  std::string actor;
  std::string action;
  std::string target;
  std::string ns;
  std::string address;
  std::string kind;
  std::string since;
  std::string until;
};

// Every function fails as ApiClient::Call does.
class AuditClient {
 public:
  explicit AuditClient(RegistryClientOptions options) : api_(std::move(options)) {}

  // The page that begins below `below`; "" for the first.
  Result<wire::AuditPage> List(const AuditWish& wish, std::uint64_t limit,
                               const std::string& below);
  // `expect`: "SEQUENCE:HASH", or "".
  Result<wire::AuditReport> Verify(const std::string& expect);

 private:
  ApiClient api_;
};

}  // namespace koya::cli
