// The configuration of one folder: its files parsed, chosen among and merged as the clients do.
// One thread.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hcl/hcl.h"
#include "inspect/contents.h"
#include "inspect/declaration_scan.h"
#include "inspect/file_set.h"
#include "inspect/warning_list.h"

namespace koya::inspect {

// A block, and the file that it stands in. Of what an override file changed the place is that of
// the block that was changed.
struct PlacedBlock {
  hcl::Block block;
  std::string file;

  Place place() const { return {file, block.range.line}; }
};

struct Configuration {
  std::vector<PlacedBlock> blocks;
  std::vector<std::string> files;  // that were read, by path
  // Files that were not read, or not wholly; each once, by path.
  std::set<std::string> unread;
  DeclarationScan undecided;  // what stands in those
  std::string header;         // of main.tf, or of main.tofu
  // Calls of providers' functions, sorted, each once.
  std::vector<std::string> provider_functions;
};

// How much may still be read of a module, all its folders together.
struct ReadBudget {
  std::size_t parts = 1'000'000;  // see hcl::ParseLimits
  std::size_t bytes = 64 << 20;
};

// `folder`: "" or a path without "/" at its end. `files` must outlive the result, whose blocks
// point into its texts.
Configuration ReadFolder(const FileSet& files, std::string_view folder, ReadBudget& budget,
                         WarningList& warnings);

// One file by itself, of tests too. What could not be read of it is a warning, and a problem of
// what is returned.
hcl::Parsed ParseConfigFile(const std::string& path, const std::string& text, bool json,
                            ReadBudget& budget, WarningList& warnings);

}  // namespace koya::inspect
