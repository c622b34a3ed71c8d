// Describes in documents what changed between two versions.
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

// The same in the short form that is stored with the second version.
VersionStep ShortStep(const wire::Comparison& comparison);

}  // namespace koya::service
