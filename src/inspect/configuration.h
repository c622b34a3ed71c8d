// Reads the configuration of one folder: parses, selects and merges its files as clients do. One
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hcl/hcl.h"
#include "inspect/contents.h"

namespace koya::inspect {

// Finds possible declarations in a file that could not be parsed, however broken the rest is. It
// finds too many rather than too few. Pure; time is linear in the text's length, memory bounded by
// kMost.
//
// Names of declarations:
//   "variable cidr", "output id", "module.subnets", "aws_vpc.main", "data.aws_ami.x",
//   "required aws" (in required_providers), "provider aws" (that, and any use of it),
//   "required_version", "required_opentofu", "moved", "removed".
class DeclarationScan {
 public:
  static constexpr std::size_t kMost = 100'000;  // declarations
  static constexpr std::size_t kLongestName = 200;

  // Ignores comments, strings and heredocs of the native syntax; a heredoc ends at the line with
  // its end marker.
  void Add(std::string_view text, bool json);

  // Each once. `beyond`: there were more.
  const std::set<std::string>& found() const { return found_; }
  bool beyond() const { return beyond_; }

 private:
  class Native;
  class Json;
  void AddDeclaration(std::string declaration);

  std::set<std::string> found_;
  bool beyond_ = false;
};

// Collects warnings, up to a limit that no input can exceed. One thread.
class WarningList {
 public:
  void push_back(Warning each) {
    if (kept_.size() < kMost) {
      kept_.push_back(std::move(each));
    } else {
      ++left_out_;
    }
  }

  // Moves at most kMaxWarnings of them, by place, to `out`; the others are counted. Call once.
  void MoveTo(ModuleContents& out);

 private:
  static constexpr std::size_t kMost = 10 * kMaxWarnings;
  std::vector<Warning> kept_;
  std::uint64_t left_out_ = 0;
};

struct FileContent {
  std::uint64_t size = 0;
  // The bytes of the file, or the first of them (see WantedBytes). nullopt for files that are not
  // read.
  std::optional<std::string> text = {};

  bool whole() const { return text && text->size() == size; }
};

// By path, from the module's root: "modules/vpc/main.tf".
using FileSet = std::map<std::string, FileContent, std::less<>>;

// A block, and the file that contains it. A block that an override file changed keeps its own
// place.
struct PlacedBlock {
  hcl::Block block;
  std::string file;

  Place place() const { return {file, block.range.line}; }
};

struct Configuration {
  std::vector<PlacedBlock> blocks;
  std::vector<std::string> files;  // files that were read, by path
  // Files that were not read, or only in part; each once, by path.
  std::set<std::string> unread;
  DeclarationScan undecided;  // possible declarations in those
  std::string header;         // the header of main.tf, or of main.tofu
  // Calls of providers' functions, sorted, each once.
  std::vector<std::string> provider_functions;
};

// The remaining budget for reading a module, all its folders together.
struct ReadBudget {
  std::size_t parts = 1'000'000;  // see hcl::ParseLimits
  std::size_t bytes = 64 << 20;
};

// Reads one folder. `folder`: "" or a path without "/" at its end. `files` must outlive the result,
// whose blocks point into its texts.
Configuration ReadFolder(const FileSet& files, std::string_view folder, ReadBudget& budget,
                         WarningList& warnings);

// Parses a single file, also of tests. Parts that could not be read are reported as warnings and as
// problems of the result.
hcl::Parsed ParseConfigFile(const std::string& path, const std::string& text, bool json,
                            ReadBudget& budget, WarningList& warnings);

}  // namespace koya::inspect
