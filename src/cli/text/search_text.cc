#include "cli/text/search_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/text.h"
#include "domain/search_highlight.h"
#include "domain/search_query.h"
#include "domain/search_record.h"

namespace koya::cli {
namespace {

constexpr std::size_t kKind = 11;  // columns of a kind
constexpr std::size_t kRoom = 80 - kKind;
constexpr std::size_t kBeforeMark = 30;  // characters that are shown before a match far behind

// A character of a line, and the columns that it takes.
struct Shown {
  std::string text;
  std::size_t columns = 1;
};

std::uint32_t CodeOf(std::string_view bytes) {
  const auto first = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() == 1) return first;
  std::uint32_t code = first & (0xFFu >> (bytes.size() + 1));
  for (char c : bytes.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3F);
  return code;
}

// What would move the cursor, or turn the direction of what follows, is a blank.
bool IsUnshowable(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x200B && code <= 0x200F) ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

// Chinese, Japanese and Korean characters take two columns.
bool IsWide(std::uint32_t code) {
  return (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
         (code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0xFE30 && code <= 0xFE6F) || (code >= 0xFF00 && code <= 0xFF60) ||
         (code >= 0x20000 && code <= 0x3FFFD);
}

std::vector<Shown> CharactersOf(std::string_view text) {
  std::vector<Shown> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && IsContinuation(text[end])) ++end;
    const std::uint32_t code = CodeOf(text.substr(at, end - at));
    if (IsUnshowable(code)) {
      out.push_back({" ", 1});
    } else {
      out.push_back({std::string(text.substr(at, end - at)), IsWide(code) ? 2u : 1u});
    }
    at = end;
  }
  return out;
}

// On a terminal, in colours where there are some, else between stars. Elsewhere, as it is: stars
// would be taken for a part of the name.
std::string Marked(const std::string& text, const Output& output) {
  if (!output.cuts()) return text;
  const std::string styled = output.Yellow(text);
  return styled == text ? "*" + text + "*" : styled;
}

// One line of `text` with its matches marked, in so many columns where lines are cut.
class MarkedLine {
 public:
  MarkedLine(std::string_view text, std::vector<wire::SearchMark> marks)
      : characters_(CharactersOf(text)), marks_(std::move(marks)) {}

  std::string In(std::size_t columns, const Output& output) const {
    if (!output.cuts()) return Whole(output);
    const std::size_t begin = Begin(columns);
    std::string line = begin > 0 ? "…" : "";
    std::size_t room = columns - (begin > 0 ? 1 : 0);
    std::size_t end = begin;
    while (end < characters_.size() && characters_[end].columns + Reserve(end) <= room) {
      room -= characters_[end].columns;
      ++end;
    }
    AddTo(&line, begin, end, output);
    return end < characters_.size() ? line + "…" : line;
  }

 private:
  std::string Whole(const Output& output) const {
    std::string line;
    AddTo(&line, 0, characters_.size(), output);
    return line;
  }
  // The first that is shown.
  std::size_t Begin(std::size_t columns) const {
    std::size_t all = 0;
    for (const Shown& each : characters_) all += each.columns;
    if (all + 2 * marks_.size() <= columns || marks_.empty()) return 0;
    const std::size_t first = marks_.front().begin;
    if (first < columns / 2 || first > characters_.size()) return 0;
    std::size_t begin = first - std::min(first, kBeforeMark);
    while (begin < first && characters_[begin].text != " ") ++begin;
    return begin < first ? begin + 1 : first;
  }
  // For the sign that says that there is more, and for stars.
  std::size_t Reserve(std::size_t at) const {
    std::size_t stars = 0;
    for (const wire::SearchMark& mark : marks_) stars += mark.begin <= at ? 2 : 0;
    return stars + (at + 1 < characters_.size() ? 1 : 0);
  }
  void AddTo(std::string* line, std::size_t begin, std::size_t end, const Output& output) const {
    auto between = [this](std::size_t from, std::size_t to) {
      std::string text;
      for (std::size_t i = from; i < to; ++i) text += characters_[i].text;
      return text;
    };
    std::size_t at = begin;
    for (const wire::SearchMark& mark : marks_) {
      const std::size_t from = std::clamp<std::size_t>(mark.begin, at, end);
      const std::size_t to = std::clamp<std::size_t>(mark.end, from, end);
      *line += between(at, from);
      if (to > from) *line += Marked(between(from, to), output);
      at = to;
    }
    *line += between(at, end);
  }

  std::vector<Shown> characters_;
  std::vector<wire::SearchMark> marks_;
};

// A module or provider is called by its address, in which its name stands behind the namespace.
bool IsPackage(const wire::SearchHit& hit) { return hit.kind == hit.package; }

// Of the filters by which a package without the words was found.
std::string_view FoundBy(const wire::SearchHit& hit) {
  const bool by_filter = hit.why == "needs" || hit.why == "uses" || hit.why == "calls";
  return IsPackage(hit) && by_filter ? std::string_view(hit.why) : "";
}

std::string NameLine(const wire::SearchHit& hit, const Output& output) {
  constexpr std::size_t kLongest = 200;
  const std::string where = hit.url.empty() ? fmt::format("{} {}", Printable(hit.address, kLongest),
                                                          Printable(hit.version, kLongest))
                                            : Printable(hit.url, kLongest);
  std::vector<wire::SearchMark> marks;
  if (hit.field == "name" && hit.snippet == hit.name) marks = hit.marks;
  if (!IsPackage(hit)) {
    return MarkedLine(hit.name, marks).In(kLongest, output) + "  " + where;
  }
  // Behind the namespace; of another registry the host stands before that.
  const std::size_t ns = hit.hostname.empty() ? 0 : hit.address.find('/') + 1;
  const std::size_t begin = hit.address.find('/', ns) + 1;
  for (wire::SearchMark& mark : marks) {
    mark.begin += begin;
    mark.end += begin;
  }
  return MarkedLine(where, marks).In(kLongest, output);
}

// The matches of a title, of which the server says none when the name matched, too.
std::vector<wire::SearchMark> MarksOfTitle(std::string_view title,
                                           const std::vector<SearchTerm>& terms) {
  std::vector<wire::SearchMark> marks;
  auto characters = [title](std::size_t end) { return CountCharacters(title.substr(0, end)); };
  for (const TextRange& match : FindMatches(title, terms)) {
    marks.push_back({characters(match.begin), characters(match.end)});
  }
  return marks;
}

void PrintHit(const wire::SearchHit& hit, const std::vector<SearchTerm>& terms, Output& output) {
  const std::string_view by = FoundBy(hit);
  output.Print(fmt::format("{:<{}}{}{}{}", Printable(hit.kind, kKind), kKind, NameLine(hit, output),
                           by.empty() ? "" : fmt::format("  {} it", by),
                           hit.deprecated ? "  " + output.Red("deprecated") : ""));
  const bool of_name = hit.field == "name";
  const std::string& below = of_name ? hit.title : hit.snippet;
  if (below.empty()) return;
  const MarkedLine line(below, of_name ? MarksOfTitle(below, terms) : hit.marks);
  output.Print(std::string(kKind, ' ') + line.In(kRoom, output));
}

// "module 3, input 100+": of inputs there may be more.
std::string CountsText(const wire::SearchResults& results) {
  const wire::SearchCounts& counts = results.counts;
  const std::pair<std::string_view, std::uint64_t> kAll[] = {
      {"module", counts.modules},       {"provider", counts.providers},
      {"submodule", counts.submodules}, {"example", counts.examples},
      {"resource", counts.resources},   {"input", counts.inputs},
      {"output", counts.outputs},       {"doc", counts.docs},
      {"guide", counts.guides},         {"setting", counts.settings},
      {"error", counts.errors}};
  std::string text;
  for (const auto& [kind, count] : kAll) {
    if (count == 0) continue;
    const bool cut = std::ranges::find(results.cut_kinds, kind) != results.cut_kinds.end();
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", kind, count, cut ? "+" : "");
  }
  return text;
}

// "1–15", "3".
std::string ShownText(const wire::SearchResults& results) {
  const std::uint64_t first = results.current_offset + 1;
  const std::uint64_t last = results.current_offset + results.hits.size();
  return first == last ? fmt::format("{}", first) : fmt::format("{}–{}", first, last);
}

// Of which kinds they are; or, when these were asked for, what else there is.
std::string OfKindsText(const wire::SearchResults& results) {
  const wire::SearchCounts& all = results.counts;
  const std::uint64_t sum = all.modules + all.providers + all.submodules + all.examples +
                            all.resources + all.inputs + all.outputs + all.docs + all.guides +
                            all.settings + all.errors;
  return sum == results.total ? fmt::format(" ({})", CountsText(results))
                              : "; of any kind: " + CountsText(results);
}

void PrintNothing(const wire::SearchResults& results, std::string_view text, Output& output) {
  if (results.total > 0) {
    return output.Note(
        fmt::format("koya: there are only {}: use a smaller --offset", results.total));
  }
  output.Note(fmt::format("koya: no results for {}", Printable(text, 200)));
  if (!results.missing.empty()) {
    output.Note(fmt::format("  Nothing contains {}: leave it out, or correct it.",
                            Printable(fmt::format("{}", fmt::join(results.missing, ", ")), 200)));
  }
  if (const std::string others = CountsText(results); !others.empty()) {
    return output.Note("  of other kinds: " + others);
  }
  output.Note(
      "  Every word must match (as a whole or as a beginning): try fewer or shorter\n  words. To "
      "search older versions, add version:any. You only find packages\n  that you can read.");
}

}  // namespace

void PrintSearchResults(const wire::SearchResults& results, std::string_view text, Output& output) {
  if (results.hits.empty()) return PrintNothing(results, text, output);
  if (results.forgiven) {
    output.Note("koya: no exact matches; showing similar results");
  }
  if (!results.missing.empty()) {
    output.Note(fmt::format("koya: no result has all these words; showing results without {}",
                            Printable(fmt::format("{}", fmt::join(results.missing, ", ")), 200)));
  }
  const Result<SearchQuery> query = SearchQuery::Parse(text);
  const std::vector<SearchTerm> terms = query ? query->terms() : std::vector<SearchTerm>();
  for (const wire::SearchHit& hit : results.hits) PrintHit(hit, terms, output);
  output.Print("");
  output.Print(fmt::format("{} of {}{}{}", ShownText(results), results.total,
                           results.cut ? " or more" : "", OfKindsText(results)));
  if (results.next_offset) {
    output.Print(fmt::format("More: --offset {}", *results.next_offset));
  }
  if (results.cut && results.cut_kinds.size() == kSearchKinds.size()) {
    output.Print(
        "There are more matches than a search examines: limit it to a kind, for example --kind "
        "input");
  }
}

}  // namespace koya::cli
