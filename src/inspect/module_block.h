// The block that somebody writes to use a module, exactly as `tofu fmt` would. Pure.
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
  std::string value;         // an expression, as the formatter writes it; it may go on over lines,
                             // the later ones indented as if the name stood at the line's beginning
  std::string comment = {};  // behind it, without "#"; not of values with several lines
};

struct ModuleBlock {
  std::string name;     // of the call, as ModuleBlockName makes it
  std::string source;   // "registry.example.com/acme/vpc/aws//modules/dns"
  std::string version;  // a constraint; "": none is written
  std::vector<Setting> settings;
};

std::string WriteModuleBlock(const ModuleBlock& block);

// What a module's name is as that of a call: "vpc", "m_3tier".
std::string ModuleBlockName(std::string_view name);

// What stands in a block for a value that its author must give: an empty one of the input's type,
// with the type behind it; of an object, those of its attributes that must be given. A sensitive
// one is asked of a variable of the same name, since no file is the place for it.
Setting Placeholder(const Input& input);

// The inputs that must be given, as placeholders, in their order.
std::vector<Setting> RequiredSettings(const ModulePart& part);

// The folders to use, "modules/dns", of a module that has no configuration at its root, only in its
// submodules. Empty: the root is what is used.
std::vector<std::string> FoldersToUse(const ModuleContents& contents);

// Of a version: "~> 4.2" where later ones will do, which nobody says of a prerelease nor of one
// that is not the newest: "4.1.2".
std::string SuggestedConstraint(const Version& version, bool is_newest);

}  // namespace koya::inspect
