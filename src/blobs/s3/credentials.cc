#include "blobs/s3/credentials.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>

#include "base/file.h"
#include "base/file_io.h"
#include "base/secrets.h"

namespace koya::s3 {
namespace {

constexpr std::size_t kMostOfAFile = 64 << 10;
constexpr std::string_view kAround = " \t\r\n";

Failure Unreadable(std::string why) { return Fail(ErrorKind::kInvalid, "", std::move(why)); }

// Reads two lines of a file that may be replaced at any time.
class KeyFileSource final : public CredentialSource {
 public:
  explicit KeyFileSource(std::string path) : path_(std::move(path)) {}

  Result<Credentials> Fetch(std::stop_token) override {
    // Before it is read: a change in between is seen next time.
    FileStamp stamp = StampOf(path_);
    auto text = ReadSmallFile(path_);
    if (!text) return BadFile(text.error().detail);
    WipeAtEnd wipe(*text);
    std::size_t end = text->find('\n');
    if (end == text->npos) return BadFile("it has one line");
    Credentials read{.access_key = TrimmedLine(text->substr(0, end)),
                     .secret_key = TrimmedLine(text->substr(end + 1))};
    if (read.access_key.empty() || read.secret_key.empty()) return BadFile("a line is empty");
    if (!IsOneWord(read.access_key) || !IsOneWord(read.secret_key)) {
      return BadFile("there is more than one word on a line, or a third line");
    }
    std::lock_guard lock(mutex_);
    stamp_ = stamp;
    return read;
  }

  bool HasChanged() override {
    FileStamp now = StampOf(path_);
    std::lock_guard lock(mutex_);
    return stamp_ && now != *stamp_;
  }

  std::string name() const override { return "blobs.s3.access_key_file"; }

 private:
  Failure BadFile(std::string_view why) const {
    return FailInvalid(
        "blobs.s3.access_key_file = \"{}\": {}; it must have two lines, the "
        "access key and its secret",
        path_, why);
  }

  const std::string path_;
  std::mutex mutex_;
  std::optional<FileStamp> stamp_;
};

class EnvironmentSource final : public CredentialSource {
 public:
  explicit EnvironmentSource(Credentials credentials) : credentials_(std::move(credentials)) {}
  Result<Credentials> Fetch(std::stop_token) override { return credentials_; }
  std::string name() const override { return "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"; }

 private:
  const Credentials credentials_;
};

using Made = Result<std::unique_ptr<CredentialSource>>;

Made FromEnvironment(const CredentialOptions& options, std::string access_key) {
  auto secret = options.environment("AWS_SECRET_ACCESS_KEY");
  if (!secret) {
    return FailInvalid(
        "AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not: set both, or name a "
        "file in blobs.s3.access_key_file");
  }
  if (!IsOneWord(access_key) || !IsOneWord(*secret)) {
    return FailInvalid("AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY contains spaces or line breaks");
  }
  Credentials credentials{.access_key = std::move(access_key),
                          .secret_key = *std::move(secret),
                          .session_token = options.environment("AWS_SESSION_TOKEN").value_or("")};
  return std::make_unique<EnvironmentSource>(std::move(credentials));
}

Made FromWebIdentity(const CredentialOptions& options, std::string token_file) {
  auto role = options.environment("AWS_ROLE_ARN");
  if (!role) {
    return FailInvalid(
        "AWS_WEB_IDENTITY_TOKEN_FILE is set, and AWS_ROLE_ARN is not: set both, or name a "
        "file in blobs.s3.access_key_file");
  }
  return MakeWebIdentitySource(
      {.service =
           options.token_service.empty() ? TokenServiceOf(options.region) : options.token_service,
       .token_file = std::move(token_file),
       .role = *std::move(role),
       .session = options.environment("AWS_ROLE_SESSION_NAME").value_or("koya"),
       .ca_file = options.ca_file});
}

Made FromContainer(const CredentialOptions& options, std::string url) {
  return MakeContainerSource(
      {.url = std::move(url),
       .token = options.environment("AWS_CONTAINER_AUTHORIZATION_TOKEN").value_or(""),
       .token_file = options.environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE").value_or("")});
}

}  // namespace

FileStamp StampOf(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return {};
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .size = found.st_size,
          .seconds = found.st_mtim.tv_sec,
          .nanoseconds = found.st_mtim.tv_nsec};
}

Result<std::string> ReadSmallFile(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return Unreadable(std::strerror(errno));
  std::string text(kMostOfAFile + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    auto got = ReadSome(file.get(), std::as_writable_bytes(std::span(text)).subspan(size));
    if (!got) return Unreadable(std::strerror(got.error()));
    if (*got == 0) break;
    size += *got;
  }
  if (size > kMostOfAFile) return Unreadable("it is larger than 64 KiB");
  text.resize(size);
  return text;
}

std::string TrimmedLine(std::string_view text) {
  std::size_t begin = std::min(text.find_first_not_of(kAround), text.size());
  return std::string(text.substr(begin, text.find_last_not_of(kAround) + 1 - begin));
}

bool IsOneWord(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

std::optional<std::string> ProcessEnvironment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

Made MakeCredentialSource(const CredentialOptions& options) {
  if (!options.access_key_file.empty()) {
    return std::make_unique<KeyFileSource>(options.access_key_file);
  }
  if (auto key = options.environment("AWS_ACCESS_KEY_ID")) {
    return FromEnvironment(options, *std::move(key));
  }
  if (auto file = options.environment("AWS_WEB_IDENTITY_TOKEN_FILE")) {
    return FromWebIdentity(options, *std::move(file));
  }
  if (auto path = options.environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")) {
    return FromContainer(options, options.container_agent + *path);
  }
  if (auto url = options.environment("AWS_CONTAINER_CREDENTIALS_FULL_URI")) {
    return FromContainer(options, *std::move(url));
  }
  return MakeMachineSource(options.metadata_service, options.metadata_timeout);
}

}  // namespace koya::s3
