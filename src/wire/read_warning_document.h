// Declares a warning as a document, for documents that contain one. Included by wire's .cc files
// only.
#pragma once

#include "wire/document.h"
#include "wire/read_warning.h"

namespace koya::wire {

template <>
inline constexpr auto kDocument<ReadWarning> =
    Document("the warning", Optional("file", &ReadWarning::file),
             Optional("line", &ReadWarning::line), Required("text", &ReadWarning::text));

}  // namespace koya::wire
