// For tests: modules' versions, releases, drafts and keys as publishers would have them, and what
// the audit log may hold.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/catalog_suite_base.h"
#include "domain/archive_kind.h"
#include "domain/audit_record.h"
#include "domain/module_record.h"
#include "domain/platform.h"
#include "domain/provider_address.h"
#include "domain/provider_record.h"
#include "domain/signing_key_record.h"

namespace koya {

// A version as a publisher would add it; `content` stands for the uploaded bytes.
inline ModuleVersionRecord Record(std::string_view address, std::string_view version,
                                  std::string_view content = "content") {
  return {.address = Address(address),
          .version = V(version),
          .kind = ArchiveKind::kTarGz,
          .digest = Digest::Of(std::string("served ") + std::string(content)),
          .size = 4321,
          .upload_digest = Digest::Of(content),
          .description = "a test module",
          .published_at = 1'700'000'000,
          .published_by = "ci"};
}

inline ProviderAddress Provider(std::string_view text) { return *ProviderAddress::Parse(text); }
inline Platform On(std::string_view text) { return *Platform::Parse(text); }

inline constexpr std::string_view kSampleKey = "0123456789ABCDEF0123456789ABCDEF01234567";

inline SigningKeyRecord SampleKey(std::string ns, std::string_view fingerprint = kSampleKey) {
  return {.ns = std::move(ns),
          .fingerprint = std::string(fingerprint),
          .key_id = "89ABCDEF01234567",
          .armor = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME\n",
          .user_ids = {"Jane <jane@example.com>"},
          .algorithm = "Ed25519",
          .created_at = kSuiteNow - 1000,
          .expires_at = std::nullopt,
          .added_at = kSuiteNow,
          .added_by = "admin",
          .removed_at = std::nullopt,
          .sealed_secret = "",
          .server_made = false};
}

inline SigningKeyRecord SampleServerKey(std::string ns, std::string_view fingerprint) {
  SigningKeyRecord key = SampleKey(std::move(ns), fingerprint);
  key.sealed_secret = "c2VhbGVk";
  key.server_made = true;
  return key;
}

// `content` stands for the zip's bytes.
inline ProviderPackage SamplePackage(std::string_view platform, const std::string& content) {
  return {.platform = On(platform),
          .filename = "terraform-provider-demo_1.0.0_" + std::string(platform) + ".zip",
          .digest = Digest::Of("zip of " + content + " for " + std::string(platform)),
          .size = 1234,
          .h1 = {"h1:" + content}};
}

// `content` stands for all of its files' bytes.
inline ProviderRelease SampleRelease(std::string_view address, std::string_view version,
                                     const std::string& content = "content") {
  return {
      .address = Provider(address),
      .version = V(version),
      .protocols = {"5.0"},
      .sums = {.digest = Digest::Of("sums of " + content), .size = 321},
      .signature = {.digest = Digest::Of("signature of " + content), .size = 119},
      .key_fingerprint = std::string(kSampleKey),
      .packages = {SamplePackage("darwin_arm64", content), SamplePackage("linux_amd64", content)},
      .published_at = kSuiteNow,
      .published_by = "ci",
      .deprecation = ""};
}

inline DraftRecord SampleDraft(std::string id, std::string_view address = "acme/demo",
                               std::string_view version = "1.0.0") {
  return {.id = std::move(id),
          .address = Provider(address),
          .version = V(version),
          .created_at = kSuiteNow,
          .created_by = "ci",
          .expires_at = kSuiteNow + 100,
          .files = {}};
}

inline DraftFile SampleFile(std::string name, std::string_view content = "content") {
  return {.name = std::move(name),
          .digest = Digest::Of(content),
          .size = content.size(),
          .h1 = {},
          .problems = {}};
}

inline AuditEntry SampleAuditEntry(std::string action, std::string target = "token:ci") {
  return {.kind = AuditKind::kChange,
          .at = kSuiteNow,
          .by = {.name = "user:Ada",
                 .token = "laptop",
                 .address = "192.0.2.1",
                 .user_agent = "tofu/1.9",
                 .request_id = "r1"},
          .action = std::move(action),
          .target = std::move(target),
          .ns = "acme",
          .before = R"({"a":1})",
          .after = ""};
}

}  // namespace koya
