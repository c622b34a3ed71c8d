#include "domain/search_document.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "domain/namespace_record.h"
#include "domain/search_record.h"
#include "domain/search_words.h"

namespace koya {
namespace {

void AddWord(std::string* out, char tag, std::string_view word) {
  out->append(1, tag).append(":").append(word).append(" ");
}

// The words in sequence, then the additional ones.
std::vector<SearchWord> AddField(std::string* out, char tag, std::string_view text,
                                 std::size_t most) {
  std::vector<SearchWord> words = SplitSearchWords(text, most);
  for (const SearchWord& word : words) {
    if (!word.besides) AddWord(out, tag, word.text);
  }
  *out += "| ";
  for (const SearchWord& word : words) {
    if (word.besides) AddWord(out, tag, word.text);
  }
  *out += "| ";
  return words;
}

void AddFacet(std::string* out, char tag, std::string_view value) {
  *out += SearchFacet(tag, value);
  *out += ' ';
}

// "host/hashicorp/aws" is also "hashicorp/aws" and "aws".
void AddSources(std::string* out, const std::vector<std::string>& sources) {
  for (std::string_view source : std::span(sources).first(std::min(sources.size(), kMostFacets))) {
    source = CutUtf8(source, kLongestFacet);
    AddFacet(out, 'p', source);
    for (std::size_t at = source.find('/'); at != source.npos; at = source.find('/', at + 1)) {
      AddFacet(out, 'p', source.substr(at + 1));
    }
  }
}

// "host/acme/vpc/aws" is also "acme/vpc/aws".
void AddCalls(std::string* out, const std::vector<std::string>& calls) {
  for (std::string_view call : std::span(calls).first(std::min(calls.size(), kMostFacets))) {
    AddFacet(out, 'c', call);
    if (std::ranges::count(call, '/') == 3) AddFacet(out, 'c', call.substr(call.find('/') + 1));
  }
}

// Of "aws_vpc" its words alone: who types it with a wrong letter looks for two words, and more than
// one is never forgiven. (Whole names are the most of what would be kept: nearly each is new.)
void AddSpellings(SearchDocument* document, const std::vector<SearchWord>& words) {
  for (const SearchWord& word : words) {
    const bool joined = word.besides && word.text.find_first_of("_-./") != std::string::npos;
    if (!joined && !word.cjk && IsForgivable(word.text)) document->spellings.push_back(word.text);
  }
}

}  // namespace

std::string SearchFacet(char tag, std::string_view value) {
  std::string facet = {tag, ':'};
  for (char c : FoldForSearch(CutUtf8(value, kLongestFacet))) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                       static_cast<unsigned char>(c) >= 0x80 ||
                       std::string_view("_-./+").find(c) != std::string_view::npos;
    facet += plain ? c : '_';
  }
  return facet;
}

SearchDocument MakeSearchDocument(const SearchSubject& subject, const SearchEntry& entry,
                                  bool deprecated) {
  SearchDocument document;
  std::string& out = document.head;
  out = " ";
  AddSpellings(&document, AddField(&out, 'n', entry.name, kMostHeadWords));
  if (entry.kind == subject.kind) {
    // Not its host: that would find all that is kept of it.
    std::string_view address = subject.address;
    if (!subject.host.empty()) address.remove_prefix(subject.host.size() + 1);
    AddSpellings(&document, AddField(&out, 'n', address, kMostHeadWords));
  }
  AddSpellings(&document, AddField(&out, 't', entry.title, kMostHeadWords));
  std::ranges::sort(document.spellings);
  document.spellings.erase(std::ranges::unique(document.spellings).begin(),
                           document.spellings.end());
  document.words = out;
  AddField(&document.words, 'x', entry.text, kMostTextWords);
  AddFacet(&document.words, 'k', SearchKindName(entry.kind));
  AddFacet(&document.words, 's', NamespaceKey(subject.ns));
  if (!subject.host.empty()) AddFacet(&document.words, 'h', subject.host);
  if (subject.kind == SearchKind::kModule) {
    AddFacet(&document.words, 'y',
             std::string_view(subject.address).substr(subject.address.rfind('/') + 1));
  }
  AddFacet(&document.words, 'v', subject.version.ToString());
  AddFacet(&document.words, 'd', deprecated ? "1" : "0");
  AddFacet(&document.words, 'e', "1");
  for (std::string_view used :
       std::span(entry.uses).first(std::min(entry.uses.size(), kMostFacets))) {
    AddFacet(&document.words, 'u', used);
  }
  AddSources(&document.words, entry.needs);
  AddCalls(&document.words, entry.calls);
  return document;
}

}  // namespace koya
