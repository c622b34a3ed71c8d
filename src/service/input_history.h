// Since when a module's inputs are as they are, and its outputs there, as far as the last versions
// tell.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/task.h"
#include "service/module_reading.h"

namespace koya {
struct ModuleVersionRecord;
}  // namespace koya

namespace koya::service {

class ModuleInsides;
class Reading;

struct InputHistory {
  std::map<std::string, std::string> added_in;          // the version, by the input's name
  std::map<std::string, std::string> default_since;     // in which its default became what it is
  std::map<std::string, std::string> outputs_added_in;  // the version, by the output's name
};

// How many versions before are read.
inline constexpr std::size_t kMostVersionsBefore = 8;

// Of the version `versions` begins with, which `contents` are of; after it those before it, newest
// first. What was there before all that was looked at, or never changed, is left out; so is what an
// older version does not tell for certain, since a file of it could not be read. What cannot be
// read just now ends the search. `reading` claims an older version at a time. Fails: IsTurnedAway.
Task<InputHistory> FindInputHistory(ModuleInsides& insides, Reading reading,
                                    SharedContents contents,
                                    std::vector<ModuleVersionRecord> versions);

}  // namespace koya::service
