// The withdrawal of a version of a module or provider.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace koya {

struct Withdrawal {
  UnixSeconds at = 0;
  std::string by;
  std::string reason;
  std::string successor;  // the version to use instead; "": none was named
  // Until then its bytes stay, and the withdrawal can be undone. Set by the catalog.
  UnixSeconds kept_until = 0;
};

// Checks the reason that a withdrawal and its undoing show to users. Fails: kInvalid: empty, too
// long, or not plain text.
Status CheckWithdrawalReason(std::string_view reason);

// The error for requests for the withdrawn version `name` ("acme/vpc/aws 1.2.0"): kGone, with day,
// reason and successor.
Failure WithdrawnFailure(std::string_view name, const Withdrawal& withdrawal);

// The reason why a withdrawal cannot be undone: there is none (kConflict), or the bytes were
// removed (kGone).
Failure NotWithdrawn(std::string_view name);
Failure TooLateToRestore(std::string_view name, const Withdrawal& withdrawal);

}  // namespace koya
