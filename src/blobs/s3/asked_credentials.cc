#include "blobs/s3/credentials.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/clock.h"
#include "base/encoding.h"
#include "base/secrets.h"
#include "base/text.h"
#include "blobs/s3/response.h"
#include "blobs/s3/xml.h"
#include "http/client/client.h"
#include "http/url.h"
#include "wire/foreign/cloud_credentials.h"

namespace koya::s3 {
namespace {

constexpr std::chrono::milliseconds kServiceTime{5'000};
constexpr std::uint64_t kMostOfCredentials = 64 << 10;

http::ClientOptions AskingOptions(std::chrono::milliseconds timeout) {
  return {.connect_timeout = timeout, .stall_timeout = timeout, .total_timeout = timeout};
}

// "2026-11-21T16:41:10Z", and with a fraction of a second; 0: never.
Result<UnixSeconds> EndOf(std::string text) {
  if (text.empty()) return UnixSeconds{0};
  if (std::size_t dot = text.find('.'); dot != text.npos) {
    std::size_t after = std::min(text.find_first_not_of("0123456789", dot + 1), text.size());
    text.erase(dot, after - dot);
  }
  auto end = ParseRfc3339(text);
  if (!end) return FailUnavailable("the credentials have no valid expiry");
  return *end;
}

Result<Credentials> CheckedCredentials(std::string access_key, std::string secret_key,
                                       std::string token, std::string end) {
  if (!IsOneWord(access_key) || !IsOneWord(secret_key) || (!token.empty() && !IsOneWord(token))) {
    return FailUnavailable("the credentials are incomplete");
  }
  ASSIGN_OR_RETURN(UnixSeconds expires, EndOf(std::move(end)));
  return Credentials{.access_key = std::move(access_key),
                     .secret_key = std::move(secret_key),
                     .session_token = std::move(token),
                     .expires = expires};
}

Result<Credentials> FromAgent(std::string_view body) {
  auto read = wire::Decode<wire::CloudCredentials>(body);
  if (!read) return Fail(ErrorKind::kUnavailable, read.error().message);
  return CheckedCredentials(std::move(read->access_key), std::move(read->secret_key),
                            std::move(read->token), std::move(read->expiration));
}

class WebIdentitySource final : public CredentialSource {
 public:
  explicit WebIdentitySource(WebIdentity identity)
      : identity_(std::move(identity)), client_(Options(identity_)) {}

  Result<Credentials> Fetch(std::stop_token stop) override {
    auto token = ReadSmallFile(identity_.token_file);
    if (!token) {
      return FailInvalid("AWS_WEB_IDENTITY_TOKEN_FILE = \"{}\" cannot be read: {}",
                         identity_.token_file, token.error().detail);
    }
    WipeAtEnd wipe(*token);
    http::ClientRequest request{.method = "POST", .url = identity_.service + "/"};
    request.fields = {{"Accept", "application/xml"}};
    request.body = fmt::format(
        "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn={}&RoleSessionName={}"
        "&WebIdentityToken={}",
        PercentEncode(identity_.role), PercentEncode(identity_.session),
        PercentEncode(TrimmedLine(*token)));
    request.max_body = kMostOfCredentials;
    request.stop = std::move(stop);
    auto answer = client_.Send(request);
    WipeSecret(request.body);
    if (!answer) return Failure(std::move(answer).error());
    if (answer->status != 200) return Refused(*answer);
    return Read(answer->body);
  }

  std::string name() const override { return "AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE"; }

 private:
  static http::ClientOptions Options(const WebIdentity& identity) {
    http::ClientOptions options = AskingOptions(kServiceTime);
    options.ca_file = identity.ca_file;
    options.trust_hint = "to trust it, set blobs.s3.ca_file to its root certificate";
    return options;
  }

  Failure Refused(const http::ClientResponse& answer) const {
    StoreError said = ParseStoreError(answer.body);
    const bool final = answer.status < 500 && answer.status != 429 &&
                       said.code != "IDPCommunicationError" && said.code != "Throttling";
    return Fail(final ? ErrorKind::kInvalid : ErrorKind::kUnavailable,
                fmt::format("{} returns no credentials for AWS_ROLE_ARN = \"{}\" ({} {}): does the "
                            "role trust the issuer of AWS_WEB_IDENTITY_TOKEN_FILE?",
                            identity_.service, Printable(identity_.role), answer.status, said.code),
                said.message);
  }

  static Result<Credentials> Read(const std::string& body) {
    auto root = XmlElement::Parse(body);
    const XmlElement* found = nullptr;
    if (root) found = root->FindChild("AssumeRoleWithWebIdentityResult");
    if (found != nullptr) found = found->FindChild("Credentials");
    if (found == nullptr) {
      return FailUnavailable("the token service returned an unexpected response");
    }
    return CheckedCredentials(
        std::string(found->TextOf("AccessKeyId")), std::string(found->TextOf("SecretAccessKey")),
        std::string(found->TextOf("SessionToken")), std::string(found->TextOf("Expiration")));
  }

  const WebIdentity identity_;
  http::Client client_;
};

// What only this machine, or its container, can reach.
bool IsNear(const http::Url& url) {
  constexpr auto kNear =
      std::to_array<std::string_view>({"169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"});
  return url.scheme == "https" || http::IsLoopbackHost(url.host) ||
         std::ranges::find(kNear, url.host) != kNear.end();
}

class ContainerSource final : public CredentialSource {
 public:
  explicit ContainerSource(ContainerAgent agent) : agent_(std::move(agent)), client_(Options()) {}

  Result<Credentials> Fetch(std::stop_token stop) override {
    http::ClientRequest request{.url = agent_.url};
    ASSIGN_OR_RETURN(std::string token, Token());
    if (!token.empty()) request.fields = {{"Authorization", token}};
    request.max_body = kMostOfCredentials;
    request.stop = std::move(stop);
    ASSIGN_OR_RETURN(http::ClientResponse answer, client_.Send(request));
    if (answer.status == 200) return FromAgent(answer.body);
    const bool later = answer.status >= 500 || answer.status == 429;
    return Fail(later ? ErrorKind::kUnavailable : ErrorKind::kInvalid,
                fmt::format("the container's agent returns no credentials ({}): does the container "
                            "have a role, and is {} right?",
                            answer.status, name()));
  }

  std::string name() const override { return "AWS_CONTAINER_CREDENTIALS_…_URI"; }

 private:
  static http::ClientOptions Options() {
    http::ClientOptions options = AskingOptions(kServiceTime);
    options.direct = true;
    return options;
  }

  Result<std::string> Token() const {
    std::string token = agent_.token;
    if (!agent_.token_file.empty()) {
      auto read = ReadSmallFile(agent_.token_file);
      if (!read) {
        return FailInvalid("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE = \"{}\" cannot be read: {}",
                           agent_.token_file, read.error().detail);
      }
      token = TrimmedLine(*read);
    }
    if (token.contains('\n') || token.contains('\r')) {
      return FailInvalid(
          "AWS_CONTAINER_AUTHORIZATION_TOKEN contains a line break: it must be one line");
    }
    return token;
  }

  const ContainerAgent agent_;
  http::Client client_;
};

class MachineSource final : public CredentialSource {
 public:
  MachineSource(std::string service, std::chrono::milliseconds timeout)
      : service_(std::move(service)), client_(Options(timeout)) {}

  Result<Credentials> Fetch(std::stop_token stop) override {
    constexpr std::string_view kRoles = "/latest/meta-data/iam/security-credentials/";
    http::ClientRequest session = RequestOf("PUT", "/latest/api/token", stop);
    session.fields = {{"X-aws-ec2-metadata-token-ttl-seconds", "21600"}};
    session.plain = true;
    ASSIGN_OR_RETURN(const std::string token, Ask(session));
    ASSIGN_OR_RETURN(std::string roles, Ask(RequestOf("GET", kRoles, stop, token)));
    const std::string role = TrimmedLine(roles.substr(0, roles.find('\n')));
    if (role.empty()) return NoRole();
    const std::string place = std::string(kRoles) + PercentEncode(role);
    ASSIGN_OR_RETURN(const std::string body, Ask(RequestOf("GET", place, stop, token)));
    return FromAgent(body);
  }

  std::string name() const override { return "the machine's role"; }

 private:
  static http::ClientOptions Options(std::chrono::milliseconds timeout) {
    http::ClientOptions options = AskingOptions(timeout);
    options.direct = true;
    return options;
  }

  http::ClientRequest RequestOf(std::string method, std::string_view path, std::stop_token stop,
                                const std::string& token = {}) const {
    http::ClientRequest request{.method = std::move(method),
                                .url = fmt::format("{}{}", service_, path)};
    if (!token.empty()) request.fields = {{"X-aws-ec2-metadata-token", token}};
    request.max_body = kMostOfCredentials;
    request.stop = std::move(stop);
    return request;
  }

  Result<std::string> Ask(const http::ClientRequest& request) {
    auto answer = client_.Send(request);
    if (!answer) {
      return Fail(
          ErrorKind::kUnavailable,
          fmt::format(
              "there are no credentials for the object store: neither blobs.s3.access_key_file nor "
              "one of the AWS_… variables is set, and the metadata service at {} does not respond "
              "(in a container, the machine's hop limit for it must be 2)",
              service_),
          answer.error().message);
    }
    if (answer->status == 404) return NoRole();
    if (answer->status == 200) return std::move(answer->body);
    return FailUnavailable(
        "there are no credentials for the object store: neither blobs.s3.access_key_file nor "
        "one of the AWS_… variables is set, and the metadata service at {} responds with {}",
        service_, answer->status);
  }

  Failure NoRole() const {
    return FailInvalid(
        "there are no credentials for the object store: this machine has no role; assign "
        "one, or name a file in blobs.s3.access_key_file");
  }

  const std::string service_;
  http::Client client_;
};

}  // namespace

std::string TokenServiceOf(std::string_view region) {
  return fmt::format("https://sts.{}.amazonaws.com{}", region,
                     region.starts_with("cn-") ? ".cn" : "");
}

Result<std::unique_ptr<CredentialSource>> MakeWebIdentitySource(WebIdentity identity) {
  return std::make_unique<WebIdentitySource>(std::move(identity));
}

Result<std::unique_ptr<CredentialSource>> MakeContainerSource(ContainerAgent agent) {
  auto url = http::ParseUrl(agent.url);
  if (!url || url->has_user_info || !IsNear(*url)) {
    return FailInvalid(
        "AWS_CONTAINER_CREDENTIALS_FULL_URI must be https, or at a loopback or link-local "
        "address of the container's agent: the token would be sent to others");
  }
  return std::make_unique<ContainerSource>(std::move(agent));
}

Result<std::unique_ptr<CredentialSource>> MakeMachineSource(std::string service,
                                                            std::chrono::milliseconds timeout) {
  return std::make_unique<MachineSource>(std::move(service), timeout);
}

}  // namespace koya::s3
