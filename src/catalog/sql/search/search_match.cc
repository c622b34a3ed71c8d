#include "catalog/sql/search/search_match.h"

#include <fmt/format.h>

#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "catalog/sql/engine/engine.h"
#include "domain/search_document.h"
#include "domain/search_words.h"

namespace koya::sql {
namespace {

// Both languages: words in quotes, a sign for "begins with", parentheses. No word has a quote or a
// backslash (domain/search_words.h).
class WordsText {
 public:
  WordsText(Dialect dialect, const PrefixExpansions& beginnings)
      : sqlite_(dialect == Dialect::kSqlite), beginnings_(beginnings) {}

  void Add(std::string_view each) {
    if (!text_.empty()) text_ += sqlite_ ? " AND " : " & ";
    text_ += each;
  }
  std::string AnyOf(const std::vector<std::string>& words, bool begin) const {
    std::string any;
    for (const std::string& word : words) {
      const auto known = begin ? beginnings_.find(word) : beginnings_.end();
      if (known == beginnings_.end()) {
        AddOne(&any, word, begin);
      } else {
        for (const std::string& each : known->second) AddOne(&any, each, false);
      }
    }
    return "(" + any + ")";
  }
  // One of these, each made by another of the same language.
  void AddOneOf(std::span<const std::string> ways) { Add(OneOf(ways)); }
  // What has any of these is left out.
  void Leave(std::span<const std::string> others) {
    if (others.empty()) return;
    text_ = fmt::format("({}) {} {}", text_, sqlite_ ? "NOT" : "& !", OneOf(others));
  }
  WordsText Empty() const {
    WordsText empty = *this;
    empty.text_.clear();
    return empty;
  }
  const std::string& text() const { return text_; }

 private:
  std::string OneOf(std::span<const std::string> ways) const {
    std::string any;
    for (const std::string& way : ways) {
      if (!any.empty()) any += sqlite_ ? " OR " : " | ";
      any += "(" + way + ")";
    }
    return "(" + any + ")";
  }
  void AddOne(std::string* any, std::string_view word, bool begins) const {
    if (!any->empty()) *any += sqlite_ ? " OR " : " | ";
    const std::string_view sign = sqlite_ ? "*" : ":*";
    *any += fmt::format("{0}{1}{0}{2}", sqlite_ ? '"' : '\'', word, begins ? sign : "");
  }

  const bool sqlite_;
  const PrefixExpansions& beginnings_;
  std::string text_;
};

bool Begins(MatchMode asked, char place) {
  return asked == MatchMode::kBeginnings ||
         (asked == MatchMode::kHeadsBegin && kPlacesOfHeads.find(place) != kPlacesOfHeads.npos);
}

// Words of a term stand side by side, so at one place.
void AddTerm(WordsText* text, const SearchTerm& term, MatchMode asked, std::string_view places) {
  std::vector<std::string> ways;
  for (char place : places) {
    const bool begins = term.begins && Begins(asked, place);
    WordsText way = text->Empty();
    for (std::size_t i = 0; i < term.words.size(); ++i) {
      std::vector<std::string> any{fmt::format("{}:{}", place, term.words[i])};
      for (const std::string& alternative : term.alternatives) {
        any.push_back(fmt::format("{}:{}", place, alternative));
      }
      way.Add(way.AnyOf(any, begins && i + 1 == term.words.size()));
    }
    ways.push_back(way.text());
  }
  if (places == kPlacesOfWords && !term.provider.empty()) {
    ways.push_back(text->AnyOf({SearchFacet('p', term.provider)}, false));
  }
  text->AddOneOf(ways);
}

// Words side by side at a place, as they stand in the text of an entry's words.
std::string SideBySide(char place, const std::vector<std::string>& words, bool begins) {
  std::string text;
  for (const std::string& word : words) text += fmt::format(" {}:{}", place, word);
  return begins ? text : text + " ";
}

// "(… in column OR …)": the term, or what does as well, at one of the places.
void AddTermIn(SqlPart* part, std::string_view column, const SearchTerm& term,
               std::string_view places) {
  std::vector<std::vector<std::string>> ways{term.words};
  for (const std::string& alternative : term.alternatives) ways.push_back({alternative});
  std::string any;
  for (const auto& way : ways) {
    for (char place : places) {
      if (!any.empty()) any += " OR ";
      any += fmt::format("{{{{place in}}}}({}, :words{}) > 0", column, part->parameters.size());
      part->parameters.push_back(SideBySide(place, way, term.begins));
    }
  }
  if (places == kPlacesOfWords && !term.provider.empty()) {
    any += fmt::format(" OR {{{{place in}}}}({}, :words{}) > 0", column, part->parameters.size());
    part->parameters.push_back(" " + SearchFacet('p', term.provider) + " ");
  }
  part->text += "(" + any + ")";
}

void AddAllInHead(SqlPart* part, const SearchQuery& search, std::string_view places) {
  bool first = true;
  for (const SearchTerm& term : search.terms()) {
    if (!first) part->text += " AND ";
    AddTermIn(part, "e.head", term, places);
    first = false;
  }
}

constexpr std::size_t kMostWordsOfNames = 12;  // each costs two steps an entry

std::string BeginningWith(std::string_view text) {
  std::string pattern;
  for (char c : text) {
    if (c == '_' || c == '%' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + "%";
}

// How the index keeps the name that is searched for as a whole; "" where it is not for one.
std::string JoinedName(const SearchQuery& search) {
  if (search.terms().size() != 1 || search.whole().empty()) return "";
  const SearchTerm& term = search.terms().front();
  if (!term.begins || term.words.size() < 2) return "";
  std::string joined;
  for (SearchWord& word : SplitSearchWords(search.whole(), kMostHeadWords)) {
    if (word.besides && !word.cjk) joined = std::move(word.text);
  }
  return joined;
}

std::string AllTerms(const WordsText& empty, const SearchQuery& search, MatchMode asked,
                     std::string_view places) {
  WordsText text = empty;
  for (const SearchTerm& term : search.terms()) AddTerm(&text, term, asked, places);
  return text.text();
}

void AddFacets(WordsText* text, const SearchQuery& search, const std::vector<SearchKind>& kinds) {
  auto add = [text](char tag, std::string_view value) {
    text->Add(text->AnyOf({SearchFacet(tag, value)}, false));
  };
  if (!search.ns().empty()) add('s', search.ns());
  if (!search.host().empty()) add('h', search.host());
  for (const std::string& used : search.uses()) add('u', used);
  for (const std::string& needed : search.needs()) add('p', needed);
  for (const std::string& called : search.calls()) add('c', called);
  if (!search.system().empty()) add('y', search.system());
  if (search.deprecated()) add('d', *search.deprecated() ? "1" : "0");
  if (!search.version().empty()) add('v', search.version());
  if (!kinds.empty()) {
    std::vector<std::string> any;
    for (SearchKind kind : kinds) any.push_back(SearchFacet('k', SearchKindName(kind)));
    text->Add(text->AnyOf(any, false));
  }
  if (text->text().empty()) add('e', "1");
}

}  // namespace

bool IsJoinedName(const SearchQuery& search) { return !JoinedName(search).empty(); }

std::string MatchedWords(Dialect dialect, const SearchQuery& search, const MatchQuery& ask,
                         const PrefixExpansions& beginnings) {
  WordsText text(dialect, beginnings);
  const std::string terms = AllTerms(text, search, ask.asked, kPlacesOfWords);
  if (!terms.empty()) text.Add(terms);
  AddFacets(&text, search, ask.kinds);
  return text.text();
}

std::vector<std::string> MatchedInTurn(Dialect dialect, const SearchQuery& search,
                                       const MatchQuery& ask, const PrefixExpansions& beginnings) {
  const WordsText empty(dialect, beginnings);
  std::vector<std::string> turns;
  if (const std::string joined = JoinedName(search); !joined.empty()) {
    turns.push_back(empty.AnyOf({"n:" + joined}, true));
  }
  if (ask.names_first && !search.terms().empty()) {
    turns.push_back(AllTerms(empty, search, ask.asked, "n"));
  }
  turns.push_back(
      AllTerms(empty, search, ask.asked, ask.heads_only ? kPlacesOfHeads : kPlacesOfWords));
  for (std::size_t i = turns.size(); i-- > 0;) {
    WordsText text = empty;
    if (!turns[i].empty()) text.Add(turns[i]);
    AddFacets(&text, search, ask.kinds);
    text.Leave(std::span(turns).first(i));
    turns[i] = text.text();
  }
  return turns;
}

SqlPart IsCalledByWords(const SearchQuery& search, std::string_view own_words) {
  std::set<std::string> words;
  for (const SearchTerm& term : search.terms()) {
    words.insert(term.words.begin(), term.words.end());
    words.insert(term.alternatives.begin(), term.alternatives.end());
  }
  // A search for one thing is answered by its name as a whole.
  if (search.terms().size() < 2 || words.size() > kMostWordsOfNames) return {"(1 = 0)", {}};
  for (const std::string& word : std::set(words)) {
    words.insert(word.ends_with('s') ? word.substr(0, word.size() - 1) : word + "s");
  }
  SqlPart part{fmt::format("(LENGTH({0}) - LENGTH(REPLACE({0}, ' ', '')) - 1 = 0", own_words), {}};
  for (const std::string& word : words) {
    part.text += fmt::format(" + CASE WHEN {{{{place in}}}}({}, :words{}) > 0 THEN 1 ELSE 0 END",
                             own_words, part.parameters.size());
    part.parameters.push_back(" " + word + " ");
  }
  part.text += ")";
  return part;
}

SqlPart MatchCondition(const SearchQuery& search) {
  SqlPart part;
  for (const SearchTerm& term : search.terms()) {
    if (term.words.size() < 2) continue;
    if (!part.text.empty()) part.text += " AND ";
    AddTermIn(&part, "e.words", term, kPlacesOfWords);
  }
  return part;
}

SqlPart MatchTier(const SearchQuery& search) {
  SqlPart part;
  if (search.terms().empty()) return {"4", {}};
  part.text = "CASE";
  if (!search.whole().empty()) {
    part.text += " WHEN e.name_key = :whole THEN 0 WHEN e.name_key LIKE :start ESCAPE '\\' THEN 1";
    part.parameters = {search.whole(), BeginningWith(search.whole())};
  }
  part.text += " WHEN NOT (";
  AddAllInHead(&part, search, kPlacesOfHeads);
  part.text += ") THEN 4 WHEN ";
  AddAllInHead(&part, search, "n");
  part.text += " THEN 2 ELSE 3 END";
  return part;
}

}  // namespace koya::sql
