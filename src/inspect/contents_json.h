// Converts ModuleContents to and from the JSON document that is stored with a version. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "inspect/contents.h"

namespace koya::inspect {

std::string EncodeContents(const ModuleContents& contents);

// Decodes the output of EncodeContents, also of another kReaderVersion: missing members are empty.
// Fails: kInvalid.
Result<ModuleContents> DecodeContents(std::string_view text);

}  // namespace koya::inspect
