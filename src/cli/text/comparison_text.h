// What changed between two versions, for people: at most 80 columns unless a name is longer. What
// is told came from a server, and is shown as text. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/text/output.h"
#include "wire/comparison.h"

namespace koya::cli {

// The verdict first; then every change, by section.
void PrintComparison(const wire::Comparison& comparison, const std::string& address,
                     Output& output);

// The verdict, how much changed, and the ten changes that weigh most.
void PrintComparisonBriefly(const wire::Comparison& comparison, Output& output);

// After a publish. On stdout, behind an empty line, that the number agrees; nothing when it does
// not, or there was nothing to compare with.
void PrintAgreement(const std::optional<wire::Comparison>& comparison, Output& output);
// On stderr, that it does not agree.
void NoteDisagreement(const std::optional<wire::Comparison>& comparison, std::string_view address,
                      Output& output);

// "1 breaking, 2 to read, 3 compatible": "nothing that is declared changed".
std::string CountedChanges(const wire::Comparison& comparison);

}  // namespace koya::cli
