// What every catalog must do: listings of what a caller may read. See catalog_suite_base.h.
#include <string>
#include <utility>
#include <vector>

#include "catalog/access_catalog.h"
#include "catalog/readable_suite_base.h"

namespace koya {
namespace {

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
  EXPECT_EQ(this->Providers(Stranger({"größe", "m*m"})), (Texts{"größe", "my-team", "myteam"}));
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

}  // namespace
}  // namespace koya
