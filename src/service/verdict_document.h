// What changed between two versions, as documents tell it.
#pragma once

#include "domain/version.h"
#include "domain/version_step.h"
#include "inspect/changes.h"
#include "wire/comparison.h"

namespace koya::service {

wire::Comparison DescribeVerdict(const inspect::Verdict& verdict, const Version& from,
                                 const Version& to);

// The same, as it is kept with the second version.
VersionStep ShortStep(const wire::Comparison& comparison);

}  // namespace koya::service
