// What every catalog must do: listings and pages of what a caller may read.
// See catalog_suite_base.h.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "catalog/access_catalog.h"
#include "catalog/access_suite_base.h"
#include "catalog/catalog_samples_fake.h"
#include "catalog/key_catalog.h"
#include "catalog/module_catalog.h"
#include "catalog/provider_catalog.h"
#include "domain/module_record.h"
#include "domain/page.h"
#include "domain/provider_record.h"

namespace koya {
namespace {

class ReadableSuiteBase : public AccessSuiteBase {
 protected:
  // A namespace of each visibility and one without a record, with a module and a provider in each.
  void PublishEverywhere() {
    for (const char* ns : {"Open", "within", "closed", "older"}) Publish(ns);
    this->AddNamespace("open", Visibility::kPublic);
    this->AddNamespace("Within", Visibility::kInternal);
    this->AddNamespace("closed", Visibility::kPrivate);
  }
  void Publish(const std::string& ns) {
    this->ExpectDone(RunTask(modules().AddVersion(Tester(), Record(ns + "/vpc/aws", "1.0.0"))));
    // A module's namespace may hold what a provider's may not.
    if (NormalizeProviderNamespace(ns)) PublishProvider(ns);
  }
  void PublishProvider(const std::string& ns) {
    const ProviderRelease release = SampleRelease(ns + "/demo", "1.0.0");
    this->ExpectDone(RunTask(keys().AddKey(Tester(), SampleKey(release.address.ns()))));
    this->ExpectDone(RunTask(providers().AddRelease(Tester(), release, std::nullopt)));
  }

  // The namespaces of the listed modules; "…" when there are more.
  Texts Modules(const ReadableNamespaces& readable, PageRequest page = {0, 100}) {
    return ListModules({.readable = readable}, page);
  }
  Texts ListModules(const ModuleFilter& filter, PageRequest page = {0, 100}) {
    return Names(RunTask(modules().ListModules(filter, page)),
                 [](const ModuleSummary& item) { return item.address.ns(); });
  }
  Texts Providers(const ReadableNamespaces& readable, PageRequest page = {0, 100}) {
    return ListProviders({.readable = readable}, page);
  }
  Texts ListProviders(const ProviderFilter& filter, PageRequest page = {0, 100}) {
    return Names(RunTask(providers().ListProviders(filter, page)),
                 [](const ProviderSummary& item) { return item.address.ns(); });
  }
  Texts Namespaces(const ReadableNamespaces& readable, const std::string& after = "",
                   std::uint64_t limit = 100) {
    return Names(RunTask(namespaces().ListNamespaces(readable, after, limit)),
                 [](const NamespaceRecord& item) { return item.name; });
  }

 private:
  template <class T, class NameOf>
  static Texts Names(const Result<Page<T>>& page, NameOf name_of) {
    Texts names;
    ExpectDone(page);
    if (!page) return names;
    for (const T& item : page->items) names.push_back(name_of(item));
    if (page->more) names.emplace_back("…");
    return names;
  }
};

class ReadableListingSuite : public ReadableSuiteBase {};
INSTANTIATE_CATALOG_SUITE(ReadableListingSuite);

TEST_P(ReadableListingSuite, EverybodySeesWhatTheyMayRead) {
  this->PublishEverywhere();
  struct Case {
    ReadableNamespaces readable;
    Texts modules;  // of the providers, the same
  };
  const Case kCases[] = {
      {{}, {"closed", "older", "Open", "within"}},
      {Stranger(), {"older", "Open"}},
      {Insider(), {"older", "Open", "within"}},
      {Stranger({"closed"}), {"closed", "older", "Open"}},
      {Stranger({"within"}), {"older", "Open", "within"}},
      {Insider({"closed"}), {"closed", "older", "Open", "within"}},
      {Insider({"CLOSED"}), {"closed", "older", "Open", "within"}},
      {Stranger({"nobody", "open", "closed", "closed"}), {"closed", "older", "Open"}},
      {Stranger({"close", "closed2", "closed/", ""}), {"older", "Open"}}};
  for (const Case& c : kCases) {
    const std::string trace = testing::PrintToString(c.readable.named);
    EXPECT_EQ(this->Modules(c.readable), c.modules) << trace;
    Texts folded, recorded;
    for (const std::string& ns : c.modules) {
      folded.push_back(ns == "Open" ? "open" : ns);
      if (ns != "older") recorded.push_back(ns == "Open" ? "open" : ns == "within" ? "Within" : ns);
    }
    EXPECT_EQ(this->Providers(c.readable), folded) << trace;
    EXPECT_EQ(this->Namespaces(c.readable), recorded) << trace;
  }
}

TEST_P(ReadableListingSuite, WhatHasNoRecordIsReadableAsIsSaid) {
  this->PublishEverywhere();
  struct Case {
    Visibility unrecorded;
    bool internal;
    bool named;
    bool shown;
  };
  const Case kCases[] = {
      {Visibility::kPublic, false, false, true},    {Visibility::kPublic, true, false, true},
      {Visibility::kInternal, false, false, false}, {Visibility::kInternal, true, false, true},
      {Visibility::kPrivate, false, false, false},  {Visibility::kPrivate, true, false, false},
      {Visibility::kInternal, true, true, true},    {Visibility::kInternal, false, true, true},
      {Visibility::kPrivate, false, true, true},    {Visibility::kPrivate, true, true, true}};
  for (const Case& c : kCases) {
    ReadableNamespaces readable = c.internal ? Insider() : Stranger();
    readable.unrecorded = c.unrecorded;
    if (c.named) readable.named = {c.internal ? "old*" : "older"};
    Texts wanted{"Open"};
    if (c.shown) wanted.insert(wanted.begin(), "older");
    if (c.internal) wanted.emplace_back("within");
    EXPECT_EQ(this->Modules(readable), wanted) << VisibilityName(c.unrecorded);
    EXPECT_EQ(this->Providers(readable).size(), wanted.size()) << VisibilityName(c.unrecorded);
  }
}

TEST_P(ReadableListingSuite, AChangedVisibilityShowsAtOnce) {
  this->PublishEverywhere();
  ASSERT_TRUE(RunTask(namespaces().SetVisibility(Tester(), "open", Visibility::kPrivate)));
  EXPECT_EQ(this->Modules(Stranger()), Texts{"older"});
  ASSERT_TRUE(RunTask(namespaces().SetVisibility(Tester(), "CLOSED", Visibility::kPublic)));
  EXPECT_EQ(this->Modules(Stranger()), (Texts{"closed", "older"}));
  EXPECT_EQ(this->Providers(Stranger()), (Texts{"closed", "older"}));
  this->AddNamespace("older");
  EXPECT_EQ(this->Modules(Stranger()), Texts{"closed"});
}

TEST_P(ReadableListingSuite, APatternStandsForKeysAndEverythingElseForItself) {
  for (const char* ns : {"my_team", "my-team", "myteam", "MY_TEAM2", "team-a", "team-b"}) {
    this->Publish(ns);
    this->AddNamespace(ns);
  }
  this->PublishProvider("größe");
  this->AddNamespace("größe");
  for (const char* ns : {"100%", "100x", "a\\b", "a\\", "say \"hi\"", "it's", "two\nlines"}) {
    this->AddNamespace(ns);
  }
  const std::pair<Texts, Texts> kCases[] = {
      {{"my_*"}, {"my_team", "MY_TEAM2"}},
      {{"MY_T*"}, {"my_team", "MY_TEAM2"}},
      {{"my_team"}, {"my_team"}},
      {{"my?team"}, {}},
      {{"m*m"}, {"my-team", "my_team", "myteam"}},
      {{"*_*"}, {"my_team", "MY_TEAM2"}},
      {{"team-*", "my-team"}, {"my-team", "team-a", "team-b"}},
      {{"*-b", "*-a"}, {"team-a", "team-b"}},
      {{"100%"}, {"100%"}},
      {{"10*%"}, {"100%"}},
      {{"%"}, {}},
      {{"%*"}, {}},
      {{"_*"}, {}},
      {{"[a-z]*"}, {}},
      {{"gr*e", "größe"}, {"größe"}},
      {{"*ß*"}, {"größe"}},
      {{"grö*"}, {"größe"}},
      {{"größ*e*"}, {"größe"}},
      {{"grü*", "gß*", "~*", "\x7f*"}, {}},
      {{"say \"*", "two\n*"}, {"say \"hi\"", "two\nlines"}},
      {{"team-*", "team-a*", "team*", "tea*", "*-a"}, {"team-a", "team-b"}},
      {{"a\\b"}, {"a\\b"}},
      {{"a\\*"}, {"a\\", "a\\b"}},
      {{"*\\"}, {"a\\"}},
      {{"say \"hi\"", "it's"}, {"it's", "say \"hi\""}},
      {{"*\"*", "*'s"}, {"it's", "say \"hi\""}},
      {{"two\nlines", "two\n*"}, {"two\nlines"}},
      {{"\xff", "\xff*", std::string("my\0*", 4)}, {}},
      {{"' OR 1=1 --", "*' OR 1=1 --", ":named", "{{key}}*"}, {}},
      {{"***team***-***"}, {"team-a", "team-b"}},
      {{"*"},
       {"100%", "100x", "a\\", "a\\b", "größe", "it's", "my-team", "my_team", "MY_TEAM2", "myteam",
        "say \"hi\"", "team-a", "team-b", "two\nlines"}}};
  for (const auto& [named, wanted] : kCases) {
    EXPECT_EQ(this->Namespaces(Stranger(named)), wanted) << testing::PrintToString(named);
  }
  EXPECT_EQ(this->Modules(Stranger({"my_*"})), (Texts{"my_team", "MY_TEAM2"}));
  EXPECT_EQ(this->Modules(Stranger({"team-b", "m*m"})),
            (Texts{"my-team", "my_team", "myteam", "team-b"}));
  EXPECT_EQ(this->Providers(Stranger({"GR*", "team-a"})), (Texts{"größe", "team-a"}));
  EXPECT_EQ(this->Providers(Stranger({"größe", "m*m"})),
            (Texts{"größe", "my-team", "my_team", "myteam"}));
  EXPECT_EQ(this->Providers(Stranger({"my_*"})), (Texts{"my_team", "my_team2"}));
}

TEST_P(ReadableListingSuite, APageCountsOnlyWhatMayBeRead) {
  for (int i = 0; i < 10; ++i) {
    const std::string ns = "ns" + std::to_string(i);
    this->Publish(ns);
    this->AddNamespace(ns, i % 2 == 0 ? Visibility::kPrivate : Visibility::kPublic);
  }
  const ReadableNamespaces reader = Stranger({"ns4"});
  const Texts all{"ns1", "ns3", "ns4", "ns5", "ns7", "ns9"};
  EXPECT_EQ(this->Modules(reader), all);
  EXPECT_EQ(this->Modules(reader, {0, 6}), all);
  const Texts first{"ns1", "ns3", "ns4", "ns5", "…"}, rest{"ns7", "ns9"};
  EXPECT_EQ(this->Modules(reader, {0, 4}), first);
  EXPECT_EQ(this->Modules(reader, {4, 2}), rest);
  EXPECT_EQ(this->Modules(reader, {6, 4}), Texts{});
  EXPECT_EQ(this->Providers(reader, {0, 4}), first);
  EXPECT_EQ(this->Providers(reader, {4, 2}), rest);
  EXPECT_EQ(this->Namespaces(reader, "", 4), first);
  EXPECT_EQ(this->Namespaces(reader, "ns5", 2), rest);
  EXPECT_EQ(this->Namespaces(reader, "NS4", 1), (Texts{"ns5", "…"}));
  EXPECT_EQ(this->Modules(Stranger({"none"}), {5, 2}), Texts{});
  EXPECT_EQ(this->Modules(Stranger(), {4, 1}), Texts{"ns9"});
}

TEST_P(ReadableListingSuite, OtherFiltersRestrictItFurther) {
  this->PublishEverywhere();
  const ReadableNamespaces readable = Insider({"clo*"});
  const std::pair<ModuleFilter, Texts> kModules[] = {
      {{.ns = "CLOSED", .readable = readable}, {"closed"}},
      {{.ns = "closed", .readable = Insider()}, {}},
      {{.name = "vpc", .system = "aws", .readable = readable},
       {"closed", "older", "Open", "within"}},
      {{.name = "dns", .readable = readable}, {}},
      {{.query = "vpc se", .readable = readable}, {"closed"}},
      {{.query = "with vpc", .readable = Stranger()}, {}},
      {{.query = "vpc", .after = "older/vpc/aws", .readable = readable}, {"Open", "within"}},
      {{.query = "\xff", .readable = readable}, {}}};
  for (const auto& [filter, wanted] : kModules) {
    EXPECT_EQ(this->ListModules(filter), wanted) << filter.ns << "|" << filter.query;
  }
  const std::pair<ProviderFilter, Texts> kProviders[] = {
      {{.ns = "closed", .readable = readable}, {"closed"}},
      {{.ns = "closed", .readable = Stranger({"open"})}, {}},
      {{.query = "demo se", .readable = readable}, {"closed"}},
      {{.query = "demo", .after = "older/demo", .readable = readable}, {"open", "within"}},
      {{.query = "none", .readable = readable}, {}}};
  for (const auto& [filter, wanted] : kProviders) {
    EXPECT_EQ(this->ListProviders(filter), wanted) << filter.ns << "|" << filter.query;
  }
}

TEST_P(ReadableListingSuite, SomebodyMayHaveBeenGivenAGreatMany) {
  this->PublishEverywhere();
  Texts named;
  for (int i = 0; i < 5000; ++i) named.push_back("namespace-" + std::to_string(i));
  for (int i = 0; i < 500; ++i) named.push_back("pattern-" + std::to_string(i) + "-*");
  named.emplace_back("closed");
  named.push_back(std::string(100'000, '*') + "within");
  EXPECT_EQ(this->Modules(Stranger(named)), (Texts{"closed", "older", "Open", "within"}));
  EXPECT_EQ(this->Providers(Stranger(named)), (Texts{"closed", "older", "open", "within"}));
}

// Pages, for any caller, and however little of the whole they may read: each is compared with one
// that follows from the rules.
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
    if (!NormalizeProviderNamespace(ns)) return;
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
