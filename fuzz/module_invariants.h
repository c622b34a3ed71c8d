// Invariants of every accepted module archive, whatever its bytes.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "archive/module_package.h"
#include "base/file.h"

namespace koya::fuzz {

inline constexpr ArchiveLimits kLimits{.unpacked_bytes = 4 << 20, .ratio = 200, .entries = 200};

inline UniqueFd FileOf(std::string_view bytes) {
  UniqueFd fd(::memfd_create("module", MFD_CLOEXEC));
  if (::write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    std::abort();
  }
  return fd;
}

inline void Must(bool holds) {
  if (!holds) std::abort();
}

// The same for third-party archives, where links are followed: the repack can be published.
inline void CheckForeignModule(std::string_view bytes, std::string_view folder) {
  UniqueFd file = FileOf(bytes);
  std::string out;
  ByteSink sink = [&](std::span<const std::byte> part) -> Status {
    out.append(reinterpret_cast<const char*>(part.data()), part.size());
    return {};
  };
  auto repack = RepackForeignModule(file.get(), bytes.size(), folder, kLimits, sink);
  if (!repack) {
    Must(repack.error().kind == ErrorKind::kRefused && !repack.error().message.empty());
    return;
  }
  // Repacking gives the same bytes again: the repack has no links, and its root is the module.
  UniqueFd packed = FileOf(out);
  std::string again;
  ByteSink second = [&](std::span<const std::byte> part) -> Status {
    again.append(reinterpret_cast<const char*>(part.data()), part.size());
    return {};
  };
  ArchiveLimits loose = kLimits;
  loose.ratio = 100'000;
  auto repeated = RepackForeignModule(packed.get(), out.size(), "", loose, second);
  Must(repeated && repeated->files == repack->files && repeated->left_out.empty());
  Must(again == out);
}

// A refusal has a reason; an accepted archive can be repacked, and its repack is accepted, holds
// the same amount and is its own repack.
inline void CheckModule(std::string_view bytes) {
  UniqueFd file = FileOf(bytes);
  Result<ModuleInspection> inspection = InspectModule(file.get(), bytes.size(), kLimits);
  if (!inspection) {
    Must(inspection.error().kind == ErrorKind::kRefused && !inspection.error().message.empty());
    return;
  }
  auto repack = [](const UniqueFd& source, std::size_t size, const ModuleInspection& what) {
    std::string out;
    ByteSink sink = [&](std::span<const std::byte> part) -> Status {
      out.append(reinterpret_cast<const char*>(part.data()), part.size());
      return {};
    };
    Must(RepackModule(source.get(), size, what, kLimits, sink).has_value());
    return out;
  };
  std::string first = repack(file, bytes.size(), *inspection);
  UniqueFd packed = FileOf(first);
  // Beyond the ratio: files that packed badly before may pack well now.
  ArchiveLimits loose = kLimits;
  loose.ratio = 100'000;
  Result<ModuleInspection> again = InspectModule(packed.get(), first.size(), loose);
  Must(again && again->kind == ArchiveKind::kTarGz && again->top_folder.empty());
  Must(again->unpacked_bytes <= inspection->unpacked_bytes);
  Must(again->entries <= inspection->entries);
  Must(repack(packed, first.size(), *again) == first);
}

}  // namespace koya::fuzz
