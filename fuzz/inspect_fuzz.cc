// Modules: whatever their configuration holds, native or in JSON, something is read of it, it goes
// into a document and back, nothing that could be read changed against itself, and the work is
// bounded.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "inspect/changes.h"
#include "inspect/contents.h"
#include "inspect/reader.h"

namespace {

using koya::inspect::FileCollector;
using koya::inspect::ModuleContents;

ModuleContents ReadOne(const char* name, std::string_view text) {
  FileCollector files;
  files.Add(name, text.size(), std::string(text.substr(0, files.Wanted(name))));
  const koya::inspect::ReadOptions options{.default_host =
                                               *koya::HostName::Parse("registry.opentofu.org")};
  return koya::inspect::ReadModule(files.Take(), options);
}

// Nothing changed against itself; what a file hides that cannot be read is all that may be unknown.
void MustBeUnchanged(const ModuleContents& contents) {
  for (const koya::inspect::Change& change : koya::inspect::FindChanges(contents, contents)) {
    if (!change.unknown || contents.warnings.empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const koya::hcl::Parsed parsed = koya::hcl::ParsePartly(text);
  if (parsed.steps > (koya::hcl::kMaxProblems + 1) * (size + 1)) std::abort();
  for (const char* name : {"main.tf", "main.tf.json", "README.md", "CHANGELOG.md", "LICENSE"}) {
    const ModuleContents contents = ReadOne(name, text);
    const auto again = koya::inspect::DecodeContents(koya::inspect::EncodeContents(contents));
    if (!again || *again != contents) std::abort();
    MustBeUnchanged(contents);
  }
  return 0;
}
