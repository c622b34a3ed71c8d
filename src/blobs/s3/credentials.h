// Credential sources, in the order in which they are tried:
//   1. blobs.s3.access_key_file: two lines, the key and its secret; read again when it changes;
//   2. AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN;
//   3. AWS_WEB_IDENTITY_TOKEN_FILE with AWS_ROLE_ARN: a role's, from the token service;
//   4. AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI: from the container's agent;
//   5. the machine's metadata service (IMDSv2).
// The first one that is set is used: a source that is set but does not work is an error, never a
// reason to continue with another identity.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "blobs/s3/request.h"

namespace koya::s3 {

// A source of credentials. Thread-safe, although CredentialKeeper calls from one thread at a time.
// No error and no log line contains a secret.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;
  // Blocks for a few seconds at most. Fails: kUnavailable: retryable; kInvalid: permanent, the
  // message names what to fix.
  virtual Result<Credentials> Fetch(std::stop_token stop) = 0;
  // Whether Fetch would return other credentials than last time although those have not expired.
  // Cheap: called before each use.
  virtual bool HasChanged() { return false; }
  // What to name as the cause when the store denies the credentials: "blobs.s3.access_key_file".
  virtual std::string name() const = 0;
};

struct CredentialOptions {
  std::string access_key_file;
  std::string region;   // of the token service
  std::string ca_file;  // of blobs.s3.ca_file; for the token service
  // The environment; empty values count as absent.
  std::function<std::optional<std::string>(const char* name)> environment;
  // Addresses of the services; tests use their own.
  std::string token_service = {};  // "": https://sts.REGION.amazonaws.com
  std::string container_agent = "http://169.254.170.2";
  std::string metadata_service = "http://169.254.169.254";
  std::chrono::milliseconds metadata_timeout{1000};
};

// Reads the environment of this process.
std::optional<std::string> ProcessEnvironment(const char* name);

// Fails: kInvalid when a source is only half set. Fetches nothing yet.
Result<std::unique_ptr<CredentialSource>> MakeCredentialSource(const CredentialOptions& options);

// Parts of the sources.

// Small files that hold secrets and may be replaced at any time: keys and tokens.

// Identifies a version of a file. All zeros when the file cannot be inspected.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
FileStamp StampOf(const std::string& path);

// Reads at most 64 KiB. Fails: kInvalid, with the reason in the detail.
Result<std::string> ReadSmallFile(const std::string& path);

// Strips blanks and line ends from both ends.
std::string TrimmedLine(std::string_view text);

// Printable ASCII without blanks: fit for a header value and for a key.
bool IsOneWord(std::string_view text);

// Sources that query a service, in asked_credentials.cc.

// "https://sts.REGION.amazonaws.com".
std::string TokenServiceOf(std::string_view region);

// AssumeRoleWithWebIdentity. The file is read each time, because its writer renews it.
struct WebIdentity {
  std::string service;
  std::string token_file;
  std::string role;
  std::string session;
  std::string ca_file;
};
Result<std::unique_ptr<CredentialSource>> MakeWebIdentitySource(WebIdentity identity);

// The container agent, at a URL without a secret: https, or a host that only this machine can
// reach.
struct ContainerAgent {
  std::string url;
  std::string token;       // "": none
  std::string token_file;  // takes precedence; read each time; "": none
};
// Fails: kInvalid.
Result<std::unique_ptr<CredentialSource>> MakeContainerSource(ContainerAgent agent);

// IMDSv2.
Result<std::unique_ptr<CredentialSource>> MakeMachineSource(std::string service,
                                                            std::chrono::milliseconds timeout);

}  // namespace koya::s3
