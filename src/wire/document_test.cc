// A document is written as a text of its own, or into a tree to which others add something: both
// ways say the same.
#include "wire/document.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace koya::wire {
namespace {

struct Part {
  std::string name;
  std::vector<Part> parts;
};
struct Own {
  std::string text;
};
boost::json::value WriteValue(const Own& own) { return boost::json::array{own.text, 1}; }

struct Whole {
  std::string text, null_text, absent_text;
  std::optional<std::string> maybe, absent_maybe;
  std::uint64_t count = 0;
  std::int64_t offset = 0;
  bool flag = false, absent_flag = false;
  std::vector<std::string> words, no_words;
  std::map<std::string, std::string> labels, no_labels;
  Part part;
  std::vector<Part> parts, no_parts;
  std::optional<Part> maybe_part;
  Own own;
};

}  // namespace

template <>
constexpr auto kDocument<Part> =
    Document("the part", Required("name", &Part::name), OrAbsent("parts", &Part::parts));

template <>
constexpr auto kDocument<Whole> = Document(
    "the whole", OrAbsent("absent", &Whole::absent_text), Required("text", &Whole::text),
    OrNull("null", &Whole::null_text), Optional("maybe", &Whole::maybe),
    OrAbsent("absent_maybe", &Whole::absent_maybe), Optional("count", &Whole::count),
    Optional("offset", &Whole::offset), Optional("flag", &Whole::flag),
    OrAbsent("absent_flag", &Whole::absent_flag), Optional("words", &Whole::words),
    OrNull("no_words", &Whole::no_words), Optional("labels", &Whole::labels),
    OrAbsent("no_labels", &Whole::no_labels), Optional("part", &Whole::part),
    Optional("parts", &Whole::parts), OrAbsent("no_parts", &Whole::no_parts),
    Optional("maybe_part", &Whole::maybe_part), Optional("own", &Whole::own),
    Written<Whole>{"made", [](const Whole& of) -> boost::json::value { return of.words.size(); }});

namespace {

std::string AsTree(const Whole& whole) { return boost::json::serialize(WriteObject(whole)); }

Whole Filled() {
  const Part part{.name = "a \"part\"", .parts = {{.name = "\n", .parts = {}}}};
  return {.text = "größe\\\t",
          .null_text = "n",
          .absent_text = "a",
          .maybe = "",
          .absent_maybe = "m",
          .count = std::numeric_limits<std::uint64_t>::max(),
          .offset = std::numeric_limits<std::int64_t>::min(),
          .flag = true,
          .absent_flag = true,
          .words = {"", "b\"", "c"},
          .no_words = {"w"},
          .labels = {{"", "x"}, {"k\\", "v\r"}},
          .no_labels = {{"a", "b"}},
          .part = part,
          .parts = {part, {}},
          .no_parts = {part},
          .maybe_part = part,
          .own = {"own\""}};
}

TEST(DocumentTest, BothWaysOfWritingSayTheSame) {
  EXPECT_EQ(Encode(Whole()), AsTree(Whole()));
  EXPECT_EQ(Encode(Filled()), AsTree(Filled()));
  EXPECT_EQ(Encode(Part{.name = "p", .parts = {}}), R"({"name":"p"})");
}

TEST(DocumentTest, WhatIsEmptyIsWrittenAsItIsDeclared) {
  EXPECT_EQ(Encode(Whole()),
            R"({"text":"","null":null,"maybe":null,"count":0,"offset":0,"flag":false,)"
            R"("absent_flag":false,"words":[],"no_words":null,"labels":{},"part":{"name":""},)"
            R"("parts":[],"maybe_part":null,"own":["",1],"made":0})");
}

TEST(DocumentTest, ListsHaveOneMember) {
  using Parts = ListOf<Part, "some", "the parts">;
  const Parts parts{{{.name = "a", .parts = {}}, {.name = "b", .parts = {}}}};
  EXPECT_EQ(Encode(parts), R"({"some":[{"name":"a"},{"name":"b"}]})");
  EXPECT_EQ(Encode(Parts()), R"({"some":[]})");
  EXPECT_EQ(Encode(Decode<Parts>(Encode(parts)).value()), Encode(parts));
  EXPECT_EQ(kShape<Parts>.ToString(), "{some: [Part]}");
}

}  // namespace
}  // namespace koya::wire
