// Verifies the bytes of a package as they arrive: that they are an archive of the stated kind, and
// have the checksum in the location.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/result.h"
#include "upstream/package_location.h"

namespace koya::upstream {

// One thread at a time.
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

}  // namespace koya::upstream
