// The rule for addresses that mail is sent to.
#pragma once

#include <string_view>

#include "base/result.h"

namespace koya {

// An address that may stand in a mail: one "@", printable ASCII without spaces or what has a
// meaning in a header, at most 254 bytes. Fails: kInvalid.
Status CheckMailAddress(std::string_view address);

}  // namespace koya
