// The query language of the search:
//
//   network "private subnet" ns:platform kind:input,output uses:aws_vpc needs:hashicorp/aws
//   calls:acme/vpc/aws system:aws deprecated:no version:1.2.0 host:registry.example.org
//
// All parts must match. A bare word matches words that begin with it; one that consists of several
// words ("aws_vpc") matches them in sequence, however they are joined. A phrase in quotes matches
// whole words in sequence. ns, host, system, deprecated and version are given once; kinds are
// alternatives; uses, needs and calls add up. The address of a provider ("hashicorp/aws") also
// matches entries that need it. Without `version:`, the newest versions are searched; "version:any"
// searches all. An address as clients write it ("HOST/acme/vpc/aws//modules/sub") and the URL of a
// module's or provider's page stand for the address and the folder. At most kLongestSearch bytes
// and kMostSearchParts parts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/search_record.h"

namespace koya {

inline constexpr std::size_t kLongestSearch = 512;  // bytes
inline constexpr std::size_t kMostSearchParts = 16;

struct SearchTerm {
  std::vector<std::string> words;  // adjacent; at least one (search_words.h)
  bool begins = false;             // the last of them may be only the beginning of a word
  // Alternatives for a single word: see Forgive.
  std::vector<std::string> alternatives;
  std::string written;  // folded, as in the search; "" for a phrase in quotes
  // "hashicorp/aws": entries that need this provider match, too; "": the term is no such address.
  std::string provider = {};
  friend bool operator==(const SearchTerm&, const SearchTerm&) = default;
};

class SearchQuery {
 public:
  // Fails: kInvalid, saying which part is wrong and what to write instead; kInvalid with the
  // limit's name when it is too long or has too many parts.
  static Result<SearchQuery> Parse(std::string_view text);

  const std::vector<SearchTerm>& terms() const { return terms_; }
  // The words outside quotes, folded, with a blank between them, to match a whole name.
  const std::string& whole() const { return whole_; }
  const std::string& ns() const { return ns_; }  // NamespaceKey; "": any
  // Only entries of this registry, in ASCII form; "": any.
  const std::string& host() const { return host_; }
  bool here() const { return here_; }  // only entries published here
  const std::vector<SearchKind>& kinds() const { return kinds_; }
  const std::vector<std::string>& uses() const { return uses_; }
  const std::vector<std::string>& needs() const { return needs_; }
  const std::vector<std::string>& calls() const { return calls_; }
  std::optional<bool> deprecated() const { return deprecated_; }
  const std::string& version() const { return version_; }  // canonical; "": not given
  bool any_version() const { return any_version_; }

  // Narrows the query to modules that are published here: to entries of modules themselves,
  // whatever kinds the text asks for, in this namespace and system; "" for any. False: the text
  // asks for another namespace or system, or another registry.
  bool NarrowToModules(std::string_view ns, std::string_view system);
  const std::string& system() const { return system_; }  // folded; "": any

  // MayForgive: true if a term is a single word that may be misspelt. Forgive: sets the
  // alternatives to the word of term number `term`.
  static bool MayForgive(const SearchTerm& term);
  void Forgive(std::size_t term, std::vector<std::string> alternatives) {
    terms_[term].alternatives = std::move(alternatives);
  }
  // This search without the terms with these numbers.
  SearchQuery Without(const std::vector<std::size_t>& terms) const;

 private:
  SearchQuery() = default;
  Status AddFilter(std::string_view key, std::string_view value);
  Status AddKinds(std::string_view value);
  Status AddNamespace(std::string_view value);
  Status AddHost(std::string_view value);
  Status AddVersion(std::string_view value);
  Status AddDeprecated(std::string_view value);
  Status AddSystem(std::string_view value);
  Status AddWords(std::string_view text, bool quoted);
  Status AddPart(std::string_view text);
  void AppendWhole(const SearchTerm& term);
  // True if `text` is an address with further parts, whose words are added then.
  Result<bool> AddAddress(std::string_view text);

  std::vector<SearchTerm> terms_;
  std::string whole_;
  std::string ns_;
  std::string host_;
  bool here_ = false;
  std::vector<SearchKind> kinds_;
  std::vector<std::string> uses_;
  std::vector<std::string> needs_;
  std::vector<std::string> calls_;
  std::optional<bool> deprecated_;
  std::string version_;
  std::string system_;
  bool any_version_ = false;
};

}  // namespace koya
