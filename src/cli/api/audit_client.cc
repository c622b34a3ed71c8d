#include "cli/api/audit_client.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace koya::cli {

Result<wire::AuditPage> AuditClient::List(const AuditQuery& wish, std::uint64_t limit,
                                          const std::string& below) {
  const std::pair<std::string_view, const std::string&> kParameters[] = {
      {"actor", wish.actor},  {"action", wish.action},   {"target", wish.target},
      {"namespace", wish.ns}, {"address", wish.address}, {"kind", wish.kind},
      {"since", wish.since},  {"until", wish.until},     {"below", below},
  };
  std::string path = fmt::format("/api/v1/audit?limit={}", limit);
  for (const auto& [name, value] : kParameters) {
    if (!value.empty()) path += fmt::format("&{}={}", name, http::PercentEncode(value));
  }
  ASSIGN_OR_RETURN(std::string body, api_.Get(path));
  return wire::DecodeAuditPage(body);
}

Result<wire::AuditReport> AuditClient::Verify(const std::string& expect) {
  std::string path = "/api/v1/audit/verify";
  if (!expect.empty()) path += "?expect=" + http::PercentEncode(expect);
  ASSIGN_OR_RETURN(std::string body, api_.Get(path));
  return wire::DecodeAuditReport(body);
}

}  // namespace koya::cli
