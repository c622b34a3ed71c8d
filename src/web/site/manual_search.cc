#include "web/site/manual_search.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "domain/search_highlight.h"
#include "domain/search_query.h"
#include "domain/search_words.h"
#include "markup/markdown.h"
#include "web/common/page_paths.h"
#include "web/common/words.h"
#include "web/site/manual.h"

namespace koya::web {
namespace {

constexpr std::size_t kMostTextBytes = std::size_t{1} << 18;  // of a page
constexpr std::size_t kMostWordsOfPart = 20'000;

// How well a part matches, the best first.
enum class ManualRank { kNameIs, kName, kHeading, kText, kNone };

// A section of a guide; or a setting or kind of error, whole.
struct ManualPart {
  std::string heading;  // of the first part, the name of its page
  std::string anchor;   // "user-scopes"; "": the top of the page
  std::string text;
};

struct SearchedPage {
  SearchKind kind = SearchKind::kGuide;
  std::string name;
  std::string title;  // one sentence
  std::string path;
  std::vector<ManualPart> parts;
};

// " one two three ": to see words side by side.
std::string WordsOf(std::string_view text) {
  std::string words = " ";
  for (const SearchWord& word : SplitSearchWords(text, kMostWordsOfPart)) {
    if (!word.besides) words.append(word.text).append(" ");
  }
  return words;
}

std::string PlainText(std::string_view markdown) {
  markup::MarkdownOptions options;
  options.most_text = kMostTextBytes;
  return markup::RenderMarkdown(markdown, options).text;
}

// The cells of "| `server.data` | `./koya-data` | `KOYA_SERVER_DATA` | The folder … |".
std::vector<std::string_view> CellsOf(std::string_view row) {
  std::vector<std::string_view> cells;
  for (std::size_t at = 2; at < row.size();) {
    const std::size_t end = std::min(row.find(" | ", at), row.size());
    cells.push_back(row.substr(at, end - at));
    at = end + 3;
  }
  return cells;
}

class ManualIndex {
 public:
  ManualIndex() {
    for (const ManualText& text : ManualTexts()) AddGuide(text);
    auto add_page = [this](std::string_view title, std::string_view what, std::string_view path) {
      const std::string name(Word(Language::kEnglish, title));
      const std::string sentence(Word(Language::kEnglish, what));
      Add({.name = name,
           .title = sentence,
           .path = std::string(path),
           .parts = {{.heading = name, .anchor = {}, .text = sentence}}});
    };
    add_page("frame.api", "manual.api_do", kApiDocsAddress);
    add_page("frame.accessibility", "manual.accessibility_do", ManualPath("accessibility"));
  }

  ManualHits Find(const SearchQuery& query, const PageRequest& shown) const {
    std::vector<Places> terms;
    for (const SearchTerm& term : query.terms()) terms.push_back(PlacesOf(term));
    struct Ranked {
      ManualRank rank;
      std::size_t part;
      const SearchedPage* page;
    };
    std::vector<Ranked> ranked;
    ManualHits hits;
    std::size_t first = 0;
    for (const SearchedPage& page : pages_) {
      const auto [rank, part] = BestPart(page, first, terms, query.whole());
      first += page.parts.size();
      if (rank == ManualRank::kNone) continue;
      ++hits.counts[page.kind];
      const bool is_asked = query.kinds().empty() ||
                            std::ranges::find(query.kinds(), page.kind) != query.kinds().end();
      if (is_asked) ranked.push_back({rank, part, &page});
    }
    std::ranges::sort(ranked, {}, [](const Ranked& each) {
      return std::tuple(each.rank, each.page->kind, std::string_view(each.page->name));
    });
    hits.total = ranked.size();
    for (std::size_t i = shown.offset; i < std::min(ranked.size(), shown.offset + shown.limit);
         ++i) {
      hits.items.push_back(HitOf(*ranked[i].page, ranked[i].part, query));
    }
    return hits;
  }

 private:
  enum Place : unsigned { kInText = 1, kInHeading = 2 };
  using Places = std::vector<unsigned>;  // of each part

  void Add(SearchedPage page) {
    for (const ManualPart& part : page.parts) {
      const auto number = static_cast<std::uint32_t>(headings_.size());
      for (const auto& [place, text] :
           {std::pair('h', &part.heading), std::pair('x', &part.text)}) {
        for (const SearchWord& word : SplitSearchWords(*text, kMostWordsOfPart)) {
          std::vector<std::uint32_t>& parts = words_[std::string{place} + word.text];
          if (parts.empty() || parts.back() != number) parts.push_back(number);
        }
      }
      headings_.push_back(WordsOf(part.heading));
      texts_.push_back(WordsOf(part.text));
    }
    pages_.push_back(std::move(page));
  }

  void AddGuide(const ManualText& text) {
    const std::string path =
        text.name == "errors" ? std::string(kErrorDocsAddress) : ManualPath(text.name);
    const markup::Rendered whole = RenderManual(text.body);
    SearchedPage page{.name = std::string(text.title),
                      .title = ManualSentence(text),
                      .path = path,
                      .parts = {{.heading = std::string(text.title),
                                 .anchor = {},
                                 .text = PlainText(ManualPreface(text))}}};
    constexpr std::string_view kMark = "\n## ";
    std::size_t at = text.body.find(kMark);
    for (const markup::Heading& heading : whole.contents) {
      if (heading.level != 2 || at == text.body.npos) continue;
      const std::size_t begin = text.body.find('\n', at + 1);
      at = text.body.find(kMark, at + 1);
      const std::string_view section = text.body.substr(begin, at - begin);
      if (text.name == "errors") {
        AddError(heading.text, section);
      } else if (text.name == "config" && section.contains("| setting |")) {
        AddSettings(section, path + "#" + heading.name);
      } else {
        page.parts.push_back(
            {.heading = heading.text, .anchor = heading.name, .text = PlainText(section)});
      }
    }
    Add(std::move(page));
  }

  void AddError(const std::string& code, std::string_view section) {
    Add({.kind = SearchKind::kError,
         .name = code,
         .title = RenderManual(section).summary,
         .path = ErrorCodePath(code),
         .parts = {{.heading = code, .anchor = {}, .text = PlainText(section)}}});
  }

  void AddSettings(std::string_view section, const std::string& path) {
    constexpr std::string_view kRow = "\n| `";
    for (std::size_t at = section.find(kRow); at != section.npos; at = section.find(kRow, at + 1)) {
      const std::size_t end = std::min(section.find('\n', at + 1), section.size());
      const std::vector<std::string_view> cells = CellsOf(section.substr(at + 1, end - at - 1));
      if (cells.size() < 4) continue;
      const std::string name(cells[0].substr(1, cells[0].size() - 2));
      std::string meaning = PlainText(cells[3].substr(0, cells[3].rfind(" |")));
      std::string text = meaning + " " + PlainText(cells[2]);
      Add({.kind = SearchKind::kSetting,
           .name = name,
           .title = meaning.substr(0, meaning.find('\n')),
           .path = path,
           .parts = {{.heading = name, .anchor = {}, .text = std::move(text)}}});
    }
  }

  // Where the parts have the term.
  Places PlacesOf(const SearchTerm& term) const {
    Places places(headings_.size());
    const bool is_one = term.words.size() == 1;
    std::string side_by_side;
    for (const std::string& word : term.words) side_by_side += " " + word;
    if (!term.begins) side_by_side += " ";
    for (const auto& [place, bit] : {std::pair('h', kInHeading), std::pair('x', kInText)}) {
      const std::string key = std::string{place} + term.words.front();
      for (auto at = words_.lower_bound(key); at != words_.end(); ++at) {
        const bool has = is_one && term.begins ? at->first.starts_with(key) : at->first == key;
        if (!has) break;
        for (std::uint32_t part : at->second) {
          const std::string& words = place == 'h' ? headings_[part] : texts_[part];
          if (is_one || words.contains(side_by_side)) places[part] |= bit;
        }
      }
    }
    return places;
  }

  // `first`: the number of its first part.
  static std::pair<ManualRank, std::size_t> BestPart(const SearchedPage& page, std::size_t first,
                                                     const std::vector<Places>& terms,
                                                     std::string_view whole) {
    if (!terms.empty() && FoldForSearch(page.name) == whole) return {ManualRank::kNameIs, 0};
    std::pair best{ManualRank::kNone, std::size_t{0}};
    for (std::size_t part = 0; part < page.parts.size(); ++part) {
      unsigned all = kInHeading | kInText;
      for (const Places& places : terms) {
        const unsigned here = places[first + part];
        all = here == 0 ? 0 : all & (here | kInText);
      }
      const ManualRank of_heading = part == 0 ? ManualRank::kName : ManualRank::kHeading;
      const ManualRank rank = (all & kInHeading) != 0 ? of_heading
                              : all != 0              ? ManualRank::kText
                                                      : ManualRank::kNone;
      best = std::min(best, std::pair(rank, part));
    }
    if (best.first != ManualRank::kNone) return best;
    // The words are in several sections.
    const bool has_all = std::ranges::all_of(terms, [&](const Places& places) {
      const auto begin = places.begin() + static_cast<std::ptrdiff_t>(first);
      return std::any_of(begin, begin + static_cast<std::ptrdiff_t>(page.parts.size()),
                         [](unsigned place) { return place != 0; });
    });
    return {has_all ? ManualRank::kText : ManualRank::kNone, 0};
  }

  static SearchHit HitOf(const SearchedPage& page, std::size_t part, const SearchQuery& query) {
    const ManualPart& shown = page.parts[part];
    SearchHit hit{.kind = page.kind,
                  .name = page.name,
                  .title = part == 0 ? page.title : shown.heading,
                  .snippet = {},
                  .marks = {}};
    MarkHit(&hit, shown.text, query.terms());
    hit.why = WhyFound(hit, query);
    hit.url = shown.anchor.empty() ? page.path : page.path + "#" + shown.anchor;
    return hit;
  }

  std::vector<SearchedPage> pages_;
  // Of each part, in the order of pages: its words, to see them side by side.
  std::vector<std::string> headings_, texts_;
  // The parts that have a word, which stands behind "h" for headings or "x" for texts.
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> words_;
};

const ManualIndex& Index() {
  static const ManualIndex kIndex;
  return kIndex;
}

bool NarrowsToPackages(const SearchQuery& query) {
  return !query.ns().empty() || !query.host().empty() || query.here() || !query.uses().empty() ||
         !query.needs().empty() || !query.calls().empty() || !query.system().empty() ||
         query.deprecated() || !query.version().empty() || query.any_version();
}

}  // namespace

ManualHits SearchManual(const SearchQuery& query, PageRequest part) {
  return NarrowsToPackages(query) ? ManualHits() : Index().Find(query, part);
}

void PrepareManualSearch() { Index(); }

}  // namespace koya::web
