// AuditClient calls the API of the audit log. One thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "cli/api/api_client.h"
#include "wire/audit.h"

namespace koya::cli {

// Filters of the audit log, as the user wrote them; empty fields do not restrict.
struct AuditQuery {
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

  // The page that begins below the entry `below`; "": the first page.
  Result<wire::AuditPage> List(const AuditQuery& wish, std::uint64_t limit,
                               const std::string& below);
  // `expect`: "SEQUENCE:HASH", or "".
  Result<wire::AuditReport> Verify(const std::string& expect);

 private:
  ApiClient api_;
};

}  // namespace koya::cli
