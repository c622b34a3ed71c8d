// Reading what is inside a module's archive, and the form in which that is kept.
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

// Reads an archive that InspectModule or InspectForeignModule judged. Blocks, for as long as
// unpacking takes; what cannot be read is a warning in what is returned. Nothing of it is run.
// Fails: as InspectModule: the archive itself cannot be unpacked.
Result<SharedContents> ReadModuleArchive(int descriptor, std::uint64_t size,
                                         const ModuleInspection& inspection,
                                         const ArchiveLimits& limits, const Version& version);

// What is kept of it. Of contents that would be longer than kLongestContents only the warnings are,
// with one that says so.
ContentsRecord KeepContents(const inspect::ModuleContents& contents);

// Whether today's reader would find nothing else.
bool IsNewest(const ContentsRecord& record);

}  // namespace koya::service
