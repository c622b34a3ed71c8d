#include "cli/ci_identity.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "app/private_file.h"
#include "base/clock.h"
#include "cli/api/api_client.h"
#include "cli/api/connection.h"
#include "domain/credential_record.h"
#include "domain/digest.h"
#include "http/client/client.h"
#include "http/url.h"
#include "wire/identity.h"

namespace koya::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostCiAnswer = 64 << 10;
constexpr UnixSeconds kSpare = 60;  // that a kept token must be good for

Failure NoCiToken(std::string_view why) {
  return FailUnavailable(
      "GitHub issued no token for this job: {}; give the job \"permissions: "
      "id-token: write\", or set KOYA_TOKEN",
      why);
}

// What GitHub Actions says of the job, signed for `audience`. A job without the permission is not
// told where to ask.
Result<std::string> GitHubToken(const Variables& variables, std::string_view audience) {
  const std::string address = Variable(variables, "ACTIONS_ID_TOKEN_REQUEST_URL");
  if (address.empty()) return NoCiToken("the job is not allowed to request one");
  http::ClientRequest request{
      .url = fmt::format("{}{}audience={}", address, address.contains('?') ? '&' : '?',
                         http::PercentEncode(audience)),
      .fields = {{"Authorization",
                  "Bearer " + Variable(variables, "ACTIONS_ID_TOKEN_REQUEST_TOKEN")},
                 {"Accept", "application/json"}},
      .max_body = kMostCiAnswer};
  auto response = http::Client(HttpOptions(variables)).Send(request);
  if (!response) return NoCiToken(response.error().message);
  if (response->status != 200)
    return NoCiToken(fmt::format("it responded with {}", response->status));
  auto token = wire::DecodeCiToken(response->body);
  if (!token) return NoCiToken(token.error().message);
  return token;
}

bool IsGitHubJob(const Variables& variables) {
  return Variable(variables, "GITHUB_ACTIONS") == "true" ||
         !Variable(variables, "ACTIONS_ID_TOKEN_REQUEST_URL").empty();
}

// Where the token is kept that this job got, by what the job alone knows. "": there is no place.
fs::path KeptAt(const Variables& variables, const http::Url& server, std::string_view ns,
                std::string_view job_secret) {
  fs::path cache = Variable(variables, "XDG_CACHE_HOME");
  std::error_code unknown;
  const fs::path home = Variable(variables, "HOME");
  if (cache.empty() && fs::is_directory(home, unknown)) cache = home / ".cache";
  if (cache.empty()) return {};
  const Digest job = Digest::Of(fmt::format("{}\n{}\n{}", server.Origin(), ns, job_secret));
  return cache / "koya" / fmt::format("job-{}.json", job.hex());
}

std::optional<wire::ExchangedToken> ReadKept(const fs::path& kept) {
  const Result<std::string> text = kept.empty() ? std::string() : ReadSmallFile(kept);
  if (!text || text->empty()) return std::nullopt;
  Result<wire::ExchangedToken> token = wire::Decode<wire::ExchangedToken>(*text);
  if (!token) return std::nullopt;
  const UnixSeconds end = ParseRfc3339(token->expires).value_or(0);
  if (end - kSpare <= SystemClock().Now()) return std::nullopt;
  return *std::move(token);
}

// Those of earlier jobs on this machine are no good any more.
void RemoveOld(const fs::path& folder) {
  std::error_code ended;
  for (fs::directory_iterator each(folder, ended), end; !ended && each != end;
       each.increment(ended)) {
    std::error_code unknown;
    const fs::file_time_type written = each->last_write_time(unknown);
    const bool is_job = each->path().filename().string().starts_with("job-");
    if (unknown || !is_job || fs::file_time_type::clock::now() - written < kJobTokenLife) continue;
    fs::remove(each->path(), unknown);
  }
}

void Keep(const fs::path& kept, const wire::ExchangedToken& token, Output& output) {
  if (kept.empty()) {
    output.Note(
        "koya: HOME is not a folder: the token is not stored for later commands of this job");
    return;
  }
  std::error_code failed;
  if (fs::create_directories(kept.parent_path(), failed)) {
    fs::permissions(kept.parent_path(), fs::perms::owner_all, failed);
  }
  RemoveOld(kept.parent_path());
  if (WriteFileAtomically(kept, wire::Encode(token), 0600)) return;
  output.Note(fmt::format(
      "koya: {} cannot be written: the token is not stored for later commands of this job",
      kept.string()));
}

}  // namespace

Failure CiIdentity::Refused(Error error) const {
  std::error_code gone;
  if (error.kind == ErrorKind::kUnauthenticated && !kept_.empty()) fs::remove(kept_, gone);
  return Failure(std::move(error));
}

Result<CiIdentity> UseCiIdentity(RegistryClientOptions& connection, std::string_view ns,
                                 Output& output) {
  const Variables& variables = output.shell().variables;
  if (!connection.token.empty()) return CiIdentity();
  std::string token = Variable(variables, "KOYA_ID_TOKEN");
  const bool github = token.empty() && IsGitHubJob(variables);
  if (token.empty() && !github) return CiIdentity();
  // GitHub signs another one each time it is asked; what the job asks with stays the same.
  const fs::path kept =
      KeptAt(variables, connection.server, ns,
             github ? Variable(variables, "ACTIONS_ID_TOKEN_REQUEST_TOKEN") : token);
  std::optional<wire::ExchangedToken> exchanged = ReadKept(kept);
  if (!exchanged) {
    std::string audience = Variable(variables, "KOYA_OIDC_AUDIENCE");
    if (audience.empty()) audience = connection.server.Origin();
    if (github) {
      ASSIGN_OR_RETURN(token, GitHubToken(variables, audience));
    }
    // A Koya token would not fix a rejected CI token: errors do not suggest one.
    RegistryClientOptions asking = connection;
    asking.takes_no_token = true;
    ASSIGN_OR_RETURN(exchanged, ApiClient(asking).Send(At(wire::kExchangeToken),
                                                       {std::move(token), std::string(ns)}));
    Keep(kept, *exchanged, output);
  }
  output.Note(fmt::format("koya: this job can publish in \"{}\" until {} (trusted publishing)",
                          exchanged->ns, exchanged->expires));
  connection.token = std::move(exchanged->token);
  return CiIdentity(kept);
}

}  // namespace koya::cli
