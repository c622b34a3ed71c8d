#include "service/common/verdict_document.h"

#include "domain/version_step.h"
#include "inspect/changes.h"
#include "wire/comparison.h"

namespace koya::service {

wire::Comparison DescribeVerdict(const inspect::Verdict& verdict, const Version& from,
                                 const Version& to) {
  const bool agrees = verdict.agreement == inspect::Agreement::kAgrees ||
                      verdict.agreement == inspect::Agreement::kNotJudged;
  wire::Comparison comparison{.from = from.ToString(),
                              .to = to.ToString(),
                              .verdict = std::string(Name(verdict.needed)),
                              .given = std::string(Name(verdict.given)),
                              .agrees = agrees,
                              .wanted = verdict.wanted,
                              .text = verdict.sentence,
                              .changes = {}};
  comparison.changes.reserve(verdict.changes.size());
  for (const inspect::Change& change : verdict.changes) {
    comparison.changes.push_back(
        {.section = std::string(Name(change.section)),
         .kind = std::string(Name(change.sign)),
         .what = change.what,
         .where = change.place.file.empty() ? "" : change.place.ToString(),
         .severity = std::string(Name(change.kind)),
         .text = change.sentence,
         .folder = change.folder,
         .item = change.item,
         .name = change.name,
         .code = change.code,
         .arguments = change.arguments,
         .was = change.before.file.empty() ? "" : change.before.ToString()});
  }
  return comparison;
}

VersionStep ShortStep(const wire::Comparison& comparison) {
  VersionStep step{.before = comparison.from,
                   .needed = comparison.verdict,
                   .given = comparison.given,
                   .agrees = comparison.agrees,
                   .wanted = comparison.wanted};
  VersionStep::Counts nowhere;
  for (const wire::ComparedChange& change : comparison.changes) {
    VersionStep::Counts& counts = change.section == "inputs"      ? step.inputs
                                  : change.section == "outputs"   ? step.outputs
                                  : change.section == "resources" ? step.resources
                                                                  : nowhere;
    std::uint32_t& count = change.kind == "added"     ? counts.added
                           : change.kind == "removed" ? counts.removed
                           : change.kind == "moved"   ? counts.moved
                                                      : counts.changed;
    ++count;
    if (change.severity == "breaking") ++step.breaking;
    if (change.severity == "read") ++step.to_read;
  }
  return step;
}

}  // namespace koya::service
