// Prints the changes between two versions for people: at most 80 columns unless a name is longer.
// Texts of the server are shown as text. One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/text/output.h"
#include "wire/comparison.h"

namespace koya::cli {

// Prints the verdict, then every change, by section.
void PrintComparison(const wire::Comparison& comparison, const std::string& address,
                     Output& output);

// Prints the verdict, the number of changes, and the ten most severe ones.
void PrintComparisonBriefly(const wire::Comparison& comparison, Output& output);

// After a publish: prints on stdout, after an empty line, that the version number agrees with the
// changes; nothing when it does not, or there was nothing to compare with.
void PrintAgreement(const std::optional<wire::Comparison>& comparison, Output& output);
// Prints on stderr that the version number does not agree.
void NoteDisagreement(const std::optional<wire::Comparison>& comparison, std::string_view address,
                      Output& output);

// "1 breaking, 2 to read, 3 compatible": "nothing that is declared changed".
std::string CountedChanges(const wire::Comparison& comparison);

}  // namespace koya::cli
