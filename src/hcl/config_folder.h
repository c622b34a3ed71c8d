// Reads a configuration from disk: the folder of a root module, and recursively the folders of the
// local modules that it calls. Blocks on the disk.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "domain/host_name.h"
#include "hcl/requirements.h"

namespace koya::hcl {

// A file's text, up to kMaxText bytes. Fails: kInvalid, naming the file.
Result<std::string> ReadTextFile(const std::filesystem::path& path);

// Reads *.tf and *.tofu as OpenTofu does (x.tofu replaces x.tf). Files in JSON and override files
// are not read, and are reported as problems; so are unreadable parts of the others. Fails:
// kInvalid when `folder` is not a folder.
Result<Requirements> ReadConfiguration(const std::filesystem::path& folder,
                                       const HostName& default_host);

}  // namespace koya::hcl
