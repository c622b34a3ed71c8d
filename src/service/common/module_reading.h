// Reads the contents of a module's archive, and converts them to their stored form.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace koya {
struct ArchiveLimits;
struct ContentsRecord;
struct ModuleInspection;
class Version;
}  // namespace koya
namespace koya::inspect {
struct ModuleContents;
}

namespace koya::service {

using SharedContents = std::shared_ptr<const inspect::ModuleContents>;

// Reads an archive that InspectModule or InspectForeignModule accepted. Blocks as long as unpacking
// takes; unreadable files become warnings in the result. Executes nothing. Fails: as InspectModule:
// the archive itself cannot be unpacked.
Result<SharedContents> ReadModuleArchive(int descriptor, std::uint64_t size,
                                         const ModuleInspection& inspection,
                                         const ArchiveLimits& limits, const Version& version);

// The stored form. For contents longer than kLongestContents it has only the warnings, and one that
// says so.
ContentsRecord KeepContents(const inspect::ModuleContents& contents);

// True if the record's reader is not older than the current one, which would find nothing else.
bool IsNewest(const ContentsRecord& record);

}  // namespace koya::service
