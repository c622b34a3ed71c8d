#include "doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/sha256.h"
#include "doctor/discovery_rules.h"
#include "doctor/module_rules.h"
#include "doctor/network_probe.h"
#include "doctor/provider_visit.h"
#include "doctor/recorded_answer.h"
#include "doctor/tls_rules.h"
#include "doctor/tool_visit.h"

namespace koya::doctor {
namespace {

constexpr std::chrono::seconds kConnectTimeout{10};
constexpr std::chrono::seconds kClientTimeout{11};  // the most patient client's
constexpr std::uint64_t kMaxArchive = 1ULL << 30;
// Both clients send their token with the discovery request. A token that no registry knows: the
// discovery document must not care.
constexpr std::string_view kStaleToken = "koya-doctor-no-such-token";

// One examination: the steps in the order of a client, each reporting its findings.
class Examination {
 public:
  Examination(const DoctorOptions& options, const Clock& clock)
      : options_(options),
        clock_(clock),
        client_(ClientOptionsFor(options, kClientTimeout)),
        archive_client_(ClientOptionsFor(options, std::chrono::seconds(0))) {}

  Findings Run();

 private:
  static http::ClientOptions ClientOptionsFor(const DoctorOptions& options,
                                              std::chrono::seconds total) {
    http::ClientOptions http = options.http;
    http.connect_timeout = kConnectTimeout;
    http.stall_timeout = kClientTimeout;
    http.total_timeout = total;
    return http;
  }

  void Tell(Finding finding);
  void Tell(Findings findings);
  void CheckAddress();
  bool CheckNetwork();
  std::optional<RecordedAnswer> Get(const std::string& step, http::Url url, ClientKind client);
  bool MayHaveToken(const http::Url& url) const;
  std::string TokenFor(const http::Url& url) const;
  std::vector<DiscoveredService> CheckDiscovery();
  void CheckStaleToken(const http::Url& url);
  void CheckService(const DiscoveredService& service);
  void FollowModule(const DiscoveredService& modules);
  void FetchArchive(const ArchiveLocation& location);
  void FollowProviderToo(bool announced);
  void PlayToolFor(std::span<const ToolRequest> requests, std::string_view kind,
                   std::string address);

  const DoctorOptions& options_;
  const Clock& clock_;
  http::Client client_;          // for documents: as patient as the clients are
  http::Client archive_client_;  // archives may take their time, as long as bytes flow
  Findings findings_;
};

void Examination::Tell(Finding finding) {
  if (options_.on_finding) options_.on_finding(finding);
  findings_.push_back(std::move(finding));
}

void Examination::Tell(Findings findings) {
  for (Finding& finding : findings) Tell(std::move(finding));
}

// Rules of the clients' address parsers: what can be written in a configuration at all.
void Examination::CheckAddress() {
  const http::Url& url = options_.registry;
  if (url.scheme != "https") {
    Tell(Failed("address", fmt::format("{} is not https: clients use nothing else", url.Origin()),
                "serve TLS, or put a TLS proxy in front of it"));
  }
  if (url.host.find('.') == url.host.npos) {
    Tell(Warning(
        "address",
        fmt::format(
            "\"{}\" has no dot: clients reject it as the host of a module, but not of a provider",
            url.host),
        "use a full name, or an address such as 127.0.0.1"));
  }
  if (url.host.starts_with('[')) {
    Tell(Failed("address", "clients cannot name an IPv6 address as a registry's host",
                "use a host name"));
  }
}

// False when there is no use in going on.
bool Examination::CheckNetwork() {
  const http::Url& url = options_.registry;
  if (!options_.proxy.empty()) {
    Tell(Warning(
        "tcp",
        fmt::format(
            "clients use the proxy {}: name, connection and certificate are not checked separately",
            options_.proxy),
        "unset HTTPS_PROXY, or add the host to NO_PROXY, to check them"));
    return true;
  }
  NetworkProbe probe = ProbeNetwork(url.host, url.PortNumber(), kConnectTimeout);
  Findings network = JudgeNetwork(probe.facts);
  bool connected = !AnyFailure(network);
  Tell(std::move(network));
  if (!connected || url.scheme != "https") return connected;
  TrustedRoots roots{.ca_file = options_.http.ca_file, .ca_directory = options_.http.ca_directory};
  if (roots.ca_file.empty()) roots.ca_file = http::SystemCaFile();
  Findings tls =
      JudgeTls(ProbeTls(probe.connection.get(), url.host, roots), url.host, clock_.Now());
  connected = !AnyFailure(tls);
  Tell(std::move(tls));
  return connected;
}

// The token is the user's: it goes to the registry, and to hosts below it, where registries have
// their services, wherever else a redirected discovery document may say that they are. No network
// sees it in the clear.
bool Examination::MayHaveToken(const http::Url& url) const {
  const http::Url& registry = options_.registry;
  if (url.scheme != registry.scheme) return false;
  if (url.scheme != "https" && !http::IsLoopbackHost(url.host)) return false;
  return url.Authority() == registry.Authority() ||
         (url.scheme == "https" && url.host.ends_with("." + registry.host));
}

std::string Examination::TokenFor(const http::Url& url) const {
  return MayHaveToken(url) ? options_.token : std::string();
}

// A metadata request as the clients send it; nothing, and a finding, when there was no answer.
std::optional<RecordedAnswer> Examination::Get(const std::string& step, http::Url url,
                                               ClientKind client) {
  std::string token = TokenFor(url);
  Question question{.url = std::move(url), .token = std::move(token)};
  question.fields.emplace_back("User-Agent", client == ClientKind::kTerraform
                                                 ? "Terraform/1.11.4 (koya doctor)"
                                                 : "OpenTofu/1.11.0 (koya doctor)");
  question.fields.emplace_back("X-Terraform-Version", "1.11.0");
  Result<RecordedAnswer> exchange = Ask(client_, question);
  if (exchange) return *std::move(exchange);
  Tell(Failed(step, exchange.error().message, "fix the connection first"));
  return std::nullopt;
}

std::vector<DiscoveredService> Examination::CheckDiscovery() {
  http::Url url = options_.registry;
  url.path = "/.well-known/terraform.json";
  Question question{.url = url, .token = TokenFor(url)};
  question.fields.emplace_back("Accept", "application/json");
  question.max_body = (1ULL << 20) + 1;
  Result<RecordedAnswer> exchange = Ask(client_, question);
  if (!exchange) {
    Error error = std::move(exchange).error();
    // A head that is too large is a bound of ours, which the message names.
    bool large = error.kind == ErrorKind::kTooLarge && error.limit.empty();
    Tell(Failed("discovery",
                large ? "the document is larger than 1 MiB: clients cut it off" : error.message,
                large ? "make it smaller" : "fix the connection first"));
    return {};
  }
  DiscoveryVerdict verdict = JudgeDiscovery(*exchange);
  bool sound = !AnyFailure(verdict.findings);
  Tell(std::move(verdict.findings));
  if (sound) CheckStaleToken(url);
  return std::move(verdict.services);
}

void Examination::CheckStaleToken(const http::Url& url) {
  Question question{.url = url, .token = std::string(kStaleToken)};
  Result<RecordedAnswer> exchange = Ask(client_, question);
  if (!exchange || exchange->status == 200) return;
  Tell(Failed("discovery",
              fmt::format("with an unknown token, the document is served with status {}: a client "
                          "whose token has expired cannot log in again",
                          exchange->status),
              "serve the document whatever the Authorization field says"));
}

// Requests an address that is never published: a working registry responds with 404.
void Examination::CheckService(const DiscoveredService& service) {
  Result<http::Url> url = http::ResolveUrl(
      service.base, service.id == "modules.v1" ? "./koya-doctor/does-not-exist/none/versions"
                                               : "./koya-doctor/does-not-exist/versions");
  if (!url) return;
  std::optional<RecordedAnswer> exchange = Get(service.id, *url, ClientKind::kTerraform);
  if (exchange) Tell(JudgeUnknown(service.id, *exchange, !TokenFor(*url).empty()));
}

void Examination::FollowModule(const DiscoveredService& modules) {
  std::string path = "./" + options_.module->ToString();
  Result<http::Url> url = http::ResolveUrl(modules.base, path + "/versions");
  if (!url) return;
  std::optional<RecordedAnswer> versions = Get("module", *url, ClientKind::kTerraform);
  if (!versions) return;
  VersionsVerdict verdict = JudgeVersions(*versions, !TokenFor(*url).empty());
  Tell(std::move(verdict.findings));
  if (!verdict.newest) return;
  url = http::ResolveUrl(modules.base, path + "/" + verdict.newest->ToString() + "/download");
  std::optional<ArchiveLocation> archive;
  Findings told;
  for (ClientKind client : {ClientKind::kTerraform, ClientKind::kOpenTofu}) {
    std::optional<RecordedAnswer> download = Get("module", *url, client);
    if (!download) return;
    DownloadVerdict answer = JudgeDownload(*download, client);
    // Both clients usually have the same findings: each is reported once.
    for (Finding& finding : answer.findings) {
      if (std::ranges::count(told, finding) == 0) {
        told.push_back(finding);
        Tell(std::move(finding));
      }
    }
    if (answer.archive) archive = std::move(answer.archive);
  }
  if (archive) FetchArchive(*archive);
}

// As the clients' fetcher does it: HEAD, then GET, without a token.
void Examination::FetchArchive(const ArchiveLocation& location) {
  ArchiveFacts facts;
  Question question{.url = location.url, .method = "HEAD", .max_body = kMaxArchive};
  Result<RecordedAnswer> head = Ask(archive_client_, question);
  if (head) facts.head_status = head->status;
  Sha256Hasher hasher;
  question.method = "GET";
  question.sink = [&](std::span<const std::byte> bytes) -> Status {
    hasher.Update(bytes);
    facts.size += bytes.size();
    if (facts.first_bytes.size() < 4) {
      facts.first_bytes.append(reinterpret_cast<const char*>(bytes.data()),
                               std::min<std::size_t>(bytes.size(), 4));
    }
    return {};
  };
  Result<RecordedAnswer> body = Ask(archive_client_, question);
  if (!body) {
    Tell(Failed("module", body.error().message, "fix the connection first"));
    return;
  }
  facts.status = body->status;
  facts.digest = Digest(hasher.Finish());
  Tell(JudgeArchive(location, facts));
}

void Examination::FollowProviderToo(bool announced) {
  const http::Url& registry = options_.registry;
  Result<HostName> host = HostName::ParseWire(registry.Authority());
  if (!announced || !host || registry.scheme != "https") {
    Tell(Failed("provider", "the registry does not offer providers.v1, so it has no providers",
                "serve https, and announce providers.v1 in the discovery document"));
    return;
  }
  ProviderVisit visit{.host = *host,
                      .address = options_.provider->address,
                      .platform = options_.provider->platform,
                      .token = options_.token,
                      .ca_file = options_.http.ca_file,
                      .user_agent = options_.http.user_agent};
  FollowProvider(visit, [this](Finding finding) { Tell(std::move(finding)); });
}

void Examination::PlayToolFor(std::span<const ToolRequest> requests, std::string_view kind,
                              std::string address) {
  ToolVisit visit{.tool = *options_.tool,
                  .requests = requests,
                  .kind = kind,
                  .registry = options_.registry,
                  .address = std::move(address),
                  .os = options_.provider ? options_.provider->platform.os() : "",
                  .arch = options_.provider ? options_.provider->platform.arch() : "",
                  .token_for = [this](const http::Url& url) { return TokenFor(url); },
                  .ask = [this](const Question& question) { return Ask(client_, question); }};
  PlayTool(visit, [this](Finding finding) { Tell(std::move(finding)); });
}

Findings Examination::Run() {
  CheckAddress();
  if (!CheckNetwork()) return std::move(findings_);
  if (options_.tool != nullptr) {
    const Tool& tool = *options_.tool;
    if (options_.module) PlayToolFor(tool.of_modules, "module", options_.module->ToString());
    if (options_.provider) {
      PlayToolFor(tool.of_providers, "provider", options_.provider->address.ToString());
    }
    return std::move(findings_);
  }
  bool has_modules = false;
  bool has_providers = false;
  for (const DiscoveredService& service : CheckDiscovery()) {
    CheckService(service);
    has_modules |= service.id == "modules.v1";
    has_providers |= service.id == "providers.v1";
    if (options_.module && service.id == "modules.v1") FollowModule(service);
  }
  if (options_.module && !has_modules) {
    Tell(Failed("module", "the registry does not offer modules.v1, so it has no modules",
                "announce modules.v1 in the discovery document"));
  }
  if (options_.provider) FollowProviderToo(has_providers);
  return std::move(findings_);
}

}  // namespace

Findings Examine(const DoctorOptions& options, const Clock& clock) {
  return Examination(options, clock).Run();
}

}  // namespace koya::doctor
