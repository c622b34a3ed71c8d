#include "cli/import/protocol_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <thread>

#include "base/encoding.h"
#include "base/text.h"
#include "domain/release_times.h"
#include "wire/foreign/foreign_versions.h"

namespace koya::cli {
namespace {

constexpr int kMostWaits = 6;
constexpr std::chrono::seconds kLongestWait{600};
constexpr std::uint64_t kMostListBytes = 64ULL << 20;

Failure NotVisible(const std::string& what, const Error& error) {
  return Fail(ErrorKind::kNotFound, fmt::format("not visible to this token: {}", what),
              error.message);
}

// A registry that hides something says 404, or that the token is not enough.
bool MayBeHidden(const Error& error) {
  return error.kind == ErrorKind::kNotFound || error.status == 401 || error.status == 403;
}

std::string LoginOf(const NetrcLogin& login) { return login.user + ":" + login.password; }

}  // namespace

Result<std::unique_ptr<ProtocolSource>> ProtocolSource::Create(ProtocolOptions options) {
  if (!options.wait) options.wait = [](auto pause) { std::this_thread::sleep_for(pause); };
  // The user named the host: it may be in the user's own network.
  options.http.allow_private_addresses = {"0.0.0.0/0", "::/0"};
  options.http.timeout = std::chrono::seconds(30);
  options.http.breaker_failures = 1000;  // every request is wanted, however many failed
  options.http.negative_ttl = std::chrono::seconds(0);
  if (options.netrc)
    options.http.archive_logins = {{options.host.ascii(), LoginOf(*options.netrc)}};
  std::unique_ptr<ProtocolSource> source(new ProtocolSource(std::move(options)));
  const ProtocolOptions& own = source->options_;
  source->credentials_ = std::make_unique<upstream::Credentials>(
      std::map<std::string, std::string>(), own.credentials, std::nullopt, source->clock_);
  ASSIGN_OR_RETURN(source->fetcher_, upstream::Fetcher::Create(own.http, source->clock_));
  upstream::Fetcher& fetcher = *source->fetcher_;
  source->services_ = std::make_unique<upstream::ServiceDirectory>(fetcher, source->Tokens());
  if (!own.services.empty()) source->services_->SetServices(own.host, own.services);
  source->providers_ =
      std::make_unique<upstream::RegistrySource>(fetcher, *source->services_, source->Tokens());
  source->modules_ =
      std::make_unique<upstream::RegistryModules>(fetcher, *source->services_, source->Tokens());
  return source;
}

upstream::TokenSource ProtocolSource::Tokens() {
  return [this](const HostName& host) {
    std::string token = credentials_->FindToken(host).value_or("");
    if (token.empty() && options_.netrc && host == options_.host) return options_.netrc->password;
    return token;
  };
}

template <class Fetch>
auto ProtocolSource::Patiently(const Fetch& fetch) -> decltype(fetch()) {
  for (int waits = 0;; ++waits) {
    auto result = fetch();
    const bool again = !result && result.error().kind == ErrorKind::kUnavailable &&
                       result.error().retry_after > 0 && waits < kMostWaits;
    if (!again) return result;
    options_.wait(std::min(std::chrono::seconds(result.error().retry_after), kLongestWait));
  }
}

Result<std::string> ProtocolSource::FindService(std::string_view id) {
  ASSIGN_OR_RETURN(const http::Url url, Patiently([&] {
                     return services_->FindService(options_.host, id, fetcher_->ForDocuments({}));
                   }));
  std::string text = url.ToString();
  while (text.ends_with('/')) text.pop_back();
  return text;
}

Result<std::string> ProtocolSource::GetDocument(const std::string& path, const std::string& what,
                                                bool basic) {
  ASSIGN_OR_RETURN(const http::Url root,
                   http::ParseUrl(fmt::format("https://{}/", options_.host.ascii())));
  upstream::DocumentRequest request{.what = what,
                                    .fields = {{"Accept", "application/json"}},
                                    .max_bytes = kMostListBytes,
                                    .same_host = true};
  ASSIGN_OR_RETURN(request.url, http::ResolveUrl(root, path));
  request.token = upstream::TokenFor(options_.host, request.url, Tokens());
  if (basic && options_.netrc) {
    request.token.clear();
    const std::string login = LoginOf(*options_.netrc);
    request.fields.emplace_back("Authorization",
                                "Basic " + Base64Encode(std::as_bytes(std::span(login))));
  }
  ASSIGN_OR_RETURN(upstream::Document document, Patiently([&] {
                     request.patience = fetcher_->ForDocuments({});
                     return fetcher_->Get(request);
                   }));
  const std::size_t begin = document.body.find_first_not_of(" \t\r\n");
  const bool html = begin != std::string::npos && document.body[begin] == '<';
  if (!html) return std::move(document.body);
  return upstream::BadDocument(
      what, document.url,
      "it is a page in HTML, not JSON: is this the address of the product, "
      "and may the token read it?");
}

Result<upstream::Document> ProtocolSource::GetFrom(std::string_view service,
                                                   const std::string& path,
                                                   const std::string& what) {
  ASSIGN_OR_RETURN(const std::string base, FindService(service));
  upstream::DocumentRequest request{
      .what = what, .fields = {{"X-Terraform-Version", std::string(upstream::kClientVersion)}}};
  ASSIGN_OR_RETURN(request.url, http::ParseUrl(base + "/" + path));
  request.token = upstream::TokenFor(options_.host, request.url, Tokens());
  return Patiently([&] {
    request.patience = fetcher_->ForDocuments({});
    return fetcher_->Get(request);
  });
}

Result<std::vector<wire::ListedVersion>> ProtocolSource::ListVersions(
    const wire::ListedPackage& package) {
  const std::string what = fmt::format("the list of versions of {}", package.address);
  Result<upstream::Document> document = GetFrom(package.is_module ? "modules.v1" : "providers.v1",
                                                AddressPath(package.address) + "/versions", what);
  if (!document && MayBeHidden(document.error())) return NotVisible(what, document.error());
  if (!document) return Failure(std::move(document).error());
  std::vector<wire::ListedVersion> versions;
  if (package.is_module) {
    auto read = wire::DecodeForeignModuleVersions(document->body);
    if (!read) return upstream::BadDocument(what, document->url, read.error().message);
    for (std::string& each : read->versions) {
      const auto time = read->discovered.find(each);
      versions.push_back({.version = std::move(each),
                          .published_at = time == read->discovered.end() ? "" : time->second});
    }
    return versions;
  }
  auto read = wire::DecodeForeignVersions(document->body);
  if (!read) return upstream::BadDocument(what, document->url, read.error().message);
  for (const wire::ProviderVersion& each : read->document.versions) {
    versions.push_back({.version = each.version, .published_at = each.discovered});
  }
  std::lock_guard lock(mutex_);
  known_providers_[package.address] = std::move(read->document);
  return versions;
}

std::optional<UnixSeconds> ProtocolSource::FindReleaseTime(const wire::ListedPackage& package,
                                                           const Version& version) {
  {
    std::lock_guard lock(mutex_);
    if (without_times_.contains(package.address)) return std::nullopt;
  }
  auto details = Patiently([&]() -> Result<wire::ForeignDetails> {
    if (package.is_module) {
      ASSIGN_OR_RETURN(const ModuleAddress address, ModuleAddress::Parse(package.address));
      return modules_->Details(options_.host, address, version, {});
    }
    ASSIGN_OR_RETURN(const ProviderAddress address, ProviderAddress::Parse(package.address));
    return providers_->Details(options_.host, address, version, {});
  });
  if (details) return ParseTimestamp(details->published_at);
  if (!MayBeHidden(details.error())) return std::nullopt;
  std::lock_guard lock(mutex_);
  without_times_.insert(package.address);
  return std::nullopt;
}

Result<FetchedArchive> ProtocolSource::FetchModule(const ModuleAddress& address,
                                                   const Version& version, int file,
                                                   const std::filesystem::path& scratch) {
  const Result<upstream::LocatedModule> located =
      Patiently([&] { return modules_->Locate(options_.host, address, version, {}); });
  if (!located && MayBeHidden(located.error())) {
    return NotVisible(address.ToString() + " " + version.ToString(), located.error());
  }
  if (!located) return Failure(located.error());
  const upstream::ModuleLimits limits;
  upstream::Deadline patience;
  patience.deadline = clock_.Now() + limits.time;
  ASSIGN_OR_RETURN(upstream::FetchedModule fetched, Patiently([&] {
                     return modules_->Fetch(*located, {file, scratch, limits, patience});
                   }));
  return FetchedArchive{fetched.size, std::move(fetched.folder)};
}

// Platforms to begin with: those that the list of versions states, else common ones.
Result<std::vector<Platform>> ProtocolSource::PlatformsOf(const ProviderAddress& address,
                                                          const Version& version) {
  const std::string name = address.ToString();
  const auto known = [&] {
    std::lock_guard lock(mutex_);
    return known_providers_.contains(name);
  }();
  if (!known) RETURN_IF_ERROR(ListVersions({.is_module = false, .address = name}));
  std::vector<Platform> platforms;
  {
    std::lock_guard lock(mutex_);
    for (const wire::ProviderVersion& each : known_providers_[name].versions) {
      if (each.version != version.ToString()) continue;
      for (const wire::PlatformName& platform : each.platforms) {
        Result<Platform> parsed = Platform::FromParts(platform.os, platform.arch);
        if (parsed) platforms.push_back(*std::move(parsed));
      }
    }
  }
  if (!platforms.empty()) return platforms;
  for (const char* each : {"linux_amd64", "darwin_arm64", "windows_amd64"}) {
    platforms.push_back(Platform::Parse(each).value());
  }
  return platforms;
}

Result<std::pair<upstream::FetchedDownload, upstream::VerifiedDownload>> ProtocolSource::Describe(
    const ProviderAddress& address, const Version& version, const Platform& platform) {
  ASSIGN_OR_RETURN(upstream::FetchedDownload download, Patiently([&] {
                     return providers_->Download(options_.host, address, version, platform, {});
                   }));
  ASSIGN_OR_RETURN(upstream::VerifiedDownload verified,
                   upstream::VerifyDownload(download, options_.host, address, version, platform,
                                            SystemClock().Now()));
  return std::pair(std::move(download), std::move(verified));
}

Result<SourceRelease> ProtocolSource::FetchRelease(const ProviderAddress& address,
                                                   const Version& version) {
  ASSIGN_OR_RETURN(const std::vector<Platform> platforms, PlatformsOf(address, version));
  auto described = Describe(address, version, platforms.front());
  for (auto next = platforms.begin() + 1; next != platforms.end(); ++next) {
    if (described || described.error().kind != ErrorKind::kNotFound) break;
    described = Describe(address, version, *next);
  }
  if (!described && MayBeHidden(described.error())) {
    return NotVisible(address.ToString() + " " + version.ToString(), described.error());
  }
  if (!described) return Failure(std::move(described).error());
  auto& [download, verified] = *described;
  if (verified.signer.empty()) {
    return FailBadUpstream("it is not signed: publish it with a signature of its author's");
  }
  if (verified.blank_lines) {
    return FailBadUpstream("its SHA256SUMS has blank lines, which crash clients");
  }
  SourceRelease release{.protocols = std::move(download.protocols),
                        .sums = download.sums,
                        .signature = download.signature};
  for (const wire::SigningKey& key : download.keys) {
    upstream::FetchedDownload with_key = download;
    with_key.keys = {key};
    if (upstream::FindSigner(with_key, SystemClock().Now())) release.key = key.ascii_armor;
  }
  for (upstream::VerifiedDownload::Package& each : verified.packages) {
    release.packages.push_back({std::move(each.platform), std::move(each.filename), each.digest});
  }
  return release;
}

Status ProtocolSource::FetchPackage(const ProviderAddress& address, const Version& version,
                                    const SourcePackage& package, ByteSink sink) {
  ASSIGN_OR_RETURN(const upstream::FetchedDownload download, Patiently([&] {
                     return providers_->Download(options_.host, address, version, package.platform,
                                                 {});
                   }));
  upstream::ArchiveTransfer transfer{
      .url = download.download_url, .what = package.filename, .sink = std::move(sink)};
  return providers_->FetchArchive(transfer);
}

std::string AddressPath(std::string_view address) {
  std::string path;
  while (true) {
    const std::size_t end = address.find('/');
    path += http::PercentEncode(address.substr(0, end));
    if (end == address.npos) return path;
    path += '/';
    address.remove_prefix(end + 1);
  }
}

std::optional<NetrcLogin> FindNetrcLogin(std::string_view text, std::string_view host) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (!word.empty()) words.push_back(std::exchange(word, {}));
    } else {
      word += c;
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  bool is_ours = false;
  NetrcLogin login;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "default" && is_ours) break;
    if (words[i] == "machine") {
      if (is_ours) break;
      is_ours = EqualsIgnoreCase(words[++i], host);
    } else if (words[i] == "login" && is_ours) {
      login.user = words[++i];
    } else if (words[i] == "password" && is_ours) {
      login.password = words[++i];
    }
  }
  if (login.password.empty()) return std::nullopt;
  return login;
}

}  // namespace koya::cli
