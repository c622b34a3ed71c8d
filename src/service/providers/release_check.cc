#include "service/providers/release_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "domain/protocol_version.h"
#include "domain/release_file.h"
#include "signing/openpgp.h"
#include "signing/sha256sums.h"
#include "wire/providers.h"

namespace koya::service {
namespace {

using FileKind = ReleaseFile::Kind;
using signing::CheckedSignature;

// Checks the files of a draft step by step; each step adds the problems that it finds.
class ReleaseRules {
 public:
  explicit ReleaseRules(const ReleaseMaterial& material)
      : material_(material), draft_(material.draft) {}

  ReleaseVerdict Verdict() {
    SortFiles();
    JudgePackages();
    JudgeSchemas();
    if (material_.sign) {
      RefuseWhatWillBeMade();
      for (const auto& [name, file] : listed_) verdict_.is_signed.emplace_back(name);
    } else {
      JudgeSums();
      JudgeSignature();
    }
    JudgeProtocols();
    return std::move(verdict_);
  }

 private:
  template <class... Values>
  void Problem(fmt::format_string<Values...> text, Values&&... values) {
    verdict_.problems.push_back(fmt::format(text, std::forward<Values>(values)...));
  }

  void SortFiles();
  void JudgePackages();
  void RefuseWhatWillBeMade();
  void JudgeSums();
  void CompareWithSums(const signing::SumsLine& line);
  void FindUnlisted(const signing::SumsReading& sums);
  void JudgeSchemas();
  void JudgeSignature();
  bool AcceptSigner(const CheckedSignature& signature);
  void ExplainSignature(const CheckedSignature& signature);
  const SigningKeyRecord& KeyOf(const CheckedSignature& signature) const;
  void JudgeProtocols();
  std::vector<std::string> ManifestProtocols();

  // The release's names for files, for messages.
  std::string SumsName() const { return SumsFileName(draft_.address, draft_.version); }
  std::string SignatureName() const { return SignatureFileName(draft_.address, draft_.version); }
  std::string ManifestName() const { return ManifestFileName(draft_.address, draft_.version); }

  const ReleaseMaterial& material_;
  const DraftRecord& draft_;
  std::map<std::string_view, const DraftFile*> listed_;  // what SHA256SUMS must name
  std::vector<std::string> signatures_;                  // names of the signature files
  std::vector<std::string> unsigned_;                    // of listed_: those that it may leave out
  std::vector<std::string> schemas_;                     // names of schemas
  ReleaseVerdict verdict_;
};

// Which file is what, by its name alone.
void ReleaseRules::SortFiles() {
  for (const DraftFile& file : draft_.files) {
    Result<ReleaseFile> parsed = ParseReleaseFile(file.name, draft_.address, draft_.version);
    if (!parsed) {
      Problem("{}", parsed.error().message);
      // A zip under a wrong name is compared with SHA256SUMS all the same: both may be misnamed.
      if (file.name.ends_with(".zip")) listed_.emplace(file.name, &file);
      continue;
    }
    switch (parsed->kind) {
      case FileKind::kPackage:
        listed_.emplace(file.name, &file);
        verdict_.packages.push_back({.platform = *parsed->platform,
                                     .filename = file.name,
                                     .digest = file.digest,
                                     .size = file.size,
                                     .h1 = file.h1});
        break;
      case FileKind::kManifest:
        listed_.emplace(file.name, &file);
        break;
      case FileKind::kDocs:
      case FileKind::kSchema:
        listed_.emplace(file.name, &file);
        unsigned_.push_back(file.name);
        if (parsed->kind == FileKind::kSchema) schemas_.push_back(file.name);
        break;
      case FileKind::kSignature:
        signatures_.push_back(file.name);
        break;
      case FileKind::kSums:
        break;
    }
  }
  std::ranges::sort(verdict_.packages, {}, &ProviderPackage::platform);
}

void ReleaseRules::JudgePackages() {
  if (verdict_.packages.empty()) {
    Problem("the release has no package: upload at least one zip, named as {}",
            PackageFileName(draft_.address, draft_.version, *Platform::Parse("linux_amd64")));
  }
  for (const DraftFile& file : draft_.files) {
    for (const std::string& problem : file.problems) Problem("{}: {}", file.name, problem);
  }
}

void ReleaseRules::JudgeSchemas() {
  if (schemas_.size() < 2) return;
  Problem("{} were uploaded: leave one of them out", fmt::join(schemas_, " and "));
}

void ReleaseRules::RefuseWhatWillBeMade() {
  if (material_.sums) {
    Problem(
        "{} was uploaded, but the commit asks koya to create and sign it: leave the file out, or "
        "commit without signing (no --sign) and upload your signature of it",
        SumsName());
  }
  for (const std::string& name : signatures_) {
    Problem(
        "{} was uploaded, but the commit asks koya to sign: leave the file out, or commit without "
        "signing (no --sign)",
        name);
  }
}

void ReleaseRules::JudgeSums() {
  if (!material_.sums) {
    Problem(
        "{} is missing: upload the one that your build created, with its signature; if you have no "
        "key, let koya create and sign it (--sign)",
        SumsName());
    return;
  }
  signing::SumsReading sums = signing::ReadSums(*material_.sums);
  for (const std::string& problem : sums.problems) Problem("{}: {}", SumsName(), problem);
  for (const signing::SumsLine& line : sums.lines) CompareWithSums(line);
  FindUnlisted(sums);
}

// Files of other kinds may be listed without being here (a bill of materials, docs): clients only
// look for their own package.
void ReleaseRules::CompareWithSums(const signing::SumsLine& line) {
  auto file = listed_.find(line.name);
  if (file != listed_.end()) {
    if (file->second->digest == line.digest) {
      verdict_.is_signed.emplace_back(line.name);
      return;
    }
    Problem(
        "{} is not the file that {} lists: its SHA-256 is {}, listed is {}; was it rebuilt after "
        "the sums were created? Create sums and signature again",
        line.name, SumsName(), file->second->digest.hex(), line.digest.hex());
    return;
  }
  // GoReleaser lists the manifest, but leaves it outside its output folder: it may well be missing,
  // and then the protocols must come from somewhere else, rather than from a default.
  if (line.name == ManifestName() && material_.protocols.empty()) {
    Problem(
        "{} lists {}, which was not uploaded: upload it, or name the protocols (--protocols "
        "6.0)",
        SumsName(), line.name);
  }
  if (!line.name.ends_with(".zip")) return;
  if (line.name == DocsFileName(draft_.address, draft_.version)) return;  // docs are optional
  Problem("{} lists {}, which was not uploaded: upload it, or leave it out of the sums", SumsName(),
          line.name);
  Result<ReleaseFile> parsed = ParseReleaseFile(line.name, draft_.address, draft_.version);
  if (!parsed) Problem("{}: {}", SumsName(), parsed.error().message);
}

void ReleaseRules::FindUnlisted(const signing::SumsReading& sums) {
  for (const auto& [name, file] : listed_) {
    if (std::ranges::find(sums.lines, name, &signing::SumsLine::name) != sums.lines.end()) continue;
    if (std::ranges::find(unsigned_, name) != unsigned_.end()) continue;
    // A line that could not be read may be the one that lists it: that has been said already.
    if (!sums.problems.empty() && material_.sums->contains(name)) continue;
    if (name == ManifestName()) {
      Problem(
          "{} was uploaded, but {} does not list it, so no signature covers it: list it "
          "(GoReleaser: checksum.extra_files), or leave it out and give --protocols",
          name, SumsName());
    } else {
      Problem(
          "{} was uploaded, but {} does not list it, so no signature covers it: create the sums "
          "again over all packages, or leave the file out",
          name, SumsName());
    }
  }
}

void ReleaseRules::JudgeSignature() {
  if (signatures_.size() > 1) {
    Problem("{} were uploaded: leave one of them out", fmt::join(signatures_, " and "));
  }
  if (!material_.signature) {
    Problem(
        "{} is missing: sign the sums with gpg --detach-sign {} and upload the result; if you have "
        "no key, let koya sign (--sign)",
        SignatureName(), SumsName());
    return;
  }
  Result<std::string> binary = signing::BinarySignature(*material_.signature);
  if (!binary) {
    Problem("{}: {}", signatures_.empty() ? SignatureName() : signatures_.front(),
            binary.error().message);
    return;
  }
  if (material_.keys.empty()) {
    Problem(
        "the namespace \"{0}\" has no signing key yet: ask one of its owners to add yours with "
        "koya key add {0} KEY.asc",
        draft_.address.ns());
  }
  if (!material_.sums) return;  // nothing to check it against; told already
  std::vector<std::string> armors;
  for (const SigningKeyRecord& key : material_.keys) armors.push_back(key.armor);
  auto checked = signing::CheckSignatures(*material_.sums, *binary, armors, material_.now);
  if (!checked) {
    Problem("{}: {}", SignatureName(), checked.error().message);
    return;
  }
  verdict_.signature = *std::move(binary);
  for (const CheckedSignature& signature : *checked) {
    if (AcceptSigner(signature)) return;
  }
  for (const CheckedSignature& signature : *checked) ExplainSignature(signature);
}

const SigningKeyRecord& ReleaseRules::KeyOf(const CheckedSignature& signature) const {
  return *std::ranges::find(material_.keys, signature.fingerprint, &SigningKeyRecord::fingerprint);
}

// One signature that holds is enough: the first that does is the release's.
bool ReleaseRules::AcceptSigner(const CheckedSignature& signature) {
  if (signature.state != CheckedSignature::State::kGood) return false;
  const bool in_use = !signature.key_expired && !KeyOf(signature).removed_at;
  const bool good = !signature.weak_hash && !signature.key_revoked && signature.key_may_sign &&
                    !signature.signature_expired && (in_use || material_.imported);
  if (good) verdict_.key_fingerprint = signature.fingerprint;
  return good;
}

void ReleaseRules::ExplainSignature(const CheckedSignature& signature) {
  const std::string& ns = draft_.address.ns();
  const std::string& id = signature.key_id;
  switch (signature.state) {
    case CheckedSignature::State::kUnknownKey:
      if (material_.keys.empty()) return;  // told already
      Problem(
          "{} was signed with the key {}, which is not registered for the namespace \"{}\": ask "
          "one of its owners to add it with koya key add {} KEY.asc, or sign with a registered key",
          SumsName(), id, ns, ns);
      return;
    case CheckedSignature::State::kBad:
      Problem(
          "the signature by the key {} is not one of these {}: the file was changed after it "
          "was signed, or the signature is of another one; sign it again",
          id, SumsName());
      return;
    case CheckedSignature::State::kGood:
      break;
  }
  if (KeyOf(signature).removed_at && !material_.imported) {
    Problem(
        "the key {} was removed from the namespace \"{}\" and cannot sign new releases: sign with "
        "one that koya key list {} shows",
        id, ns, ns);
  }
  if (signature.key_revoked) {
    Problem("the key {} has been revoked by its owner: sign with another key", id);
  }
  if (signature.key_expired && !material_.imported) {
    Problem(
        "the key {} has expired: extend it (gpg --quick-set-expire) and add it again with koya "
        "key add {} KEY.asc, or sign with another key",
        id, ns);
  }
  if (signature.signature_expired) {
    Problem("the signature by the key {} has expired: sign again, without an expiry", id);
  }
  if (!signature.key_may_sign) {
    Problem("the key {} is not meant for signing: sign with one that has the sign capability", id);
  }
  if (signature.weak_hash) {
    Problem(
        "the signature by the key {} uses {}, which is broken: sign again with gpg "
        "--digest-algo SHA256",
        id, signature.hash);
  }
}

// What the manifest says; empty when there is none, or when it cannot be read.
std::vector<std::string> ReleaseRules::ManifestProtocols() {
  if (!material_.manifest) return {};
  auto spelled = wire::DecodeProviderManifest(*material_.manifest);
  if (!spelled) {
    Problem("{}: {}", ManifestName(), spelled.error().message);
    return {};
  }
  auto protocols = NormalizeProtocols(*std::move(spelled));
  if (!protocols) {
    Problem("{}: {}", ManifestName(), protocols.error().message);
    return {};
  }
  return *std::move(protocols);
}

void ReleaseRules::JudgeProtocols() {
  std::vector<std::string> manifest = ManifestProtocols();
  if (material_.protocols.empty()) {
    verdict_.protocols = std::move(manifest);
    if (verdict_.protocols.empty()) verdict_.protocols.emplace_back(kDefaultProtocol);
    return;
  }
  auto asked = NormalizeProtocols(material_.protocols);
  if (!asked) {
    Problem("{}", asked.error().message);
    return;
  }
  if (!manifest.empty() && manifest != *asked) {
    Problem(
        "{} says the provider speaks protocol {}, the commit says {}: leave --protocols out, or "
        "fix the manifest",
        ManifestName(), fmt::join(manifest, ", "), fmt::join(*asked, ", "));
  }
  verdict_.protocols = *std::move(asked);
}

}  // namespace

ReleaseVerdict CheckReleaseRules(const ReleaseMaterial& material) {
  return ReleaseRules(material).Verdict();
}

}  // namespace koya::service
