// For tests: the pages of a module in the states that they can have.
#pragma once

#include <string>
#include <vector>

#include "web/modules/module_pages.h"
#include "web/sample_pages_fake.h"

namespace koya::web {

// Everything that the pages of a version point to.
struct SampleModule {
  inspect::ModuleContents contents;
  std::vector<ModuleVersionRecord> versions;
  std::vector<WithdrawnModuleVersion> withdrawn;

  // The page of the version at this place of `versions`.
  ModulePage Page(std::size_t version = 0, bool by_latest = false) const;
};

// "platform/network/aws", with inputs of every kind; `text` in every field that holds an author's
// words, unless it is empty. Names stay what names can be.
SampleModule MakeSampleModule(const std::string& text = {});

// All of its pages.
std::vector<SamplePage> ModuleSamplePages(const PageFrame& frame, const std::string& text = {});

}  // namespace koya::web
