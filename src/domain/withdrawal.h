// Why a version of a module or provider is no longer there.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "base/result.h"

namespace koya {

struct Withdrawal {
  UnixSeconds at = 0;
  std::string by;
  std::string reason;
  std::string successor;  // the version to use instead; "": none was named
  // Until then its bytes stay, and it can be undone. The catalog sets it.
  UnixSeconds kept_until = 0;
};

// What a withdrawal and its undoing say to users. Fails: kInvalid: empty, too long, or no plain
// text.
Status CheckWithdrawalReason(std::string_view reason);

// What those are answered who ask for the version `name` ("acme/vpc/aws 1.2.0"): kGone, with day,
// reason and successor.
Failure WithdrawnFailure(std::string_view name, const Withdrawal& withdrawal);

// Why a withdrawal cannot be undone: there is none (kConflict), or the bytes stay no longer
// (kGone).
Failure NotWithdrawn(std::string_view name);
Failure TooLateToRestore(std::string_view name, const Withdrawal& withdrawal);

}  // namespace koya
