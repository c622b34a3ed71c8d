// Prints the policy's verdict on a version of another registry, for people.
#pragma once

#include "cli/text/output.h"
#include "wire/policy.h"

namespace koya::cli {

// With its reasons, the version that clients see, and since when it is known here.
void PrintVerdict(const wire::PolicyVerdict& verdict, Output& output);

}  // namespace koya::cli
