// For tests: what other registries have, as the mirror would keep it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/catalog_samples_fake.h"
#include "domain/archive_kind.h"
#include "domain/host_name.h"
#include "domain/upstream_record.h"

namespace koya {

inline HostName Host(std::string_view text) { return *HostName::ParseWire(text); }

// "registry.example.com/acme/demo"
inline UpstreamProvider Remote(std::string_view key) {
  std::size_t slash = key.find('/');
  return {.host = Host(key.substr(0, slash)), .address = Provider(key.substr(slash + 1))};
}
// "registry.example.com/acme/vpc/aws"
inline UpstreamModule RemoteModule(std::string_view key) {
  std::size_t slash = key.find('/');
  return {.host = Host(key.substr(0, slash)), .address = Address(key.substr(slash + 1))};
}

inline constexpr std::string_view kRemote = "registry.example.com/acme/demo";
inline constexpr std::string_view kRemoteModule = "registry.example.com/acme/vpc/aws";

// `content` stands for the zip's bytes.
inline UpstreamPackage SampleUpstreamPackage(std::string_view platform,
                                             const std::string& content) {
  return {.platform = On(platform),
          .filename = "terraform-provider-demo_1.0.0_" + std::string(platform) + ".zip",
          .digest = Digest::Of("zip of " + content + " for " + std::string(platform)),
          .size = 0,
          .hashes = {},
          .held = false,
          .used_at = 0};
}

// The same, once its bytes are here.
inline UpstreamPackage SampleHeldPackage(std::string_view platform, const std::string& content,
                                         UnixSeconds used_at = kSuiteNow) {
  UpstreamPackage package = SampleUpstreamPackage(platform, content);
  package.size = 1234;
  package.hashes = {"h1:" + content};
  package.held = true;
  package.used_at = used_at;
  return package;
}

// `content` stands for all of its files' bytes.
inline UpstreamRelease SampleUpstreamRelease(std::string_view key, std::string_view version,
                                             const std::string& content = "content") {
  return {.provider = Remote(key),
          .version = V(version),
          .protocols = {"5.0", "6.0"},
          .sums = ReleaseDocument{.digest = Digest::Of("sums of " + content), .size = 321},
          .signature = ReleaseDocument{.digest = Digest::Of("signature of " + content), .size = 99},
          .keys = R"({"gpg_public_keys":[{"key_id":")" + content + "\"}]}",
          .fit_for_origin = true,
          .packages = {SampleUpstreamPackage("darwin_arm64", content),
                       SampleUpstreamPackage("linux_amd64", content)},
          .seen_at = kSuiteNow};
}

// `content` stands for its bytes.
inline UpstreamAttachment SampleUpstreamAttachment(std::string name,
                                                   const std::string& content = "content",
                                                   std::string_view platform = "linux_amd64") {
  return {.file = {.name = std::move(name),
                   .digest = Digest::Of("attachment of " + content),
                   .size = 77},
          .platform = On(platform)};
}

inline UpstreamModuleVersion SampleUpstreamModule(std::string_view key, std::string_view version,
                                                  const std::string& content = "content") {
  return {.module = RemoteModule(key),
          .version = V(version),
          .kind = ArchiveKind::kTarGz,
          .digest = Digest::Of("archive of " + content),
          .size = 4321,
          .source = "git::https://git.example.com/vpc.git?ref=v1",
          .held = true,
          .seen_at = kSuiteNow,
          .used_at = kSuiteNow};
}

inline CachedDocument SampleDocument(std::string key, std::string body, UnixSeconds checked_at) {
  return {.key = std::move(key),
          .body = std::move(body),
          .etag = "\"etag\"",
          .last_modified = "Sat, 21 Nov 2026 16:41:10 GMT",
          .checked_at = checked_at,
          .changed_at = 0};
}

}  // namespace koya
