#include "domain/version_step.h"

#include <fmt/format.h>

#include <vector>

#include "base/decimal.h"

namespace koya {
namespace {

// The stored text begins with "1", the number of this format.
constexpr std::string_view kStepForm = "1";

std::string StepCountsText(const VersionStep::Counts& counts) {
  return fmt::format("{} {} {} {}", counts.added, counts.changed, counts.removed, counts.moved);
}

std::string_view NextStepWord(std::string_view& rest) {
  std::string_view word = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  return word;
}

bool ReadStepNumber(std::string_view& rest, std::uint32_t& number) {
  auto read = ParseDecimal<std::uint32_t>(NextStepWord(rest));
  number = read.value_or(0);
  return read.has_value();
}

bool ReadStepCounts(std::string_view& rest, VersionStep::Counts& counts) {
  return ReadStepNumber(rest, counts.added) && ReadStepNumber(rest, counts.changed) &&
         ReadStepNumber(rest, counts.removed) && ReadStepNumber(rest, counts.moved);
}

bool IsStep(std::string_view text) { return text == "major" || text == "minor" || text == "patch"; }

}  // namespace

std::string VersionStep::ToString() const {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {}", kStepForm, before, needed, given,
                     agrees ? "agrees" : "differs", wanted.empty() ? "-" : wanted,
                     StepCountsText(inputs), StepCountsText(outputs), StepCountsText(resources),
                     breaking, to_read);
}

std::optional<VersionStep> VersionStep::Parse(std::string_view text) {
  if (text.ends_with(' ') || NextStepWord(text) != kStepForm) return std::nullopt;
  VersionStep step;
  step.before = NextStepWord(text);
  step.needed = NextStepWord(text);
  step.given = NextStepWord(text);
  std::string_view agreement = NextStepWord(text);
  step.agrees = agreement == "agrees";
  std::string_view wanted = NextStepWord(text);
  if (wanted != "-") step.wanted = wanted;
  bool whole = !step.before.empty() && IsStep(step.needed) && IsStep(step.given) &&
               (step.agrees || agreement == "differs") && ReadStepCounts(text, step.inputs) &&
               ReadStepCounts(text, step.outputs) && ReadStepCounts(text, step.resources) &&
               ReadStepNumber(text, step.breaking) && ReadStepNumber(text, step.to_read) &&
               text.empty();
  if (!whole) return std::nullopt;
  return step;
}

}  // namespace koya
