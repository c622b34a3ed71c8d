// Finds since when a module's inputs have their current form, and since when its outputs exist, as
// far as the most recent versions show.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/task.h"
#include "service/common/module_reading.h"

namespace koya {
struct ModuleVersionRecord;
}  // namespace koya

namespace koya::service {

class ModuleMetadata;
class Reading;

struct InputHistory {
  std::map<std::string, std::string> added_in;          // version by input name
  std::map<std::string, std::string> default_since;     // version that set the default
  std::map<std::string, std::string> outputs_added_in;  // version by output name
};

// Number of earlier versions that are read.
inline constexpr std::size_t kMostVersionsBefore = 8;

// History of the first of `versions`, whose contents are `contents`; the earlier versions follow,
// newest first. Leaves out inputs and outputs that are older than the versions examined or never
// changed, and those for which an older version is uncertain because one of its files could not be
// read. A version that cannot be read at the moment ends the search. `reading` claims memory for
// one older version at a time. Fails: IsTurnedAway.
Task<InputHistory> FindInputHistory(ModuleMetadata& insides, Reading reading,
                                    SharedContents contents,
                                    std::vector<ModuleVersionRecord> versions);

}  // namespace koya::service
