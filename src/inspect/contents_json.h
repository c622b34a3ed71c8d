// ModuleContents as a JSON document: what is stored with a version. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "inspect/contents.h"

namespace koya::inspect {

std::string EncodeContents(const ModuleContents& contents);

// What EncodeContents wrote, also under another kReaderVersion: members that are missing are empty.
// Fails: kInvalid.
Result<ModuleContents> DecodeContents(std::string_view text);

}  // namespace koya::inspect
