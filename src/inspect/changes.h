// Finds the changes between two versions of a module that matter to its users, and checks that the
// second version's number reflects them. Only declarations are compared: the behaviour of a module
// may change without any change here. Pure, about linear in the size of both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/version.h"
#include "inspect/contents.h"

namespace koya::inspect {

enum class ChangeKind : std::uint8_t {
  kSafe,        // needs no attention: a patch
  kCompatible,  // an addition: a minor version
  kReadThis,    // a minor version at least; worth reading before an update
  kBreaking,    // users have to change something: a major version
};
enum class ChangeSection : std::uint8_t {
  kInputs,
  kOutputs,
  kResources,
  kSubmodules,
  kInternal,  // everything in submodules that are not for callers; safe
  kFiles,
  // For providers, by the same rules.
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
  Place place;           // in the second version; for removed things, in the first
  Place before = {};     // of changed inputs, outputs and requirements: in the first version
  std::string sentence;  // for display
  // A file that could not be read, so its declarations may have changed or not. Worth reading, but
  // no reason for another number.
  bool unknown = false;
  // The parts of `what`, for other languages.
  std::string folder = {};  // of a submodule: "modules/vpc"
  std::string item = {};    // "input", "output", "provider", "file", "files", "licence"; else ""
  std::string name = {};    // "cidr"; of files, how many; without an item, all but the folder
  // The parts of `sentence`: its code, "type_wider", and what stands in it. "": English only.
  std::string code = {};
  std::vector<std::string> arguments = {};
  friend bool operator==(const Change&, const Change&) = default;
};

// Sorted by section, then most important first. A thing that only one version has is left out if
// the other version has a file that could not be read and may declare it (DeclarationScan).
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
  Step needed = Step::kPatch;  // required by the changes
  // The step between the two numbers. Below 1.0.0 a minor step counts as a major one, and a patch
  // as a minor step; between prereleases, and up to the release, anything may change.
  Step given = Step::kPatch;
  Agreement agreement = Agreement::kAgrees;
  std::string wanted;    // the least number that would agree; "" if the given one does
  std::string sentence;  // for display
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
