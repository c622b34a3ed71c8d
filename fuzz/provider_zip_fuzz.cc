// Provider packages: one accepted without a problem has a program and one hash, and libzip reads
// the same names and contents in it.
#include <sys/mman.h>
#include <unistd.h>
#include <zip.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "archive/provider_package.h"
#include "base/file.h"
#include "base/text.h"

namespace koya {
namespace {

constexpr ArchiveLimits kLimits{.unpacked_bytes = 4 << 20, .ratio = 200, .entries = 200};

void Must(bool holds) {
  if (!holds) std::abort();
}

UniqueFd FileOf(std::string_view bytes) {
  UniqueFd fd(::memfd_create("package", MFD_CLOEXEC));
  Must(::write(fd.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  return fd;
}

// The hash over the entries by another reader; nothing when it refuses the zip.
std::optional<std::string> HashByLibzip(std::string_view bytes) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  std::unique_ptr<zip_t, decltype(&zip_discard)> reader(
      zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error), zip_discard);
  if (!reader) {
    zip_source_free(source);
    return std::nullopt;
  }
  DirHash hash;
  auto entries = static_cast<zip_uint64_t>(zip_get_num_entries(reader.get(), 0));
  for (zip_uint64_t i = 0; i < entries; ++i) {
    std::unique_ptr<zip_file_t, decltype(&zip_fclose)> file(zip_fopen_index(reader.get(), i, 0),
                                                            zip_fclose);
    if (!file) return std::nullopt;
    Sha256Hasher hasher;
    std::array<char, 4096> buffer{};
    zip_int64_t got = 0;
    while ((got = zip_fread(file.get(), buffer.data(), buffer.size())) > 0) {
      hasher.Update(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    }
    if (got < 0) return std::nullopt;
    hash.Add(zip_get_name(reader.get(), i, ZIP_FL_ENC_RAW), hasher.Finish());
  }
  return hash.Finish();
}

void CheckPackage(std::string_view bytes) {
  UniqueFd file = FileOf(bytes);
  auto inspection = InspectProviderPackage(file.get(), bytes.size(), "demo", kLimits);
  if (!inspection) {
    const Error& error = inspection.error();
    Must(error.kind == ErrorKind::kRefused && !error.message.empty() && IsUtf8(error.message));
    return;
  }
  Must(inspection->entries >= 1 && inspection->entries <= kLimits.entries);
  Must(inspection->unpacked_bytes <= kLimits.unpacked_bytes);
  Must(inspection->h1.size() == 1 || inspection->h1.size() == 2);
  for (const std::string& h1 : inspection->h1) Must(h1.starts_with("h1:") && h1.size() == 47);
  Must(inspection->h1.front() != inspection->h1.back() || inspection->h1.size() == 1);
  Must(inspection->problems.size() < 32);
  for (const std::string& problem : inspection->problems) Must(IsUtf8(problem) && !problem.empty());
  // Problems explain why a package has two hashes, and why it has no program.
  if (inspection->problems.empty()) {
    Must(inspection->h1.size() == 1);
    Must(inspection->binary.starts_with("terraform-provider-demo"));
    auto other = HashByLibzip(bytes);
    if (other) Must(*other == inspection->h1.front());
  }
}

}  // namespace
}  // namespace koya

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  koya::CheckPackage(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
