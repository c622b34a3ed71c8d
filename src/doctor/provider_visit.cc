#include "doctor/provider_visit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "base/sha256.h"
#include "domain/version.h"
#include "upstream/fetcher.h"
#include "upstream/registry_source.h"
#include "upstream/service_directory.h"
#include "upstream/verification.h"

namespace koya::doctor {
namespace {

constexpr std::string_view kProviderStep = "provider";
constexpr std::chrono::milliseconds kTimeout{11'000};  // the most patient client's

Finding Good(std::string message) { return Ok(std::string(kProviderStep), std::move(message)); }
Finding Bad(const Error& error, std::string fix) {
  return Failed(std::string(kProviderStep), error.message, std::move(fix));
}
Finding Odd(std::string message, std::string fix) {
  return Warning(std::string(kProviderStep), std::move(message), std::move(fix));
}

// What clients take without being asked for it; else the newest of all.
std::optional<Version> Newest(const wire::ProviderVersions& document) {
  std::optional<Version> newest;
  for (const wire::ProviderVersion& each : document.versions) {
    Result<Version> version = Version::Parse(each.version);
    if (!version) continue;
    bool better = !newest || (newest->is_prerelease() && !version->is_prerelease()) ||
                  (newest->is_prerelease() == version->is_prerelease() && *version > *newest);
    if (better) newest = *std::move(version);
  }
  return newest;
}

std::string FixFor(const Error& error, std::string_view missing) {
  switch (error.kind) {
    case ErrorKind::kNotFound:
      return std::string(missing);
    case ErrorKind::kUpstreamTimeout:
      return "make the registry respond sooner: clients wait for 10 seconds";
    case ErrorKind::kUnavailable:
      return "try again later; a registry that limits requests should send Retry-After";
    default:
      return "fix the registry's response; if it requires a token, use --token";
  }
}

// No token goes to where packages lie, so none would help.
std::string RepairPackage(const Error& error) {
  constexpr std::string_view kServe =
      "serve the package at the URL in the document, without authentication: clients send no token";
  return error.kind == ErrorKind::kBadUpstream ? std::string(kServe) : FixFor(error, kServe);
}

class Walk {
 public:
  Walk(const ProviderVisit& visit, const std::function<void(Finding)>& tell,
       upstream::Fetcher& fetcher)
      : visit_(visit),
        tell_(tell),
        fetcher_(fetcher),
        services_(fetcher, Token()),
        source_(fetcher, services_, Token()) {}

  void Run() {
    std::optional<Version> version = CheckVersions();
    if (!version) return;
    Result<upstream::FetchedDownload> download =
        source_.Download(visit_.host, visit_.address, *version, visit_.platform, {});
    if (!download) {
      tell_(Bad(download.error(),
                FixFor(download.error(), fmt::format("release it for {}, or name another with "
                                                     "--platform",
                                                     visit_.platform.ToString()))));
      return;
    }
    tell_(Good(fmt::format("the download document of {} for {} names {}", version->ToString(),
                           visit_.platform.ToString(), download->filename)));
    std::optional<Digest> digest = CheckSigned(*download, *version);
    if (digest) CheckPackage(*download, *digest);
  }

 private:
  upstream::TokenSource Token() const {
    return [token = visit_.token](const HostName&) { return token; };
  }

  std::optional<Version> CheckVersions() {
    Result<upstream::FetchedVersions> fetched =
        source_.Versions(visit_.host, visit_.address, {}, {});
    if (!fetched) {
      tell_(Bad(fetched.error(), FixFor(fetched.error(), "check the spelling of the address")));
      return std::nullopt;
    }
    if (fetched->skipped > 0) {
      tell_(Odd(fmt::format("{} entries of the list are not versions that clients accept",
                            fetched->skipped),
                "remove them: older clients reject the whole list for one of them"));
    }
    std::optional<Version> newest = Newest(fetched->document);
    if (!newest) {
      tell_(Failed(std::string(kProviderStep), "the list has no version that clients accept",
                   "release one: MAJOR.MINOR.PATCH"));
      return std::nullopt;
    }
    tell_(Good(fmt::format("{} has {} versions, the newest is {}", visit_.address.ToString(),
                           fetched->document.versions.size(), newest->ToString())));
    return newest;
  }

  // SHA256SUMS and its signature.
  std::optional<Digest> CheckSigned(const upstream::FetchedDownload& download,
                                    const Version& version) {
    Result<upstream::VerifiedDownload> verified =
        upstream::VerifyDownload(download, visit_.host, visit_.address, version, visit_.platform,
                                 fetcher_.clock().WallNow());
    if (!verified) {
      tell_(Bad(verified.error(),
                "release it again, with SHA256SUMS over the packages as they are served, and a "
                "signature of it by a key that the document names"));
      return std::nullopt;
    }
    if (verified->blank_lines) {
      tell_(Failed(std::string(kProviderStep), "SHA256SUMS has a blank line: clients crash on it",
                   "write one line per file, and nothing else"));
    }
    tell_(Good(fmt::format("SHA256SUMS names {} packages, this one with the hash of the document",
                           verified->packages.size())));
    for (const std::string& warning : verified->warnings) {
      tell_(Odd(warning, "current clients accept it; sign the next release with a current key"));
    }
    if (!download.signature.empty()) {
      tell_(
          Good(fmt::format("the signature of SHA256SUMS is by one of the {} keys that the "
                           "document names",
                           download.keys.size())));
    }
    return verified->digest;
  }

  void CheckPackage(const upstream::FetchedDownload& download, const Digest& digest) {
    Sha256Hasher hasher;
    std::uint64_t size = 0;
    upstream::ArchiveTransfer transfer{.url = download.download_url};
    transfer.sink = [&](std::span<const std::byte> bytes) -> Status {
      hasher.Update(bytes);
      size += bytes.size();
      return {};
    };
    Status fetched = source_.FetchArchive(transfer);
    if (!fetched) {
      tell_(Bad(fetched.error(), RepairPackage(fetched.error())));
      return;
    }
    Digest served(hasher.Finish());
    if (served != digest) {
      tell_(Failed(std::string(kProviderStep),
                   fmt::format("the package has {} bytes with the hash {}, which is not that of "
                               "SHA256SUMS: {}",
                               size, served.hex(), digest.hex()),
                   "serve the released bytes; a version never changes"));
      return;
    }
    tell_(Good(fmt::format("the package has {} bytes, and its hash is that of SHA256SUMS", size)));
  }

  const ProviderVisit& visit_;
  const std::function<void(Finding)>& tell_;
  upstream::Fetcher& fetcher_;
  upstream::ServiceDirectory services_;
  upstream::RegistrySource source_;
};

}  // namespace

void FollowProvider(const ProviderVisit& visit, const std::function<void(Finding)>& tell) {
  upstream::UpstreamOptions options{.ca_file = visit.ca_file,
                                    .timeout = kTimeout,
                                    .allow_private_addresses = {"0.0.0.0/0", "::/0"}};
  if (!visit.user_agent.empty()) options.user_agent = visit.user_agent;
  SystemExchangeClock clock;
  Result<std::unique_ptr<upstream::Fetcher>> fetcher =
      upstream::Fetcher::Create(std::move(options), clock);
  if (!fetcher) {
    tell(Bad(fetcher.error(), "fix SSL_CERT_FILE"));
    return;
  }
  Walk(visit, tell, **fetcher).Run();
}

}  // namespace koya::doctor
