// ModuleContents as a JSON document: what is stored with a version. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "inspect/contents.h"

namespace koya::inspect {

// Types of inputs are written twice: as text, and as a tree for whoever reads the document with
// other means ("type_tree": {"kind": "list", "element": …}); of types that are nested very deeply
// the inner ones are {"kind": …, "text": …} there.
std::string EncodeContents(const ModuleContents& contents);

// What EncodeContents wrote, also under another kReaderVersion: members that are missing are empty.
// Fails: kInvalid.
Result<ModuleContents> DecodeContents(std::string_view text);

}  // namespace koya::inspect
