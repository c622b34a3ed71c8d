// Generates the block that calls a module, formatted exactly as by `tofu fmt`. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/version.h"
#include "inspect/contents.h"

namespace koya::inspect {

// An argument of the block.
struct Setting {
  std::string name;
  std::string value;         // an expression, formatted; further lines are indented as if the name
                             // were at the line's beginning
  std::string comment = {};  // shown after it, without "#"; not for values with several lines
};

struct ModuleBlock {
  std::string name;     // of the call, from ModuleBlockName
  std::string source;   // "registry.example.com/acme/vpc/aws//modules/dns"
  std::string version;  // a constraint; "": none
  std::vector<Setting> settings;
};

std::string WriteModuleBlock(const ModuleBlock& block);

// The name of a call for a module's name: "vpc", "m_3tier".
std::string ModuleBlockName(std::string_view name);

// A placeholder for a value that the author must supply: an empty value of the input's type, with
// the type as a comment; for an object, its required attributes. A sensitive value becomes a
// reference to a variable of the same name, since it does not belong in a file.
Setting Placeholder(const Input& input);

// Placeholders for the required inputs, in their order.
std::vector<Setting> RequiredSettings(const ModulePart& part);

// The folders to use, "modules/dns", of a module that has configuration only in its submodules, not
// at its root. Empty: use the root.
std::vector<std::string> FoldersToUse(const ModuleContents& contents);

// The constraint to suggest for a version: "~> 4.2", which allows later versions; "4.1.2" for a
// prerelease and for a version that is not the newest.
std::string SuggestedConstraint(const Version& version, bool is_newest);

}  // namespace koya::inspect
