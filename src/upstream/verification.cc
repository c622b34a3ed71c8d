#include "upstream/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/text.h"
#include "domain/host_name.h"
#include "domain/provider_address.h"
#include "domain/release_file.h"
#include "domain/version.h"
#include "signing/openpgp.h"
#include "upstream/foreign_answers.h"
#include "upstream/provider_source.h"

namespace koya::upstream {
namespace {

using signing::CheckedSignature;

// The only host whose unsigned packages clients install.
constexpr std::string_view kUnsignedHost = "registry.opentofu.org";

// The subject of the verification, and the beginning of every error message.
struct Subject {
  const FetchedDownload& download;
  std::string name;

  Failure Refuse(std::string_view words) const { return FailBadUpstream("{}: {}", name, words); }
};

// Numbers between full stops, as the clients' reader of versions takes them.
bool IsProtocol(std::string_view text) {
  if (text.empty() || text.size() > 32) return false;
  std::size_t parts = 1 + static_cast<std::size_t>(std::ranges::count(text, '.'));
  bool known = std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return known && parts <= 3 && text.front() != '.' && text.back() != '.' &&
         text.find("..") == text.npos;
}

Status CheckDescription(const Subject& subject, const Platform& platform) {
  const FetchedDownload& download = subject.download;
  if (download.os != platform.os() || download.arch != platform.arch()) {
    return subject.Refuse(fmt::format("the document describes {}_{}", Printable(download.os, 40),
                                      Printable(download.arch, 40)));
  }
  for (const std::string& protocol : download.protocols) {
    if (IsProtocol(protocol)) continue;
    return subject.Refuse(
        fmt::format("\"{}\" is not a version of the plugin protocol", Printable(protocol, 40)));
  }
  return {};
}

// ---- SHA256SUMS ----

Result<Digest> CheckShasum(const Subject& subject, const ForeignSums& sums) {
  const FetchedDownload& download = subject.download;
  std::string file = Printable(download.filename, 80);
  auto shasum = ReadHexDigest(download.shasum);
  if (!shasum) return subject.Refuse("its shasum is not 64 hexadecimal digits");
  auto found = sums.Find(download.filename);
  if (!found) return subject.Refuse(fmt::format("SHA256SUMS does not list {}", file));
  if (!found->is_digest) {
    return subject.Refuse(fmt::format("SHA256SUMS has no digest for {}", file));
  }
  if (found->digest != *shasum) {
    return subject.Refuse(fmt::format("the document says shasum {}, and SHA256SUMS says {} for {}",
                                      shasum->hex(), found->digest.hex(), file));
  }
  return *shasum;
}

// Every platform's package, once: the first line counts, as for the clients.
std::vector<VerifiedDownload::Package> PackagesOf(const ForeignSums& sums,
                                                  const ProviderAddress& address,
                                                  const Version& version) {
  std::vector<VerifiedDownload::Package> packages;
  std::set<std::string_view> seen;
  for (const ForeignSums::Line& line : sums.lines) {
    auto digest = ReadHexDigest(line.digest);
    if (!digest || !seen.insert(line.name).second) continue;
    auto file = ParseReleaseFile(line.name, address, version);
    if (!file || !file->platform) continue;
    packages.push_back({*file->platform, std::string(line.name), *digest});
  }
  return packages;
}

// ---- the signature ----

// Clients read only the first armored block of a key's text.
std::string FirstBlock(std::string_view armor) {
  constexpr std::string_view kEnd = "-----END PGP";
  std::size_t end = armor.find(kEnd);
  if (end == armor.npos) return std::string(armor);
  std::size_t line_end = armor.find('\n', end);
  return std::string(armor.substr(0, line_end == armor.npos ? line_end : line_end + 1));
}

struct KeyVerdict {
  bool signed_it = false;
  bool expired = false;  // the key, or the signature
  bool weak_hash = false;
  std::string key_id;
  std::string fingerprint;
};

// What one key says of the signatures. Fails where clients stop instead of trying the next key.
Result<KeyVerdict> JudgeKey(const Subject& subject, const std::string& armor, std::size_t number,
                            UnixSeconds now) {
  const FetchedDownload& download = subject.download;
  const std::string block = FirstBlock(armor);
  auto checked =
      signing::CheckSignatures(download.sums, download.signature, std::span(&block, 1), now);
  if (!checked) {
    return subject.Refuse(fmt::format("signing key {} cannot be read, and clients stop there: {}",
                                      number, checked.error().message));
  }
  bool over_other_bytes = false;
  for (const CheckedSignature& each : *checked) {
    if (each.state == CheckedSignature::State::kUnknownKey || !each.key_may_sign) continue;
    if (each.key_revoked) {
      return subject.Refuse(
          fmt::format("the key {} that signed SHA256SUMS is revoked", each.key_id));
    }
    bool refused_hash = each.weak_hash && each.hash != "SHA1";
    if (refused_hash) {
      return subject.Refuse(
          fmt::format("SHA256SUMS is signed with {}, which clients reject", each.hash));
    }
    if (each.state == CheckedSignature::State::kGood) {
      return KeyVerdict{true, each.key_expired || each.signature_expired, each.weak_hash,
                        each.key_id, each.fingerprint};
    }
    over_other_bytes = true;
  }
  if (over_other_bytes) return subject.Refuse("the signature is over another SHA256SUMS");
  return KeyVerdict();
}

void NoteSigner(const Subject& subject, const KeyVerdict& verdict, VerifiedDownload& verified) {
  verified.signer = verdict.fingerprint;
  if (verdict.expired) {
    verified.warnings.push_back(
        fmt::format("{}: the key {} that signed SHA256SUMS, or its signature, has expired",
                    subject.name, verdict.key_id));
  }
  if (verdict.weak_hash) {
    verified.warnings.push_back(
        fmt::format("{}: SHA256SUMS is signed by {} with SHA-1, which is broken", subject.name,
                    verdict.key_id));
  }
}

// Each is tried with each signature, over all of SHA256SUMS.
constexpr std::size_t kMaxKeys = 32;

// The keys in their order; one that has expired counts when no other signed.
Status CheckSignature(const Subject& subject, UnixSeconds now, VerifiedDownload& verified) {
  const FetchedDownload& download = subject.download;
  if (download.signature.starts_with("-----BEGIN")) {
    return subject.Refuse("the signature is armored text; clients read binary ones only");
  }
  auto readable = signing::CheckSignatures(download.sums, download.signature, {}, now);
  if (!readable) {
    return subject.Refuse(
        fmt::format("the signature of SHA256SUMS cannot be read: {}", readable.error().message));
  }
  if (download.keys.size() > kMaxKeys) {
    return subject.Refuse(fmt::format("it lists {} signing keys; at most {} are tried",
                                      download.keys.size(), kMaxKeys));
  }
  std::optional<KeyVerdict> expired;
  for (std::size_t i = 0; i < download.keys.size(); ++i) {
    ASSIGN_OR_RETURN(KeyVerdict verdict,
                     JudgeKey(subject, download.keys[i].ascii_armor, i + 1, now));
    if (!verdict.signed_it) continue;
    if (!verdict.expired) {
      NoteSigner(subject, verdict, verified);
      return {};
    }
    if (!expired) expired = std::move(verdict);
  }
  if (!expired) return subject.Refuse("SHA256SUMS is signed by none of the keys that are listed");
  NoteSigner(subject, *expired, verified);
  return {};
}

Status CheckSigned(const Subject& subject, const HostName& host, UnixSeconds now,
                   VerifiedDownload& verified) {
  if (!subject.download.keys.empty()) return CheckSignature(subject, now, verified);
  if (host.ascii() != kUnsignedHost) {
    return subject.Refuse("it lists no signing key, and clients install nothing unsigned");
  }
  verified.warnings.push_back(fmt::format("{}: it is not signed", subject.name));
  return {};
}

// ---- packages ----

bool HasScheme(std::string_view hash) {
  std::size_t colon = hash.find(':');
  return colon != hash.npos && colon > 0 && colon + 1 < hash.size();
}

bool IsPlatformKey(std::string_view key) {
  std::size_t underscore = key.find('_');
  return std::ranges::count(key, '_') == 1 && underscore > 0 && underscore + 1 < key.size() &&
         key.find(' ') == key.npos;
}

// Clients of today refuse all of a release whose "packages" do not fit the rest.
Status CheckPackages(const Subject& subject, const Platform& platform, VerifiedDownload& verified) {
  const auto& packages = subject.download.packages;
  if (packages.empty()) return {};
  auto refuse = [&](std::string_view words) {
    return subject.Refuse(fmt::format("\"packages\" {}", words));
  };
  for (const auto& [key, hashes] : packages) {
    if (!IsPlatformKey(key)) {
      return refuse(fmt::format("names \"{}\", which is not a platform", Printable(key, 40)));
    }
    if (!std::ranges::all_of(hashes.hashes, HasScheme)) {
      return refuse(fmt::format("has a hash without a scheme for {}", key));
    }
  }
  auto own = packages.find(platform.ToString());
  if (own == packages.end()) return refuse("leaves this platform out");
  if (own->second.package_size == 0) return refuse("states no size for this platform");
  const std::string expected = "zh:" + verified.digest.hex();
  std::size_t zips = 0;
  for (const std::string& hash : own->second.hashes) {
    if (!hash.starts_with("zh:")) continue;
    if (hash != expected) return refuse(fmt::format("says {}, not {}", Printable(hash), expected));
    ++zips;
  }
  if (zips == 0) return refuse("has no \"zh:\" hash for this platform");
  verified.size = own->second.package_size;
  return {};
}

// ---- network mirrors ----

// Every platform of which the mirror says the zip's digest, under the usual file names.
std::vector<VerifiedDownload::Package> MirroredPackages(const FetchedDownload& download,
                                                        const ProviderAddress& address,
                                                        const Version& version) {
  constexpr std::string_view kZip = "zh:";
  std::vector<VerifiedDownload::Package> packages;
  for (const auto& [key, reported] : download.packages) {
    auto platform = Platform::Parse(key);
    auto hash = std::ranges::find_if(
        reported.hashes, [&](const std::string& each) { return each.starts_with(kZip); });
    if (!platform || hash == reported.hashes.end()) continue;
    auto digest = ReadHexDigest(std::string_view(*hash).substr(kZip.size()));
    if (!digest) continue;
    packages.push_back({*platform, PackageFileName(address, version, *platform), *digest});
  }
  return packages;
}

// Clients take a package that has any one of the hashes they know.
Result<VerifiedDownload> VerifyMirrored(const Subject& subject, const ProviderAddress& address,
                                        const Version& version) {
  const FetchedDownload& download = subject.download;
  VerifiedDownload verified;
  verified.packages = MirroredPackages(download, address, version);
  verified.digest_known = !download.shasum.empty();
  for (const std::string& hash : download.hashes) {
    if (!HasScheme(hash)) {
      return subject.Refuse(fmt::format("the mirror's hash \"{}\" has no scheme", Printable(hash)));
    }
    if (hash.starts_with("h1:") && !verified.digest_known) verified.hashes.push_back(hash);
  }
  if (verified.digest_known) {
    auto digest = ReadHexDigest(download.shasum);
    if (!digest) return subject.Refuse("the mirror's \"zh:\" hash is not 64 hexadecimal digits");
    verified.digest = *digest;
  } else if (!download.hashes.empty() && verified.hashes.empty()) {
    return subject.Refuse("the mirror lists no hash that clients know (\"zh:\", \"h1:\")");
  } else if (download.hashes.empty() && !download.download_url.empty()) {
    verified.warnings.push_back(
        fmt::format("{}: the mirror lists no hash, so it cannot be verified", subject.name));
  }
  return verified;
}

}  // namespace

Result<VerifiedDownload> VerifyDownload(const FetchedDownload& download, const HostName& host,
                                        const ProviderAddress& address, const Version& version,
                                        const Platform& platform, UnixSeconds now) {
  Subject subject{download, fmt::format("{}/{} {} for {}", host.display(), address.ToString(),
                                        version.ToString(), platform.ToString())};
  RETURN_IF_ERROR(CheckDescription(subject, platform));
  if (download.from_mirror) return VerifyMirrored(subject, address, version);
  ForeignSums sums = ReadForeignSums(download.sums);
  VerifiedDownload verified;
  ASSIGN_OR_RETURN(verified.digest, CheckShasum(subject, sums));
  RETURN_IF_ERROR(CheckSigned(subject, host, now, verified));
  RETURN_IF_ERROR(CheckPackages(subject, platform, verified));
  verified.packages = PackagesOf(sums, address, version);
  verified.blank_lines = sums.blank_lines;
  if (sums.odd_lines) {
    verified.warnings.push_back(fmt::format(
        "{}: SHA256SUMS has a line that clients cannot read, so their lock files lose its digests",
        subject.name));
  }
  return verified;
}

Result<std::string> FindSigner(const FetchedDownload& download, UnixSeconds now) {
  VerifiedDownload verified;
  RETURN_IF_ERROR(CheckSignature({download, "the release"}, now, verified));
  return std::move(verified.signer);
}

}  // namespace koya::upstream
