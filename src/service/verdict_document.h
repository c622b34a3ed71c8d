// What changed between two versions, as documents tell it.
#pragma once

namespace koya {
class Version;
struct VersionStep;
}  // namespace koya
namespace koya::inspect {
struct Verdict;
}
namespace koya::wire {
struct Comparison;
}

namespace koya::service {

wire::Comparison DescribeVerdict(const inspect::Verdict& verdict, const Version& from,
                                 const Version& to);

// The same, as it is kept with the second version.
VersionStep ShortStep(const wire::Comparison& comparison);

}  // namespace koya::service
