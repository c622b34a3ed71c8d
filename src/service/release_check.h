// What makes a draft a release: every rule, and every breach of one told at once. Pure: the files'
// contents have been read, and what their inspection found is in the draft.
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
  // The contents of the small files; nullopt when the draft has none.
  std::optional<std::string> sums;
  std::optional<std::string> signature;  // as uploaded, armored or binary
  std::optional<std::string> manifest;
  std::vector<std::string> protocols;  // what the commit asked for
  bool sign = false;                   // sums and signature will be made
  std::vector<SigningKeyRecord> keys;  // the namespace's, removed ones included
  UnixSeconds now = 0;
};

struct ReleaseVerdict {
  std::vector<std::string> problems;  // empty: the rest is filled
  std::vector<ProviderPackage> packages;
  std::vector<std::string> protocols;
  std::string signature;        // binary; "" with `sign`
  std::string key_fingerprint;  // "" with `sign`
  // Names of files that SHA256SUMS, or the one that will be made, lists as they are.
  std::vector<std::string> is_signed;
};

// Blocks for the time of a signature check.
ReleaseVerdict JudgeRelease(const ReleaseMaterial& material);

}  // namespace koya::service
