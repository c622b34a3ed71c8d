#include "upstream/modules/package_check.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <string_view>

#include "base/hex.h"

namespace koya::upstream {
namespace {

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

}  // namespace

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

}  // namespace koya::upstream
