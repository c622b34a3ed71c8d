#include "cli/ci_identity.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "cli/api/connection.h"
#include "cli/api/identity_client.h"
#include "http/client/client.h"
#include "http/url.h"

namespace koya::cli {
namespace {

constexpr std::uint64_t kMostCiAnswer = 64 << 10;

Failure NoCiToken(std::string_view why) {
  return Fail(ErrorKind::kUnavailable,
              fmt::format("GitHub gave no token for this job: {}; see to it that the job has "
                          "\"permissions: id-token: write\", or set KOYA_TOKEN",
                          why));
}

// What GitHub Actions says of the job, signed for `audience`. A job without the permission is not
// told where to ask.
Result<std::string> GitHubToken(const Variables& variables, std::string_view audience) {
  const std::string address = Variable(variables, "ACTIONS_ID_TOKEN_REQUEST_URL");
  if (address.empty()) return NoCiToken("the job may not ask for one");
  http::ClientRequest request{
      .url = fmt::format("{}{}audience={}", address, address.contains('?') ? '&' : '?',
                         http::PercentEncode(audience)),
      .fields = {{"Authorization",
                  "Bearer " + Variable(variables, "ACTIONS_ID_TOKEN_REQUEST_TOKEN")},
                 {"Accept", "application/json"}},
      .max_body = kMostCiAnswer};
  auto response = http::Client(HttpOptions(variables)).Send(request);
  if (!response) return NoCiToken(response.error().message);
  if (response->status != 200) return NoCiToken(fmt::format("it answered {}", response->status));
  auto token = wire::DecodeCiToken(response->body);
  if (!token) return NoCiToken(token.error().message);
  return token;
}

bool IsGitHubJob(const Variables& variables) {
  return Variable(variables, "GITHUB_ACTIONS") == "true" ||
         !Variable(variables, "ACTIONS_ID_TOKEN_REQUEST_URL").empty();
}

}  // namespace

Status UseCiIdentity(RegistryClientOptions& connection, std::string_view ns, Output& output) {
  const Variables& variables = output.shell().variables;
  if (!connection.token.empty()) return {};
  std::string token = Variable(variables, "KOYA_ID_TOKEN");
  const bool github = token.empty() && IsGitHubJob(variables);
  if (token.empty() && !github) return {};
  std::string audience = Variable(variables, "KOYA_OIDC_AUDIENCE");
  if (audience.empty()) audience = connection.server.Origin();
  if (github) {
    ASSIGN_OR_RETURN(token, GitHubToken(variables, audience));
  }
  // What is wrong with the CI's token, no token of ours would mend.
  RegistryClientOptions asking = connection;
  asking.takes_no_token = true;
  ASSIGN_OR_RETURN(wire::ExchangedToken exchanged,
                   IdentityClient(asking).Exchange({std::move(token), std::string(ns)}));
  output.Note(fmt::format("koya: this job may publish in \"{}\" until {} (trusted publishing)",
                          exchanged.ns, exchanged.expires));
  connection.token = std::move(exchanged.token);
  return {};
}

}  // namespace koya::cli
