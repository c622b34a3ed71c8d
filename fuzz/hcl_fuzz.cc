// Configurations: any file is read or rejected with a reason, and its dependencies on registries
// can be listed. An accepted expression can be part of a file.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "hcl/config_folder.h"
#include "hcl/one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = koya::hcl::FormatExpression(text);
  if (line && !koya::hcl::Parse("x = " + *line + "\n")) std::abort();
  const auto body = koya::hcl::Parse(text);
  if (!body) {
    if (body.error().message.empty()) std::abort();
    return 0;
  }
  const auto host = koya::HostName::Parse("registry.opentofu.org");
  koya::hcl::Requirements needs;
  koya::hcl::ModuleScan scan(*host, needs);
  scan.AddFile(*body, "main.tf");
  scan.Finish();
  for (const auto& call : scan.local_calls()) {
    if (!koya::hcl::IsLocalModule(call.source)) std::abort();
  }
  return 0;
}
