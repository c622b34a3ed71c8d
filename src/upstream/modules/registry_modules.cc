#include "upstream/modules/registry_modules.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>

#include "base/encoding.h"
#include "base/file_io.h"
#include "base/result.h"
#include "base/text.h"
#include "domain/module_address.h"
#include "upstream/foreign_answers.h"
#include "upstream/module_source.h"
#include "wire/foreign/foreign_versions.h"

namespace koya::upstream {
namespace {

// Verifies the bytes of a package as they arrive: that they are an archive of the stated kind, and
// have the checksum in the location. One thread at a time.
class PackageCheck {
 public:
  explicit PackageCheck(const std::optional<PackageChecksum>& checksum);
  ~PackageCheck();
  PackageCheck(const PackageCheck&) = delete;
  PackageCheck& operator=(const PackageCheck&) = delete;

  void Add(std::span<const std::byte> bytes);

  // The format, by the first bytes. REQUIRES: all bytes were added. Fails: kBadUpstream if they are
  // no archive, another one than `format`, or have another checksum; the message continues "the
  // archive at …".
  Result<PackageFormat> Finish(PackageFormat format);

 private:
  struct Digest;
  std::optional<PackageChecksum> checksum_;
  std::unique_ptr<Digest> digest_;
  std::array<unsigned char, 6> magic_{};
  std::size_t magic_size_ = 0;
};

using Algorithm = PackageChecksum::Algorithm;

struct Magic {
  std::string_view bytes;
  PackageFormat format;
  std::string_view name;
};
constexpr Magic kMagics[] = {
    {std::string_view("PK\x03\x04", 4), PackageFormat::kZip, "a zip file"},
    {std::string_view("\x1F\x8B", 2), PackageFormat::kTarGz, "a .tar.gz file"},
    {std::string_view("BZh", 3), PackageFormat::kTarBz2, "a .tar.bz2 file"},
    {std::string_view("\xFD\x37zXZ\0", 6), PackageFormat::kTarXz, "a .tar.xz file"},
};

const EVP_MD* Method(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kMd5:
      return EVP_md5();
    case Algorithm::kSha1:
      return EVP_sha1();
    case Algorithm::kSha256:
      return EVP_sha256();
    case Algorithm::kSha512:
      return EVP_sha512();
  }
  return EVP_sha256();
}

Failure BadPackage(std::string words) { return Fail(ErrorKind::kBadUpstream, std::move(words)); }

struct PackageCheck::Digest {
  explicit Digest(Algorithm algorithm) : context(EVP_MD_CTX_new()) {
    good = EVP_DigestInit_ex(context, Method(algorithm), nullptr) == 1;
  }
  ~Digest() { EVP_MD_CTX_free(context); }
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  std::string Hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    if (good) EVP_DigestFinal_ex(context, bytes.data(), &size);
    return HexEncode(std::as_bytes(std::span(bytes).first(size)));
  }

  EVP_MD_CTX* context;
  bool good = false;  // an OpenSSL in FIPS mode has no MD5: nothing then equals
};

PackageCheck::PackageCheck(const std::optional<PackageChecksum>& checksum) : checksum_(checksum) {
  if (checksum_) digest_ = std::make_unique<Digest>(checksum_->algorithm);
}

PackageCheck::~PackageCheck() = default;

void PackageCheck::Add(std::span<const std::byte> bytes) {
  std::size_t more = std::min(bytes.size(), magic_.size() - magic_size_);
  std::ranges::transform(bytes.first(more), magic_.begin() + magic_size_,
                         [](std::byte byte) { return std::to_integer<unsigned char>(byte); });
  magic_size_ += more;
  if (digest_ && digest_->good) EVP_DigestUpdate(digest_->context, bytes.data(), bytes.size());
}

Result<PackageFormat> PackageCheck::Finish(PackageFormat format) {
  if (digest_) {
    std::string is = digest_->Hex();
    if (is != checksum_->hex) {
      return BadPackage(fmt::format(
          "has the checksum {}, but {} was announced: it is not the author's, or was changed", is,
          checksum_->hex));
    }
  }
  std::string_view begin(reinterpret_cast<const char*>(magic_.data()), magic_size_);
  const auto* magic = std::ranges::find_if(
      kMagics, [&](const Magic& each) { return begin.starts_with(each.bytes); });
  if (magic == std::end(kMagics)) {
    return BadPackage(
        "is not an archive: its first bytes are not those of a zip, .tar.gz, .tar.bz2 or .tar.xz "
        "file");
  }
  if (format != PackageFormat::kByContent && format != magic->format) {
    return BadPackage(
        fmt::format("is {}, although it was announced as something else", magic->name));
  }
  return magic->format;
}

constexpr std::uint64_t kMaxPage = 1 << 20;

std::string PathOf(const ModuleAddress& address) {
  return fmt::format("{}/{}/{}", http::PercentEncode(address.ns()),
                     http::PercentEncode(address.name()), http::PercentEncode(address.system()));
}

// What a download document says, by status and form (wire facts §2.3). The body goes before the
// field, as in OpenTofu: who writes both means the same, and only the body can say more. A "direct"
// one gives way to a field: that is for clients who do not know it.
Result<ModuleLocation> ReadLocation(const Document& document, const http::Url& asked) {
  const std::string kWhat = "the download document";
  auto from_field = [&] { return ParseModuleLocation(asked, document.terraform_get); };
  bool field = !document.terraform_get.empty();
  if (document.no_content) {
    if (field) return from_field();
    return BadDocument(kWhat, document.url, "it does not say where the module is");
  }
  auto body = wire::DecodeForeignModuleLocation(document.body);
  // Terraform never looks at the body.
  if (field && (!body || body->location.empty() || body->direct)) return from_field();
  if (!body) return BadDocument(kWhat, document.url, body.error().message, body.error().limit);
  if (body->location.empty()) {
    return BadDocument(kWhat, document.url, "it does not say where the module is");
  }
  return body->direct ? ParseDirectLocation(asked, body->location)
                      : ParseModuleLocation(asked, body->location);
}

}  // namespace

Result<Document> RegistryModules::FetchDocument(const HostName& host, const std::string& path,
                                                DocumentRequest& request) {
  ASSIGN_OR_RETURN(http::Url base, services_.FindService(host, "modules.v1", request.patience));
  // Clients put the slash there that the service's URL should end in.
  if (!base.path.ends_with('/')) base.path += '/';
  Result<http::Url> url = http::ResolveUrl(base, path);
  if (!url) return BadDocument(request.what, base, "it cannot have a URL there");
  request.url = *url;
  request.token = TokenFor(host, *url, tokens_);
  request.fields = {{"X-Terraform-Version", std::string(kClientVersion)}};
  return fetcher_.Get(request);
}

Result<FetchedModuleVersions> RegistryModules::Versions(const HostName& host,
                                                        const ModuleAddress& address,
                                                        const Validators& held,
                                                        const Deadline& patience) {
  DocumentRequest request{
      .what = fmt::format("the list of versions of the module {}", address.ToString()),
      .held = held,
      .patience = fetcher_.ForDocuments(patience)};
  ASSIGN_OR_RETURN(Document document, FetchDocument(host, PathOf(address) + "/versions", request));
  FetchedModuleVersions fetched{.unchanged = document.unchanged, .validators = document.validators};
  if (document.unchanged) return fetched;
  auto read = wire::DecodeForeignModuleVersions(document.body);
  if (!read)
    return BadDocument(request.what, document.url, read.error().message, read.error().limit);
  CanonicalVersions canonical = CanonicalVersionsOf(read->versions);
  fetched.versions = std::move(canonical.versions);
  fetched.skipped = read->skipped + canonical.skipped;
  for (const std::string& spelled : read->versions) {
    auto time = read->discovered.find(spelled);
    if (time == read->discovered.end()) continue;
    std::optional<Version> version = CanonicalVersion(spelled);
    if (version) fetched.discovered.try_emplace(version->ToString(), time->second);
  }
  return fetched;
}

Result<wire::ForeignDetails> RegistryModules::Details(const HostName& host,
                                                      const ModuleAddress& address,
                                                      const Version& version,
                                                      const Deadline& patience) {
  DocumentRequest request{.what = fmt::format("the details of the module {} {}", address.ToString(),
                                              version.ToString()),
                          .patience = fetcher_.ForDocuments(patience)};
  ASSIGN_OR_RETURN(Document document,
                   FetchDocument(host, PathOf(address) + "/" + version.ToString(), request));
  auto details = wire::DecodeForeignDetails(document.body);
  if (!details) {
    return BadDocument(request.what, document.url, details.error().message, details.error().limit);
  }
  return details;
}

Result<ModuleLocation> RegistryModules::ReadDownload(const HostName& host,
                                                     const ModuleAddress& address,
                                                     const Version& version,
                                                     const Deadline& patience) {
  DocumentRequest request{.what = fmt::format("the download document of the module {} {}",
                                              address.ToString(), version.ToString()),
                          .patience = patience,
                          .or_no_content = true};
  // The version's "+" stands as it is, as clients write it.
  const std::string path = fmt::format("{}/{}/download", PathOf(address), version.ToString());
  ASSIGN_OR_RETURN(Document document, FetchDocument(host, path, request));
  // Relative locations are relative to the requested URL, not to the target of redirects.
  return ReadLocation(document, request.url);
}

// Clients go on from page to page; one is what registries have use for.
Result<ModuleLocation> RegistryModules::ReadPage(const PageLocation& page,
                                                 const Deadline& patience) {
  const std::string kWhat = "the page that says where the module is";
  ASSIGN_OR_RETURN(
      Document document,
      fetcher_.Get({.url = page.url, .what = kWhat, .max_bytes = kMaxPage, .patience = patience}));
  std::string location = document.terraform_get;
  if (location.empty()) location = FindTerraformGet(document.body);
  if (location.empty()) {
    return BadDocument(kWhat, document.url,
                       "its name is not that of an archive, and it does not say where one is "
                       "(X-Terraform-Get, or a meta tag \"terraform-get\")");
  }
  ASSIGN_OR_RETURN(ModuleLocation next, ParseModuleLocation(document.url, location));
  if (std::holds_alternative<PageLocation>(next)) {
    return BadDocument(kWhat, document.url, "it leads to another page");
  }
  std::visit([&](auto& each) { each.folder = JoinFolders(each.folder, page.folder); }, next);
  return next;
}

Result<FetchedModule> RegistryModules::FetchArchive(const PackedLocation& location,
                                                    const ModuleDelivery& delivery) {
  const std::string place = PlaceOf(location.url);
  RETURN_IF_ERROR(fetcher_.CheckUrl("the module's archive", location.url));
  FetchedModule module{.folder = location.folder, .source = place};
  PackageCheck check(location.checksum);
  ArchiveTransfer transfer{.url = location.url.ToString(),
                           .max_bytes = delivery.bounds.package_bytes,
                           .max_bytes_name = kModuleBytesLimit,
                           .on_start = delivery.on_start,
                           .patience = delivery.patience,
                           .time_name = kModuleTimeLimit};
  transfer.sink = [&](std::span<const std::byte> bytes) -> Status {
    if (delivery.on_bytes) RETURN_IF_ERROR(delivery.on_bytes(bytes.size()));
    check.Add(bytes);
    int failed = WriteAll(delivery.file, bytes, module.size);
    if (failed != 0) return Failure(ErrnoError("write a module's archive", failed));
    module.size += bytes.size();
    return {};
  };
  RETURN_IF_ERROR(fetcher_.FetchArchive(transfer));
  auto format = check.Finish(location.format);
  if (!format) {
    return FailBadUpstream("the archive at {} {}", place, format.error().message);
  }
  if (*format == PackageFormat::kZip || *format == PackageFormat::kTarGz) return module;
  return FailBadUpstream(
      "the archive at {} is packed with bzip2 or xz, which this server does "
      "not unpack: use zip or .tar.gz",
      place);
}

Result<FetchedModule> RegistryModules::FetchGit(const GitLocation& location,
                                                const ModuleDelivery& delivery) {
  ASSIGN_OR_RETURN(GitPackage package, git_.Fetch({.location = location,
                                                   .file = delivery.file,
                                                   .scratch = delivery.scratch,
                                                   .max_bytes = delivery.bounds.package_bytes,
                                                   .patience = delivery.patience}));
  std::string at = location.ref.empty() ? std::string() : " at " + location.ref;
  return FetchedModule{.size = package.size,
                       .folder = location.folder,
                       .source = "git repository " + PlaceOf(location.url) + at,
                       .warnings = std::move(package.warnings)};
}

Result<LocatedModule> RegistryModules::Locate(const HostName& host, const ModuleAddress& address,
                                              const Version& version, const Deadline& caller) {
  Deadline patience = fetcher_.ForDocuments(caller);
  ASSIGN_OR_RETURN(ModuleLocation location, ReadDownload(host, address, version, patience));
  if (const auto* page = std::get_if<PageLocation>(&location)) {
    ASSIGN_OR_RETURN(location, NotFoundAsBadGateway(ReadPage(PageLocation(*page), patience)));
  }
  std::string authority =
      std::visit([](const auto& each) { return each.url.Authority(); }, location);
  return LocatedModule{std::move(authority), std::move(location)};
}

Result<FetchedModule> RegistryModules::Fetch(const LocatedModule& located,
                                             const ModuleDelivery& delivery) {
  ModuleDelivery hurried = delivery;
  hurried.patience.deadline =
      std::min(delivery.patience.deadline, fetcher_.clock().Now() + delivery.bounds.time);
  if (const auto* git = std::get_if<GitLocation>(&located.location)) {
    return NotFoundAsBadGateway(FetchGit(*git, hurried));
  }
  return NotFoundAsBadGateway(FetchArchive(std::get<PackedLocation>(located.location), hurried));
}

namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// One number off the front of `text`, without leading zeros; "" when none is there.
std::string TakeNumber(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && IsDigit(text[end])) ++end;
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return std::string(digits);
}

}  // namespace

std::optional<Version> CanonicalVersion(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::string canonical;
  for (int numbers = 0; numbers < 3; ++numbers) {
    bool ended = numbers > 0 && !text.starts_with('.');
    if (numbers > 0 && !ended) text.remove_prefix(1);
    std::string number = ended ? "0" : TakeNumber(text);
    if (number.empty()) return std::nullopt;
    canonical += (numbers > 0 ? "." : "") + number;
  }
  bool bare_prerelease = !text.empty() && text.front() != '-' && text.front() != '+';
  // A fourth number begins with a dot, which no prerelease does.
  if (bare_prerelease) canonical += '-';
  auto version = Version::Parse(canonical.append(text));
  return version ? std::optional(*std::move(version)) : std::nullopt;
}

CanonicalVersions CanonicalVersionsOf(const std::vector<std::string>& list) {
  CanonicalVersions out;
  std::unordered_set<std::string> seen;
  for (const std::string& each : list) {
    auto version = CanonicalVersion(each);
    if (!version) {
      ++out.skipped;
    } else if (seen.insert(version->ToString()).second) {
      out.versions.push_back(*std::move(version));
    }
  }
  return out;
}

}  // namespace koya::upstream
