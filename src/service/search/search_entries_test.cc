#include "service/search/search_entries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "catalog/search_index.h"
#include "inspect/contents.h"

namespace koya::service {
namespace {

using inspect::ModuleContents;
using inspect::ModulePart;

const ModuleAddress& NetworkAddress() {
  static const auto* address = new ModuleAddress(*ModuleAddress::Parse("acme/network/aws"));
  return *address;
}

ModulePart NetworkPart() {
  ModulePart part;
  part.header = "Networks\nof all sizes";
  part.readme = {.file = "README.md", .text = "# Network\n\nA *fine* [one](https://x.y).\n"};
  part.inputs = {{.name = "cidr",
                  .description = "Its  addresses",
                  .type = "string",
                  .default_text = "\"10.0.0.0/8\"",
                  .deprecated = "use block",
                  .validations = {{"x", "must be a range"}}}};
  part.outputs = {{.name = "id", .description = "Of it", .value = "aws_vpc.main.id"}};
  part.resources = {{.mode = "managed", .type = "aws_vpc", .name = "main", .provider = "aws.east"},
                    {.mode = "data", .type = "aws_ami", .name = "x"},
                    {.mode = "managed", .type = "aws_vpc", .name = "other", .provider = "aws"}};
  part.requirements = {{.name = "aws", .address = "registry.opentofu.org/hashicorp/aws"},
                       {.name = "terraform", .address = ""}};
  return part;
}

ModuleContents NetworkContents() {
  ModuleContents contents;
  contents.root = NetworkPart();
  ModulePart peering;
  peering.path = "modules/peering/deep";
  peering.inputs = {{.name = "peer"}};
  contents.submodules = {peering};
  ModulePart example;
  example.path = "examples/full";
  example.inputs = {{.name = "unseen"}};
  contents.examples = {example};
  return contents;
}

using Entries = std::vector<SearchEntry>;

TEST(SearchEntriesTest, AModuleIsWhatIsInIt) {
  const Entries entries = ModuleSearchEntries(NetworkAddress(), "", NetworkContents());
  const std::string source = "registry.opentofu.org/hashicorp/aws";
  const Entries wanted = {
      {SearchKind::kModule,
       "network",
       "A fine one.",
       entries.at(0).text,
       {"aws_ami", "aws_vpc"},
       {source}},
      {SearchKind::kSubmodule, "peering/deep", "", "", {}, {}},
      {SearchKind::kExample, "full", "", "", {}, {}},
      {SearchKind::kInput,
       "cidr",
       "Deprecated: use block. Its addresses",
       "string\n\"10.0.0.0/8\"\nuse block\nmust be a range",
       {},
       {}},
      {SearchKind::kOutput, "id", "Of it", "aws_vpc.main.id", {}, {}},
      {SearchKind::kResource, "aws_vpc.main", "", "", {"aws_vpc"}, {source}},
      {SearchKind::kResource, "data.aws_ami.x", "", "", {"aws_ami"}, {source}},
      {SearchKind::kResource, "aws_vpc.other", "", "", {"aws_vpc"}, {source}},
      {SearchKind::kInput, "peering/deep/peer", "", "", {}, {}},
  };
  EXPECT_EQ(entries, wanted);
  EXPECT_TRUE(entries[0].text.contains("A fine one.")) << entries[0].text;
}

TEST(SearchEntriesTest, TheTitleIsTheFirstThatSaysSomething) {
  auto title = [](std::string_view description, const ModuleContents& contents) {
    return ModuleSearchEntries(NetworkAddress(), description, contents).at(0).title;
  };
  ModuleContents contents = NetworkContents();
  EXPECT_EQ(title("As published", contents), "As published");
  EXPECT_EQ(title(" \n", contents), "A fine one.");
  contents.root.readme.text = std::string(1000, 'x');
  EXPECT_LE(title("", contents).size(), 303u);
  contents.root.readme.text.clear();
  EXPECT_EQ(title("", contents), "Networks of all sizes");
  contents.root.header = "Copyright 2022 Example\n\nLicensed under";
  EXPECT_EQ(title("", contents), "");
  contents.root.header.clear();
  EXPECT_EQ(title("", contents), "");
}

// The index rejects text that contains NUL or is not UTF-8.
TEST(SearchEntriesTest, WhatIsNoTextIsMadeOne) {
  ModuleContents contents;
  contents.root.inputs = {{.name = std::string("a\0b", 3),
                           .description = "bad \xff here",
                           .default_text = std::string("x\0\xc3", 3)}};
  contents.root.readme.text = std::string("nul \0 and \xff", 11);
  const Entries entries = ModuleSearchEntries(NetworkAddress(), "\xfe", contents);
  ASSERT_EQ(entries.size(), 2u);
  for (const SearchEntry& entry : entries) {
    for (const std::string* text : {&entry.name, &entry.title, &entry.text}) {
      EXPECT_TRUE(IsUtf8(*text)) << *text;
      EXPECT_EQ(text->find('\0'), std::string::npos) << *text;
    }
  }
  EXPECT_EQ(entries[1].name, "a b");
}

TEST(SearchEntriesTest, CallsAreAddressesAndWhetherSomeAreUnknown) {
  const std::string vpc = "registry.example.com/acme/vpc/aws";
  ModuleContents contents;
  contents.root.calls = {
      {.name = "a", .source = "acme/vpc/aws", .kind = "registry", .address = vpc},
      {.name = "b", .source = "acme/vpc/aws", .kind = "registry", .address = vpc},
      {.name = "c", .source = "./x", .kind = "local", .address = "x"},
      {.name = "d"}};  // without a source
  auto calls = [&] { return ModuleSearchEntries(NetworkAddress(), "", contents).at(0).calls; };
  EXPECT_EQ(calls(), std::vector<std::string>{vpc});
  contents.root.calls.push_back({.name = "e", .source = "var.source"});
  EXPECT_EQ(calls(), (std::vector<std::string>{"unknown", vpc}));
}

TEST(SearchEntriesTest, TooMuchIsCutBehindWhatCountsMost) {
  ModuleContents contents = NetworkContents();
  contents.root.inputs.assign(SearchIndex::kMostEntries + 5, {.name = "one"});
  contents.root.readme.text = std::string(inspect::kMaxReadme, 'x');
  const Entries entries = ModuleSearchEntries(NetworkAddress(), "", contents);
  EXPECT_EQ(entries.size(), SearchIndex::kMostEntries);
  EXPECT_EQ(entries[2].kind, SearchKind::kExample);
  EXPECT_LE(entries[0].text.size(), std::size_t{64} << 10);
}

TEST(SearchEntriesTest, AProviderIsItsPages) {
  const auto address = *ProviderAddress::FromParts("acme", "demo");
  const Entries entries = ProviderSearchEntries(
      address, {{.kind = "resources", .name = "demo_x", .title = "An x", .text = "All of it"}});
  const Entries wanted = {{SearchKind::kProvider, "demo", "", "", {}, {}},
                          {SearchKind::kDoc, "resources/demo_x", "An x", "All of it", {}, {}}};
  EXPECT_EQ(entries, wanted);
}

}  // namespace
}  // namespace koya::service
