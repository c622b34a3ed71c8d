#include "cli/text/comparison_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/text/output.h"

namespace koya::cli {
namespace {

using wire::ComparedChange;
using wire::Comparison;

constexpr std::size_t kMostShownChanges = 10;  // briefly

struct SeverityWords {
  std::string_view name;
  std::string_view shown;    // beside a change
  std::string_view counted;  // behind a number
};
// What weighs most comes first.
constexpr std::array<SeverityWords, 4> kSeverities{{{"breaking", "breaking", "breaking"},
                                                    {"read", "read this", "to read"},
                                                    {"compatible", "compatible", "compatible"},
                                                    {"safe", "safe", "safe"}}};

// A severity that only a newer server knows comes last.
std::size_t WeightRank(const ComparedChange& change) {
  const auto* known = std::ranges::find(kSeverities, change.severity, &SeverityWords::name);
  return static_cast<std::size_t>(known - kSeverities.begin());
}

std::string SeverityText(const ComparedChange& change) {
  const std::size_t rank = WeightRank(change);
  return rank < kSeverities.size() ? std::string(kSeverities[rank].shown)
                                   : Printable(change.severity, 40);
}

std::string Coloured(const ComparedChange& change, const std::string& text, const Output& output) {
  switch (WeightRank(change)) {
    case 0:
      return output.Red(text);
    case 1:
      return output.Yellow(text);
    case 2:
      return output.Green(text);
    default:
      return text;
  }
}

struct SignGlyph {
  std::string_view kind;
  std::string_view glyph;
};
constexpr std::array<SignGlyph, 4> kGlyphs{
    {{"added", "+"}, {"removed", "−"}, {"changed", "~"}, {"moved", "→"}}};

// The sign, with its word for those who see no colour and read no signs.
std::string SignText(const ComparedChange& change, const Output& output) {
  const auto* known = std::ranges::find(kGlyphs, change.kind, &SignGlyph::kind);
  const std::string word = Printable(change.kind, 40);
  if (known == kGlyphs.end()) return "? " + word;
  const std::string glyph(known->glyph);
  const std::string coloured = Coloured(change, glyph, output);
  return coloured == glyph ? fmt::format("{} {:<8}", glyph, word) : coloured;
}

void PrintWrapped(std::string_view text, std::size_t indent, Output& output) {
  for (const std::string& line : WrapText(Printable(text, 1000), kTextColumns - indent)) {
    output.Print(std::string(indent, ' ') + line);
  }
}

// Sign, what and severity, and where if there is room; then the sentence.
void PrintChange(const ComparedChange& change, Output& output) {
  const std::string sign = SignText(change, output);
  const std::string what = Printable(change.what, 200);
  const std::string severity = SeverityText(change);
  const std::string where = Printable(change.where, 200);
  std::string line = fmt::format("  {} {}  {}", sign, what, Coloured(change, severity, output));
  // Colours take no columns: the sign without its word takes one.
  const bool plain = sign.find('\x1b') == std::string::npos;
  const std::size_t used =
      2 + (plain ? Columns(sign) : 1) + 1 + Columns(what) + 2 + Columns(severity);
  const bool fits = used + 2 + Columns(where) <= kTextColumns;
  if (fits && !where.empty()) line += "  " + where;
  output.Print(line);
  if (!fits) output.Print("      " + where);
  PrintWrapped(change.text, 6, output);
}

void PrintVerdict(const Comparison& comparison, Output& output) {
  for (const std::string& line : WrapText(Printable(comparison.text, 1000), kTextColumns)) {
    output.Print(comparison.agrees ? output.Green(line) : output.Red(line));
  }
}

std::string SectionTitle(const std::string& section) {
  if (section == "resources") return "Resources and providers";
  if (section == "internal") return "Internal submodules (without a README)";
  std::string title = Printable(section, 60);
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') {
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
  }
  return title.empty() ? "Others" : title;
}

}  // namespace

std::string CountedChanges(const Comparison& comparison) {
  std::array<std::size_t, kSeverities.size() + 1> counts{};
  for (const ComparedChange& each : comparison.changes) ++counts[WeightRank(each)];
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kSeverities.size(); ++i) {
    if (counts[i] > 0) parts.push_back(fmt::format("{} {}", counts[i], kSeverities[i].counted));
  }
  if (counts.back() > 0) parts.push_back(fmt::format("{} others", counts.back()));
  if (parts.empty()) return "no declarations changed";
  return fmt::format("{}", fmt::join(parts, ", "));
}

void PrintComparison(const Comparison& comparison, const std::string& address, Output& output) {
  PrintVerdict(comparison, output);
  output.Print(fmt::format("{} {} → {}: {}", output.Bold(address), Printable(comparison.from, 80),
                           Printable(comparison.to, 80), CountedChanges(comparison)));
  const std::string* section = nullptr;
  for (const ComparedChange& each : comparison.changes) {
    if (section == nullptr || *section != each.section) {
      section = &each.section;
      output.Print("");
      output.Print(output.Bold(SectionTitle(each.section)));
    }
    PrintChange(each, output);
  }
  output.Print("");
  // Addresses of providers have two parts.
  const bool provider = std::ranges::count(address, '/') == 1;
  output.Print(
      fmt::format("Only declarations are compared: the behaviour of a {} can still change.",
                  provider ? "provider" : "module"));
}

void PrintComparisonBriefly(const Comparison& comparison, Output& output) {
  PrintVerdict(comparison, output);
  output.Print(
      fmt::format("Since {}: {}", Printable(comparison.from, 80), CountedChanges(comparison)));
  std::vector<const ComparedChange*> heaviest;
  heaviest.reserve(comparison.changes.size());
  for (const ComparedChange& each : comparison.changes) heaviest.push_back(&each);
  // Else as they stand.
  std::ranges::sort(heaviest, {},
                    [](const ComparedChange* each) { return std::pair(WeightRank(*each), each); });
  const std::size_t shown = std::min(kMostShownChanges, heaviest.size());
  for (std::size_t i = 0; i < shown; ++i) PrintChange(*heaviest[i], output);
  if (shown < heaviest.size()) {
    output.Print(fmt::format("  and {} more", heaviest.size() - shown));
  }
}

void PrintAgreement(const std::optional<Comparison>& comparison, Output& output) {
  if (!comparison || !comparison->agrees) return;
  output.Print("");
  for (const std::string& line : WrapText(Printable(comparison->text, 1000), kTextColumns)) {
    output.Print(line);
  }
}

void NoteDisagreement(const std::optional<Comparison>& comparison, std::string_view address,
                      Output& output) {
  if (!comparison || comparison->agrees) return;
  output.Note("koya: warning: " + Printable(comparison->text, 1000));
  output.Note(fmt::format("koya: \"koya diff {} {} {}\" shows what changed", Printable(address),
                          Printable(comparison->from), Printable(comparison->to)));
}

}  // namespace koya::cli
