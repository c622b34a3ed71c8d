#include "domain/search_query.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/name_rules.h"
#include "domain/namespace_record.h"
#include "domain/provider_address.h"
#include "domain/search_words.h"

namespace koya {
namespace {

constexpr std::string_view kQueryBlanks = " \t\r\n\v\f";
constexpr std::size_t kMostWordsOfPart = 16;
constexpr std::size_t kLeastForgiven = 5;  // letters

constexpr std::string_view kFilterNames =
    "ns:, kind:, uses:, needs:, calls:, system:, deprecated:, version: and host: are filters";

Failure Twice(std::string_view key) {
  return FailInvalid("the search names {}: more than once: leave one of them", key);
}

bool IsFilterKey(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) { return c >= 'a' && c <= 'z'; });
}

// Where the part that begins at `at` ends: at a blank, or after the quote that closes it.
Result<std::size_t> EndOfPart(std::string_view text, std::size_t at) {
  if (text[at] != '"') return std::min(text.find_first_of(kQueryBlanks, at), text.size());
  const std::size_t close = text.find('"', at + 1);
  if (close == std::string_view::npos) {
    return FailInvalid(
        "the search has a quote that is not closed: {}: write one more \" after "
        "the phrase",
        Printable(text.substr(at), 60));
  }
  return close + 1;
}

// The first `count` segments of `path`; "" if there are fewer. The remainder goes to `rest`.
std::string_view FirstParts(std::string_view path, std::size_t count, std::string_view& rest) {
  std::size_t end = 0;
  for (; count > 0; --count) {
    if (end == path.npos) return {};
    end = path.find('/', end == 0 ? 0 : end + 1);
  }
  rest = end == path.npos ? std::string_view() : path.substr(end + 1);
  return path.substr(0, end);
}

std::string_view WithoutTopFolder(std::string_view folder) {
  for (std::string_view top : {"modules/", "examples/"}) {
    if (folder.starts_with(top)) return folder.substr(top.size());
  }
  return folder;
}

struct WrittenAddress {
  std::string_view address;
  std::string_view folder;  // without "modules/" or "examples/"; "" for the root
};

// Of a page: "/modules/acme/vpc/aws/1.2.0/submodules/sub", "/providers/acme/cloud".
std::optional<WrittenAddress> ReadPagePath(std::string_view path) {
  path = path.substr(0, path.find_first_of("?#"));
  const bool module = path.starts_with("modules/");
  if (!module && !path.starts_with("providers/")) return std::nullopt;
  std::string_view rest;
  const std::string_view address =
      FirstParts(path.substr(path.find('/') + 1), module ? 3 : 2, rest);
  if (module ? !ModuleAddress::Parse(address) : !ProviderAddress::Parse(address)) {
    return std::nullopt;
  }
  rest = rest.substr(std::min(rest.find('/'), rest.size()));  // behind the version
  for (std::string_view tab : {"/submodules/", "/examples/"}) {
    if (module && rest.starts_with(tab)) return WrittenAddress{address, rest.substr(tab.size())};
  }
  return WrittenAddress{address, {}};
}

// "registry.example.com/acme/vpc/aws//modules/sub", "acme/vpc/aws//modules/sub".
std::optional<WrittenAddress> ReadSource(std::string_view text) {
  const std::size_t twice = std::min(text.find("//"), text.size());
  std::string_view folder = text.substr(std::min(twice + 2, text.size()));
  folder = folder.substr(0, folder.find('?'));
  std::string_view address = text.substr(0, twice);
  const std::size_t slash = std::min(address.find('/'), address.size());
  const std::string_view host = address.substr(0, slash);
  const bool named = host.find_first_of(".:") != host.npos && HostName::ParseWire(host);
  if (named) address.remove_prefix(std::min(slash + 1, address.size()));
  if (!named && folder.empty()) return std::nullopt;  // words as they are
  const bool module = ModuleAddress::Parse(address).has_value();
  if (!module && (!folder.empty() || !ProviderAddress::Parse(address))) return std::nullopt;
  return WrittenAddress{address, WithoutTopFolder(folder)};
}

std::optional<WrittenAddress> ReadWrittenAddress(std::string_view text) {
  const std::string scheme = AsciiLower(text.substr(0, std::min(text.find("://"), text.size())));
  if (scheme != "http" && scheme != "https") return ReadSource(text);
  text.remove_prefix(std::min(scheme.size() + 3, text.size()));
  return ReadPagePath(text.substr(std::min(text.find('/'), text.size() - 1) + 1));
}

}  // namespace

bool SearchQuery::MayForgive(const SearchTerm& term) {
  if (term.words.size() != 1 || !term.begins) return false;
  return CountCharacters(term.words[0]) >= kLeastForgiven;
}

Result<SearchQuery> SearchQuery::Parse(std::string_view text) {
  if (text.size() > kLongestSearch) {
    return FailLimit(
        ErrorKind::kInvalid, "fixed.search_bytes",
        fmt::format("the search is longer than {} bytes: leave out words", kLongestSearch));
  }
  if (!IsPlainText(text)) {
    return FailInvalid("the search is not UTF-8 text, or has control characters: write it as text");
  }
  SearchQuery query;
  std::size_t parts = 0;
  for (std::size_t at = text.find_first_not_of(kQueryBlanks); at != std::string_view::npos;
       at = text.find_first_not_of(kQueryBlanks, at)) {
    if (++parts > kMostSearchParts) {
      return FailLimit(ErrorKind::kInvalid, "fixed.search_parts",
                       fmt::format("the search has more than {} words and filters: leave some out",
                                   kMostSearchParts));
    }
    ASSIGN_OR_RETURN(const std::size_t end, EndOfPart(text, at));
    RETURN_IF_ERROR(query.AddPart(text.substr(at, end - at)));
    at = end;
  }
  if (parts == 0) {
    return FailInvalid("the search is empty: write a word to look for");
  }
  return query;
}

bool SearchQuery::NarrowToModules(std::string_view ns, std::string_view system) {
  kinds_ = {SearchKind::kModule};
  const std::string folded = FoldForSearch(system);
  if (!folded.empty() && !system_.empty() && system_ != folded) return false;
  if (!folded.empty()) system_ = folded;
  if (!host_.empty()) return false;
  here_ = true;
  if (ns.empty()) return true;
  const std::string key = NamespaceKey(ns);
  if (!ns_.empty() && ns_ != key) return false;
  ns_ = key;
  return true;
}

Result<bool> SearchQuery::AddAddress(std::string_view text) {
  const std::optional<WrittenAddress> written = ReadWrittenAddress(text);
  if (!written) return false;
  RETURN_IF_ERROR(AddWords(written->address, false));
  // A folder of signs alone says nothing.
  if (!SplitSearchWords(written->folder, 1).empty()) {
    RETURN_IF_ERROR(AddWords(written->folder, false));
  }
  return true;
}

Status SearchQuery::AddPart(std::string_view text) {
  if (text[0] == '"') return AddWords(text.substr(1, text.size() - 2), true);
  ASSIGN_OR_RETURN(const bool address, AddAddress(text));
  if (address) return {};
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return AddWords(text, false);
  const std::string key = AsciiLower(text.substr(0, colon));
  if (!IsFilterKey(key)) return AddWords(text, false);
  return AddFilter(key, text.substr(colon + 1));
}

Status SearchQuery::AddFilter(std::string_view key, std::string_view value) {
  constexpr std::string_view kKeys[] = {"ns",     "kind",       "uses",    "needs", "calls",
                                        "system", "deprecated", "version", "host"};
  if (std::ranges::find(kKeys, key) == std::end(kKeys)) {
    return FailInvalid(
        "the search has an unknown filter \"{}:\": {}; to search for the text itself, quote it",
        Printable(key, 30), kFilterNames);
  }
  if (value.empty() || value.find('"') != std::string_view::npos) {
    return FailInvalid(
        "the filter {}: of the search needs a value right after the colon, "
        "without blanks or quotes",
        key);
  }
  if (key == "ns") return AddNamespace(value);
  if (key == "kind") return AddKinds(value);
  if (key == "version") return AddVersion(value);
  if (key == "host") return AddHost(value);
  if (key == "deprecated") return AddDeprecated(value);
  if (key == "system") return AddSystem(value);
  std::vector<std::string>& list = key == "uses" ? uses_ : key == "needs" ? needs_ : calls_;
  list.push_back(FoldForSearch(value));
  return {};
}

Status SearchQuery::AddNamespace(std::string_view value) {
  if (!ns_.empty()) return Twice("ns");
  ASSIGN_OR_RETURN(const std::string name, ParseNamespaceName(value));
  ns_ = NamespaceKey(name);
  return {};
}

Status SearchQuery::AddKinds(std::string_view value) {
  while (true) {
    const std::size_t comma = value.find(',');
    const std::string name = AsciiLower(value.substr(0, comma));
    const std::optional<SearchKind> kind = ParseSearchKind(name);
    if (!kind) {
      return FailInvalid("the search has an unknown kind \"{}\": use {}", Printable(name, 30),
                         kSearchKindNames);
    }
    if (std::ranges::find(kinds_, *kind) == kinds_.end()) kinds_.push_back(*kind);
    if (comma == std::string_view::npos) return {};
    value.remove_prefix(comma + 1);
  }
}

Status SearchQuery::AddHost(std::string_view value) {
  if (!host_.empty() || here_) return Twice("host");
  if (AsciiLower(value) == "here") {
    here_ = true;
    return {};
  }
  Result<HostName> host = HostName::ParseWire(value);
  if (!host) {
    return FailInvalid(
        "the filter host: of the search is the name of a registry, as "
        "host:registry.example.org, or \"here\": {}",
        host.error().message);
  }
  host_ = host->ascii();
  return {};
}

Status SearchQuery::AddVersion(std::string_view value) {
  if (!version_.empty() || any_version_) return Twice("version");
  if (AsciiLower(value) == "any") {
    any_version_ = true;
    return {};
  }
  ASSIGN_OR_RETURN(const Version version, Version::ParseLookup(value));
  version_ = version.ToString();
  return {};
}

Status SearchQuery::AddDeprecated(std::string_view value) {
  if (deprecated_) return Twice("deprecated");
  const std::string answer = AsciiLower(value);
  if (answer != "yes" && answer != "no") {
    return FailInvalid(
        "the filter deprecated: of the search is \"yes\" or \"no\": write one of them");
  }
  deprecated_ = answer == "yes";
  return {};
}

Status SearchQuery::AddSystem(std::string_view value) {
  if (!system_.empty()) return Twice("system");
  if (!ModuleAddress::Parse(fmt::format("any/any/{}", AsciiLower(value)))) {
    return FailInvalid(
        "the filter system: of the search is the last part of a module's address, as in "
        "system:aws: \"{}\" cannot be one",
        Printable(value, 30));
  }
  system_ = FoldForSearch(value);
  return {};
}

Status SearchQuery::AddWords(std::string_view text, bool quoted) {
  SearchTerm term;
  term.begins = !quoted;
  bool cjk_alone = false;
  for (SearchWord& word : SplitSearchWords(text, 2 * kMostWordsOfPart)) {
    if (word.besides) continue;
    cjk_alone = word.cjk && term.words.empty() && word.end == text.size();
    term.words.push_back(std::move(word.text));
  }
  if (term.words.empty()) {
    return FailInvalid("{} in the search has no letter or digit: leave it out",
                       Printable(text.empty() ? "\"\"" : text, 60));
  }
  if (term.words.size() > kMostWordsOfPart) term.words.resize(kMostWordsOfPart);
  // Of a character, words begin with it; one Latin letter would begin too many.
  const std::string& last = term.words.back();
  if (last.size() == 1) term.begins = false;
  if (quoted && cjk_alone) term.begins = true;
  if (!quoted) term.written = FoldForSearch(text);
  if (!quoted && ProviderAddress::Parse(text)) term.provider = term.written;
  AppendWhole(term);
  const bool known = std::ranges::any_of(terms_, [&term](const SearchTerm& each) {
    return each.words == term.words && each.begins == term.begins;
  });
  if (!known) terms_.push_back(std::move(term));
  return {};
}

void SearchQuery::AppendWhole(const SearchTerm& term) {
  if (term.written.empty()) return;
  if (!whole_.empty()) whole_ += ' ';
  whole_ += term.written;
}

SearchQuery SearchQuery::Without(const std::vector<std::size_t>& terms) const {
  SearchQuery less = *this;
  less.terms_.clear();
  less.whole_.clear();
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (std::ranges::find(terms, i) != terms.end()) continue;
    less.AppendWhole(terms_[i]);
    less.terms_.push_back(terms_[i]);
  }
  return less;
}

}  // namespace koya
