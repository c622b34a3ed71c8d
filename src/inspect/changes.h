// What changed between two versions of a module, for those who use it, and whether the second
// one's number says so. Only declarations are read: what a module does may change without a word
// here. Pure, about linear in what the two hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/version.h"
#include "inspect/contents.h"

namespace koya::inspect {

enum class ChangeKind : std::uint8_t {
  kSafe,        // nobody has to look: a patch
  kCompatible,  // something more: a minor version
  kReadThis,    // a minor version at least, and whoever updates should look
  kBreaking,    // who uses it has to change something: a major version
};
enum class ChangeSection : std::uint8_t {
  kInputs,
  kOutputs,
  kResources,
  kSubmodules,
  kInternal,  // all of submodules that are not for callers; safe
  kFiles,
  // Of providers, judged by the same rules.
  kPlatforms,
  kProtocols,
  kKeys,
  kSchema,
  kDocs,
};
enum class ChangeSign : std::uint8_t { kAdded, kChanged, kRemoved, kMoved };

struct Change {
  ChangeSection section = ChangeSection::kInputs;
  ChangeSign sign = ChangeSign::kChanged;
  ChangeKind kind = ChangeKind::kSafe;
  std::string what;      // "input \"cidr\"", in a submodule "modules/vpc: input \"cidr\""
  Place place;           // in the second version; of what is gone, in the first
  std::string sentence;  // for people
  // A file that could not be read: what it declares may have changed, or not. To be read, but no
  // reason for another number.
  bool unknown = false;
  friend bool operator==(const Change&, const Change&) = default;
};

// By section, then by what weighs most. What only one of them has is not told where a file of the
// other's could not be read and may declare it (declaration_scan.h): it may be there.
std::vector<Change> FindChanges(const ModuleContents& from, const ModuleContents& to);

enum class Step : std::uint8_t { kPatch, kMinor, kMajor };
enum class Agreement : std::uint8_t {
  kAgrees,
  kShouldBeMinor,
  kShouldBeMajor,
  kNotJudged,  // the second version is not above the first
};

struct Verdict {
  std::vector<Change> changes;
  Step needed = Step::kPatch;  // by the changes
  // Between the two numbers, as they stand. Below 1.0.0 a minor step is as good as a major one, and
  // a patch as a minor step; between prereleases, and up to the release, anything may change.
  Step given = Step::kPatch;
  Agreement agreement = Agreement::kAgrees;
  std::string wanted;    // the least number that would agree; "" when the number given does
  std::string sentence;  // for people
};

Verdict Judge(std::vector<Change> changes, const Version& from, const Version& to);
inline Verdict Compare(const ModuleContents& from, const Version& from_version,
                       const ModuleContents& to, const Version& to_version) {
  return Judge(FindChanges(from, to), from_version, to_version);
}

// Stable names: "breaking", "inputs", "added", "major", "should-be-major".
std::string_view Name(ChangeKind kind);
std::string_view Name(ChangeSection section);
std::string_view Name(ChangeSign sign);
std::string_view Name(Step step);
std::string_view Name(Agreement agreement);

}  // namespace koya::inspect
