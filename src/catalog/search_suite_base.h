// What the suites about the search index share. See catalog_suite_base.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/access_suite_base.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/search_index.h"
#include "domain/page.h"
#include "domain/search_query.h"
#include "domain/search_record.h"

namespace koya {

inline SearchEntry Entry(SearchKind kind, std::string name, std::string title = "",
                         std::string text = "") {
  return {.kind = kind,
          .name = std::move(name),
          .title = std::move(title),
          .text = std::move(text),
          .uses = {},
          .needs = {}};
}

// "a|b", the matches in brackets.
inline std::string Marked(const SearchHit& hit) {
  std::string out;
  std::size_t at = 0;
  for (const TextRange& mark : hit.marks) {
    out.append(hit.snippet, at, mark.begin - at).append("[");
    out.append(hit.snippet, mark.begin, mark.end - mark.begin).append("]");
    at = mark.end;
  }
  return out.append(hit.snippet, at);
}

class SearchSuiteBase : public AccessSuiteBase {
 protected:
  using Entries = std::vector<SearchEntry>;

  static SearchSubject Module(std::string_view address, std::string_view version) {
    return SearchSubject::Of(Address(address), V(version));
  }
  static SearchSubject ProviderOf(std::string_view address, std::string_view version) {
    return SearchSubject::Of(Provider(address), V(version));
  }

  // Publishes the version, and puts its entries into the index.
  void PublishModule(std::string_view address, std::string_view version, Entries entries,
                     UnixSeconds at = kSuiteNow) {
    ModuleVersionRecord record = Record(address, version);
    record.published_at = at;
    this->ExpectDone(RunTask(modules().AddVersion(Tester(), record)));
    Put(Module(address, version), std::move(entries));
  }
  void PublishRelease(std::string_view address, std::string_view version, Entries entries) {
    const ProviderRelease release = SampleRelease(address, version, std::string(version));
    this->ExpectDone(RunTask(keys().AddKey(Tester(), SampleKey(release.address.ns()))));
    this->ExpectDone(RunTask(providers().AddRelease(Tester(), release, std::nullopt)));
    Put(ProviderOf(address, version), std::move(entries));
  }
  void Put(SearchSubject subject, Entries entries) {
    this->ExpectDone(
        RunTask(search_index().PutSearchEntries(std::move(subject), std::move(entries))));
  }
  void WithdrawModule(std::string_view address, std::string_view version) {
    this->ExpectDone(
        RunTask(modules().Withdraw(Tester(), Address(address), V(version),
                                   Withdrawal{.at = kSuiteNow, .by = "ann", .reason = "wrong"})));
  }

  SearchPage Page(std::string_view query, ReadableNamespaces readable = {},
                  PageRequest page = {0, 100}) {
    Result<SearchQuery> parsed = SearchQuery::Parse(query);
    EXPECT_TRUE(parsed) << query << ": " << parsed.error().message;
    if (!parsed) return {};
    auto found = RunTask(search_index().Search({*std::move(parsed), std::move(readable), page}));
    EXPECT_TRUE(found) << query << ": " << found.error().message << found.error().detail;
    return found ? *std::move(found) : SearchPage();
  }
  // "input acme/vpc/aws cidr" for each hit; "…" when there are more.
  Texts Find(std::string_view query, ReadableNamespaces readable = {},
             PageRequest page = {0, 100}) {
    return Written(Page(query, std::move(readable), page));
  }
  static Texts Written(const SearchPage& page) {
    Texts texts;
    for (const SearchHit& hit : page.items) {
      texts.push_back(std::string(SearchKindName(hit.kind)) + " " + hit.address + " " + hit.name);
    }
    if (page.more) texts.emplace_back("…");
    return texts;
  }
  // "module 1, input 2".
  static std::string Counts(const SearchPage& page) {
    std::string text;
    for (const auto& [kind, count] : page.counts) {
      text += (text.empty() ? "" : ", ") + std::string(SearchKindName(kind)) + " " +
              std::to_string(count);
    }
    return text;
  }
  Texts Subjects() {
    Texts texts;
    auto listed = RunTask(search_index().ListSearchSubjects(std::nullopt));
    this->ExpectDone(listed);
    if (!listed) return texts;
    for (const SearchSubject& subject : *listed) {
      texts.push_back(subject.key + " " + subject.version.ToString());
    }
    return texts;
  }
};

}  // namespace koya
