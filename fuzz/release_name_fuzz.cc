// The names of providers and their releases, one a line: address, version, platform, protocols
// ("5.0,6.0"), and the end of a file's name. Accepted ones are canonical; a rejection has a reason.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "domain/platform.h"
#include "domain/protocol_version.h"
#include "domain/provider_address.h"
#include "domain/release_file.h"
#include "domain/version.h"

namespace koya {
namespace {

void Must(bool holds) {
  if (!holds) std::abort();
}

void MustSayWhy(const Error& error) {
  Must(error.kind == ErrorKind::kInvalid);
  Must(!error.message.empty() && error.message.size() < 3000 && IsUtf8(error.message));
}

std::string_view TakeUntil(std::string_view& text, char end) {
  std::size_t cut = text.find(end);
  std::string_view part = text.substr(0, cut);
  text = cut == std::string_view::npos ? std::string_view() : text.substr(cut + 1);
  return part;
}

void CheckPart(std::string_view part, Result<std::string> again) {
  Must(!part.empty() && part.size() <= 59UL * 4 && IsUtf8(part));
  Must(part == AsciiLower(part));
  Must(part.find_first_of("./ \\") == std::string_view::npos);
  constexpr std::string_view kInsideOnly = "-_";
  Must(!part.contains("--") && !kInsideOnly.contains(part.front()) &&
       !kInsideOnly.contains(part.back()));
  Must(again && *again == part);
}

Result<ProviderAddress> CheckAddress(std::string_view text) {
  auto address = ProviderAddress::Parse(text);
  if (!address) {
    MustSayWhy(address.error());
    return address;
  }
  CheckPart(address->ns(), NormalizeProviderNamespace(address->ns()));
  CheckPart(address->type(), NormalizeProviderType(address->type()));
  Must(!address->type().contains('_'));
  auto again = ProviderAddress::Parse(address->ToString());
  Must(again && *again == *address);
  Must(IsUtf8(ReservedReason(*address)));
  return address;
}

void CheckPlatform(std::string_view text) {
  auto platform = Platform::Parse(text);
  if (!platform) return MustSayWhy(platform.error());
  Must(platform->ToString() == text);
}

void CheckProtocols(std::string_view text) {
  std::vector<std::string> list;
  while (!text.empty()) list.emplace_back(TakeUntil(text, ','));
  bool all_valid = true;
  for (const std::string& one : list) all_valid = all_valid && CheckProtocolVersion(one);
  auto normal = NormalizeProtocols(list);
  if (!normal) {
    Must(!all_valid || list.empty() || list.size() > 32);
    return MustSayWhy(normal.error());
  }
  Must(all_valid && !normal->empty() && normal->size() <= list.size());
  auto again = NormalizeProtocols(*normal);
  Must(again && *again == *normal);
}

void CheckFile(std::string_view name, const ProviderAddress& address, const Version& version) {
  auto file = ParseReleaseFile(name, address, version);
  if (!file) return MustSayWhy(file.error());
  Must(CheckReleaseFileName(name).has_value());
  Must(VersionInReleaseFile(name, address.type()) == version.ToString());
  Must(file->platform.has_value() == (file->kind == ReleaseFile::Kind::kPackage));
  switch (file->kind) {
    case ReleaseFile::Kind::kPackage:
      return Must(name == PackageFileName(address, version, *file->platform));
    case ReleaseFile::Kind::kSums:
      return Must(name == SumsFileName(address, version));
    case ReleaseFile::Kind::kManifest:
      return Must(name == ManifestFileName(address, version));
    case ReleaseFile::Kind::kSignature:
      return Must(name.size() == SignatureFileName(address, version).size() &&
                  name.starts_with(SumsFileName(address, version)));
    case ReleaseFile::Kind::kDocs:
      return Must(name == DocsFileName(address, version));
    case ReleaseFile::Kind::kSchema:
      return Must(name.ends_with("_schema.json") || name.ends_with("_schema.json.gz"));
  }
}

}  // namespace
}  // namespace koya

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace koya;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto address = CheckAddress(TakeUntil(text, '\n'));
  const auto version = Version::Parse(TakeUntil(text, '\n'));
  CheckPlatform(TakeUntil(text, '\n'));
  CheckProtocols(TakeUntil(text, '\n'));
  if (!address || !version) return 0;
  CheckFile(text, *address, *version);
  const std::string sums = SumsFileName(*address, *version);
  CheckFile(sums.substr(0, sums.size() - 10) + std::string(text), *address, *version);
  return 0;
}
