// What every catalog must do: pages of what a caller may read, for any caller, and however little
// of the whole. Each page is compared with one that follows from the rules. See
// catalog_suite_base.h.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "base/text.h"
#include "catalog/access_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "catalog/readable_suite_base.h"

namespace koya {
namespace {

class ReadablePagesSuite : public ReadableSuiteBase {
 protected:
  struct Space {
    std::string name;
    std::optional<Visibility> visibility;  // nullopt: there is no record
  };
  using List = std::function<Texts(const std::string& after, PageRequest page)>;

  // In addresses "acme-two/" is before "acme/", and that before "acme0/". Some are recorded before
  // something is published in them, some after, and some not.
  void PublishSeveral() {
    const std::optional<Visibility> kInTurn[] = {Visibility::kPublic, Visibility::kPrivate,
                                                 Visibility::kInternal, std::nullopt};
    std::size_t turn = 0;
    for (const char* name : {"acme", "acme-two", "Acme0", "a", "team-a", "Team-B", "team-b2",
                             "teams", "my_team", "zeta", "Ze", "z9"}) {
      spaces_.push_back({name, kInTurn[turn % 4]});
      const bool recorded_first = turn++ % 3 == 0;
      if (recorded_first) Record(spaces_.back());
      PublishIn(name);
      if (!recorded_first) Record(spaces_.back());
    }
  }
  // All that are recorded become so.
  void MakeAll(Visibility visibility) {
    for (Space& space : spaces_) {
      if (!space.visibility) continue;
      space.visibility = visibility;
      this->ExpectDone(RunTask(namespaces().SetVisibility(Tester(), space.name, visibility)));
    }
  }

  Texts ModulesOf(const ReadableNamespaces& readable) const {
    return Select(readable, modules_, [](const std::string& text) { return text; });
  }
  Texts ProvidersOf(const ReadableNamespaces& readable) const {
    return Select(readable, providers_, AsciiLower);
  }

  Texts ListModules(ModuleFilter filter, PageRequest page) {
    return Addresses(RunTask(modules().ListModules(std::move(filter), page)));
  }
  Texts ListProviders(ProviderFilter filter, PageRequest page) {
    return Addresses(RunTask(providers().ListProviders(std::move(filter), page)));
  }

  // By offset and by the last item of the page before, in pages of several lengths; "…" for more.
  static void ExpectPages(const List& list, const Texts& wanted, const std::string& trace) {
    for (std::size_t limit : {2, 7, 100}) {
      for (std::size_t offset = 0; offset <= wanted.size(); offset += limit) {
        const std::size_t end = std::min(offset + limit, wanted.size());
        Texts page;
        for (std::size_t i = offset; i < end; ++i) page.push_back(wanted[i]);
        if (end < wanted.size()) page.emplace_back("…");
        EXPECT_EQ(list("", {offset, limit}), page) << trace << " from " << offset;
        const std::string after = offset == 0 ? "" : wanted[offset - 1];
        EXPECT_EQ(list(after, {0, limit}), page) << trace << " after " << after;
      }
    }
  }
  void ExpectAllPages(const std::string& world) {
    for (const ReadableNamespaces& readable : Readers()) {
      const std::string trace = world + " " + testing::PrintToString(readable.named);
      auto modules = [&](const std::string& after, PageRequest page) {
        return ListModules({.after = after, .readable = readable}, page);
      };
      ExpectPages(modules, ModulesOf(readable), "modules " + trace);
      auto providers = [&](const std::string& after, PageRequest page) {
        return ListProviders({.after = after, .readable = readable}, page);
      };
      ExpectPages(providers, ProvidersOf(readable), "providers " + trace);
    }
  }

  static std::vector<ReadableNamespaces> Readers() {
    std::vector<ReadableNamespaces> readers{
        {},
        Stranger(),
        Insider(),
        Stranger({"acme"}),
        Stranger({"ACME", "my_team", "nobody"}),
        Stranger({"team-*"}),
        Stranger({"TEAM*", "*e", "acme-two"}),
        Insider({"z*"}),
        Stranger({"*"}),
    };
    const std::size_t count = readers.size();
    for (std::size_t i = 1; i < count; ++i) {
      readers.push_back(readers[i]);
      readers.back().unrecorded = i % 2 == 0 ? Visibility::kInternal : Visibility::kPrivate;
    }
    return readers;
  }

 private:
  void Record(const Space& space) {
    if (space.visibility) this->AddNamespace(space.name, *space.visibility);
  }
  void PublishIn(const std::string& ns) {
    this->Publish(ns);
    modules_.push_back(ns + "/vpc/aws");
    for (const char* name : {"/dns/aws", "/Vpc/gcp"}) {
      modules_.push_back(ns + name);
      this->ExpectDone(
          RunTask(modules().AddVersion(Tester(), koya::Record(modules_.back(), "1.0.0"))));
    }
    if (!NormalizeProviderPart("namespace", ns)) return;
    providers_.push_back(ns + "/demo");
    providers_.push_back(ns + "/another");
    this->ExpectDone(RunTask(providers().AddRelease(
        Tester(), SampleRelease(AsciiLower(providers_.back()), "1.0.0"), std::nullopt)));
  }

  bool MayRead(const ReadableNamespaces& readable, const std::string& ns) const {
    if (readable.everything) return true;
    auto matches = [&](const std::string& pattern) { return MatchesGlob(pattern, ns); };
    if (std::ranges::any_of(readable.named, matches)) return true;
    const Space& space = *std::ranges::find(spaces_, ns, &Space::name);
    const Visibility visibility = space.visibility.value_or(readable.unrecorded);
    return visibility == Visibility::kPublic ||
           (visibility == Visibility::kInternal && readable.internal);
  }
  template <class Written>
  Texts Select(const ReadableNamespaces& readable, const Texts& all, Written written) const {
    Texts found;
    for (const std::string& address : all) {
      if (!MayRead(readable, address.substr(0, address.find('/')))) continue;
      found.push_back(written(address));
    }
    std::ranges::sort(found, {}, AsciiLower);
    return found;
  }
  template <class T>
  static Texts Addresses(const Result<Page<T>>& page) {
    Texts addresses;
    ExpectDone(page);
    if (!page) return addresses;
    for (const T& item : page->items) addresses.push_back(item.address.ToString());
    if (page->more) addresses.emplace_back("…");
    return addresses;
  }

  std::vector<Space> spaces_;
  Texts modules_, providers_;
};
INSTANTIATE_CATALOG_SUITE(ReadablePagesSuite);

TEST_P(ReadablePagesSuite, PagesAreWhatFollowsFromTheRules) {
  this->PublishSeveral();
  this->ExpectAllPages("mixed");
  this->MakeAll(Visibility::kPrivate);
  this->ExpectAllPages("all private");
  this->MakeAll(Visibility::kPublic);
  this->ExpectAllPages("all public");
  for (const char* ns : {"a", "teams", "z9"}) this->AddNamespace(ns, Visibility::kPublic);
  const Texts all = this->ModulesOf({});
  EXPECT_EQ(this->ListModules({.readable = Stranger()}, {0, 100}), all);
}

TEST_P(ReadablePagesSuite, FurtherFiltersLeaveTheOrderAsItIs) {
  this->PublishSeveral();
  const std::pair<ModuleFilter, std::function<bool(const std::string&)>> kFilters[] = {
      {{.query = "team"}, [](const std::string& key) { return key.contains("team"); }},
      {{.query = "VPC gcp"}, [](const std::string& key) { return key.ends_with("/vpc/gcp"); }},
      {{.name = "DNS"}, [](const std::string& key) { return key.contains("/dns/"); }},
      {{.system = "gcp"}, [](const std::string& key) { return key.ends_with("/gcp"); }},
      {{.ns = "Acme"}, [](const std::string& key) { return key.starts_with("acme/"); }},
      {{.ns = "ACME/vpc"}, [](const std::string& key) { return key.starts_with("acme/vpc/"); }},
      {{.ns = "teams"}, [](const std::string& key) { return key.starts_with("teams/"); }},
      {{.ns = "z9", .name = "vpc"},
       [](const std::string& key) { return key.starts_with("z9/vpc/"); }},
      {{.query = "nothing"}, [](const std::string&) { return false; }}};
  for (const ReadableNamespaces& readable : this->Readers()) {
    for (const auto& [filter, matches] : kFilters) {
      Texts wanted;
      for (const std::string& address : this->ModulesOf(readable)) {
        if (matches(AsciiLower(address))) wanted.push_back(address);
      }
      auto list = [&](const std::string& after, PageRequest page) {
        ModuleFilter given = filter;
        given.readable = readable;
        given.after = after;
        return this->ListModules(given, page);
      };
      this->ExpectPages(list, wanted,
                        filter.query + filter.name + filter.system + filter.ns +
                            testing::PrintToString(readable.named));
    }
  }
}

TEST_P(ReadablePagesSuite, WhatAPageFollowsNeedNotBeThere) {
  this->PublishSeveral();
  const ReadableNamespaces readable = Stranger({"team*"});
  const Texts all = this->ModulesOf(readable);
  for (const char* after : {"acme", "acme-", "acme/", "acme/vpc", "acme/zz/zz", "acme0", "TEAM-B/e",
                            "team-b/", "team-b0", "t", "zzz", "zzz/", "/", "//", "team-b//", "%"}) {
    Texts wanted;
    for (const std::string& address : all) {
      if (AsciiLower(address) > AsciiLower(after)) wanted.push_back(address);
    }
    EXPECT_EQ(this->ListModules({.after = after, .readable = readable}, {0, 100}), wanted) << after;
  }
}

}  // namespace
}  // namespace koya
