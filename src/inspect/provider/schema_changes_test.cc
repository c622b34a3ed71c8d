#include "inspect/provider/schema_changes.h"

#include <gtest/gtest.h>

namespace koya::inspect::provider {
namespace {

using enum ChangeGrade;

SchemaItem Thing(std::vector<SchemaNode> nodes) {
  return {.name = "demo_thing", .nodes = std::move(nodes)};
}

// Lines as people would see them: grade, glyph, place, sentence.
std::string Told(const SchemaItem* before, const SchemaItem* after) {
  SchemaComparison comparison;
  comparison.Add(before, after);
  std::string out;
  for (const SchemaChange& each : comparison.changes()) {
    char glyph = each.glyph == ChangeGlyph::kAdded     ? '+'
                 : each.glyph == ChangeGlyph::kRemoved ? '-'
                                                       : '~';
    out.append(ChangeGradeName(each.grade)).append(" ").append(1, glyph).append(" ");
    out.append(each.path).append(": ").append(each.sentence).append("; ");
  }
  return out;
}

std::string ToldOfNodes(std::vector<SchemaNode> before, std::vector<SchemaNode> after) {
  SchemaItem old = Thing(std::move(before));
  SchemaItem now = Thing(std::move(after));
  return Told(&old, &now);
}

TEST(SchemaChangesTest, GradesWhatHappensToANode) {
  using Nodes = std::vector<SchemaNode>;
  struct Row {
    Nodes before;
    Nodes after;
    std::string_view told;
  };
  SchemaNode given{.name = "a", .type = "string", .optional = true};
  SchemaNode must{.name = "a", .type = "string", .required = true};
  SchemaNode read{.name = "a", .type = "string", .computed = true};
  SchemaNode both{.name = "a", .type = "string", .optional = true, .computed = true};
  SchemaNode number{.name = "a", .type = "number", .optional = true};
  SchemaNode list{.name = "a", .type = "list(number)", .optional = true};
  SchemaNode texts{.name = "a", .type = "list(string)", .optional = true};
  SchemaNode secret = given;
  secret.sensitive = true;
  SchemaNode written = given;
  written.write_only = true;
  SchemaNode old = given;
  old.deprecated = true;
  old.deprecation = "use b";
  SchemaNode told = given;
  told.description = "x";
  SchemaNode block{.name = "a", .nesting = Nesting::kList, .block = true};
  SchemaNode one = block;
  one.least = 1;
  SchemaNode few = block;
  few.most = 2;
  SchemaNode single = block;
  single.nesting = Nesting::kSingle;
  for (const Row& row : {
           Row{{given}, {given}, ""},
           Row{{given}, {}, "breaking - a: the attribute is gone; "},
           Row{{read}, {}, "breaking - a: the attribute is gone; "},
           Row{{block}, {}, "breaking - a: the block is gone; "},
           Row{{}, {given}, "compatible + a: the attribute is new; "},
           Row{{}, {read}, "compatible + a: the attribute is new; "},
           Row{{}, {must}, "breaking + a: the attribute is new and must be given; "},
           Row{{}, {block}, "compatible + a: the block is new; "},
           Row{{}, {one}, "breaking + a: the block is new and must be given; "},
           Row{{given}, {must}, "breaking ~ a: it must be given now; "},
           Row{{must}, {given}, "compatible ~ a: it need not be given; "},
           Row{{given}, {read}, "breaking ~ a: it can no longer be given; "},
           Row{{read}, {both}, "compatible ~ a: it can be given; "},
           Row{{both},
               {given},
               "read this ~ a: without a value it is null: the provider no longer sets it; "},
           Row{{given}, {both}, "read this ~ a: without a value the provider sets it; "},
           Row{{number}, {given}, "compatible ~ a: it was number, and is string; "},
           Row{{given}, {number}, "breaking ~ a: it was string, and is number; "},
           Row{{list}, {texts}, "compatible ~ a: it was list(number), and is list(string); "},
           Row{{texts}, {list}, "breaking ~ a: it was list(string), and is list(number); "},
           Row{{given},
               {secret},
               "read this ~ a: it is sensitive: outputs that show it must be too; "},
           Row{{secret}, {given}, "read this ~ a: it is no longer sensitive, and is shown; "},
           Row{{given},
               {written},
               "breaking ~ a: it is write-only: nothing can refer to it, and only newer clients "
               "know it; "},
           Row{{given}, {old}, "compatible ~ a: it is deprecated: use b; "},
           Row{{old}, {given}, "safe ~ a: it is no longer deprecated; "},
           Row{{given}, {told}, "safe ~ a: its description is another; "},
           Row{{given}, {block}, "breaking ~ a: it was an attribute, and is a block; "},
           Row{{block}, {one}, "breaking ~ a: at least 1 of it must be given, and it was 0; "},
           Row{{one}, {block}, "compatible ~ a: at least 0 of it must be given, and it was 1; "},
           Row{{block}, {few}, "breaking ~ a: at most 2 of it may be given; "},
           Row{{few}, {block}, "compatible ~ a: any number of it may be given; "},
           Row{{block}, {single}, "breaking ~ a: it was a block, and is a block; "},
       }) {
    EXPECT_EQ(ToldOfNodes(row.before, row.after), row.told);
  }
}

TEST(SchemaChangesTest, LooksInside) {
  SchemaNode inner{.name = "port", .type = "number", .required = true};
  SchemaNode rules{.name = "rules", .nesting = Nesting::kSet, .optional = true, .nodes = {inner}};
  SchemaNode open = rules;
  open.nodes.clear();
  EXPECT_EQ(ToldOfNodes({rules}, {open}), "breaking - rules.port: the attribute is gone; ");
  EXPECT_EQ(ToldOfNodes({open}, {rules}),
            "breaking + rules.port: the attribute is new and must be given; ");
  // A new node does not require anything of existing configurations.
  EXPECT_EQ(ToldOfNodes({}, {rules}), "compatible + rules: the attribute is new; ");
}

TEST(SchemaChangesTest, GradesItems) {
  SchemaItem thing = Thing({});
  SchemaItem newer = thing;
  newer.version = 2;
  SchemaItem old = thing;
  old.deprecated = true;
  EXPECT_EQ(Told(&thing, nullptr), "breaking - : it is gone; ");
  EXPECT_EQ(Told(nullptr, &thing), "compatible + : it is new; ");
  EXPECT_EQ(Told(&thing, &newer),
            "read this ~ : states are brought from version 0 to 2, and not back; ");
  EXPECT_EQ(Told(&newer, &thing),
            "breaking ~ : its version goes back from 2 to 0: newer states cannot be read; ");
  EXPECT_EQ(Told(&thing, &old), "compatible ~ : it is deprecated; ");
}

TEST(SchemaChangesTest, GradesFunctions) {
  SchemaNode a{.name = "a", .type = "string"};
  SchemaNode b{.name = "b", .type = "string"};
  SchemaNode rest{.name = "rest", .type = "string", .variadic = true};
  SchemaItem one{.kind = SchemaKind::kFunction, .name = "f", .returns = "string", .nodes = {a}};
  SchemaItem two = one;
  two.nodes = {a, b};
  SchemaItem many = one;
  many.nodes = {a, rest};
  SchemaItem renamed = one;
  renamed.nodes = {b};
  SchemaItem other = one;
  other.returns = "number";
  EXPECT_EQ(Told(&one, &two), "breaking + b: the parameter is new and must be given; ");
  EXPECT_EQ(Told(&two, &one), "breaking - b: the parameter is gone; ");
  EXPECT_EQ(Told(&one, &many), "compatible + rest: more values may be given; ");
  EXPECT_EQ(Told(&one, &renamed), "safe ~ b: it was called a; ");
  EXPECT_EQ(Told(&one, &other), "breaking ~ : it returned string, and returns number; ");
}

TEST(SchemaChangesTest, MergesSchemas) {
  SchemaItem a{.name = "a"};
  SchemaItem b{.name = "b"};
  SchemaItem c{.kind = SchemaKind::kDataSource, .name = "a"};
  std::vector<SchemaItem> before = {a, b};
  std::vector<SchemaItem> after = {b, c};
  SchemaComparison comparison = CompareSchemas(before, after);
  ASSERT_EQ(comparison.changes().size(), 2U);
  EXPECT_EQ(comparison.changes()[0].item, "a");
  EXPECT_EQ(comparison.changes()[0].glyph, ChangeGlyph::kRemoved);
  EXPECT_EQ(comparison.changes()[1].kind, SchemaKind::kDataSource);
  EXPECT_EQ(comparison.worst(), kBreaking);
  comparison = CompareSchemas(after, before, 1);
  EXPECT_EQ(comparison.changes().size(), 1U);
  EXPECT_EQ(comparison.left_out(), 1U);
  EXPECT_EQ(comparison.worst(), kBreaking);
  EXPECT_EQ(CompareSchemas(before, before).worst(), kSafe);
}

TEST(SchemaChangesTest, SaysWhichStepIsNeeded) {
  EXPECT_EQ(StepFor(kSafe, false), VersionStep::kPatch);
  EXPECT_EQ(StepFor(kCompatible, false), VersionStep::kMinor);
  EXPECT_EQ(StepFor(kReadThis, false), VersionStep::kMinor);
  EXPECT_EQ(StepFor(kBreaking, false), VersionStep::kMajor);
  EXPECT_EQ(StepFor(kBreaking, true), VersionStep::kMinor);
}

TEST(IsWiderTypeTest, KnowsWhatFits) {
  EXPECT_TRUE(IsWiderType("number", "string"));
  EXPECT_TRUE(IsWiderType("list(bool)", "list(any)"));
  EXPECT_TRUE(IsWiderType("map(list(number))", "map(list(string))"));
  EXPECT_FALSE(IsWiderType("string", "number"));
  EXPECT_FALSE(IsWiderType("any", "string"));
  EXPECT_FALSE(IsWiderType("list(string)", "set(string)"));
  EXPECT_FALSE(IsWiderType("list(string)", "string"));
}

}  // namespace
}  // namespace koya::inspect::provider
