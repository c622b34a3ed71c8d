// For tests: modules' versions as publishers would have them.
#pragma once

#include <string>
#include <string_view>

#include "catalog/catalog_suite_base.h"
#include "domain/archive_kind.h"
#include "domain/module_record.h"

namespace koya {

// A version as a publisher would add it; `content` stands for the uploaded bytes.
inline ModuleVersionRecord Record(std::string_view address, std::string_view version,
                                  std::string_view content = "content") {
  return {.address = Address(address),
          .version = V(version),
          .kind = ArchiveKind::kTarGz,
          .digest = Digest::Of(std::string("served ") + std::string(content)),
          .size = 4321,
          .upload_digest = Digest::Of(content),
          .description = "a test module",
          .published_at = 1'700'000'000,
          .published_by = "ci"};
}

}  // namespace koya
