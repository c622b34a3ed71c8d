// Checks a draft against every rule for releases, and reports all problems at once. Pure: the
// files' contents are already read, and the results of their inspection are in the draft.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/provider_record.h"
#include "domain/signing_key_record.h"

namespace koya::service {

struct ReleaseMaterial {
  const DraftRecord& draft;
  // Contents of the small files; nullopt if the draft has none.
  std::optional<std::string> sums;
  std::optional<std::string> signature;  // as uploaded, armored or binary
  std::optional<std::string> manifest;
  std::vector<std::string> protocols;  // requested by the commit
  bool sign = false;                   // sums and signature will be created
  bool imported = false;               // keys that sign no new releases may have signed it
  std::vector<SigningKeyRecord> keys;  // of the namespace, including removed keys
  UnixSeconds now = 0;
};

struct ReleaseVerdict {
  std::vector<std::string> problems;  // empty: the rest is filled
  std::vector<ProviderPackage> packages;
  std::vector<std::string> protocols;
  std::string signature;        // binary; "" with `sign`
  std::string key_fingerprint;  // "" with `sign`
  // Names of files that SHA256SUMS, or the one to be created, lists with their actual digests.
  std::vector<std::string> is_signed;
};

// Blocks during the verification of a signature.
ReleaseVerdict CheckReleaseRules(const ReleaseMaterial& material);

}  // namespace koya::service
