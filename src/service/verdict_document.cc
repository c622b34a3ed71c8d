#include "service/verdict_document.h"

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
    comparison.changes.push_back({.section = std::string(Name(change.section)),
                                  .kind = std::string(Name(change.sign)),
                                  .what = change.what,
                                  .where = change.place.file.empty() ? "" : change.place.ToString(),
                                  .severity = std::string(Name(change.kind)),
                                  .text = change.sentence});
  }
  return comparison;
}

}  // namespace koya::service
