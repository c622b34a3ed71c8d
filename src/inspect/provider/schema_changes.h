// Finds the changes between two schemas of a provider, and grades their effect on users. Reads
// declarations, and cannot see behaviour. Source of the rules: pages.md §3.4, for providers. Pure:
// any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "inspect/provider/schema.h"

namespace koya::inspect::provider {

// From the least to the most severe.
enum class ChangeGrade {
  kSafe,        // no visible effect: patch
  kCompatible,  // allows more: minor
  kReadThis,    // works as before for most users: at least minor
  kBreaking,    // configurations may have to change: major
};
std::string_view ChangeGradeName(ChangeGrade grade);  // "read this"

enum class ChangeGlyph { kAdded, kChanged, kRemoved };

struct SchemaChange {
  ChangeGrade grade = ChangeGrade::kSafe;
  ChangeGlyph glyph = ChangeGlyph::kChanged;
  SchemaKind kind = SchemaKind::kResource;
  std::string item;      // "aws_instance"
  std::string path;      // "ebs_block_device.iops"; empty: the item itself
  std::string sentence;  // "it must be given now"

  friend bool operator==(const SchemaChange&, const SchemaChange&) = default;
};

// Compares one item after another, so that two large schemas need not be in memory at once.
class SchemaComparison {
 public:
  // `most`: the maximum number of stored lines.
  explicit SchemaComparison(std::size_t most = 2000) : most_(most) {}

  // Null: the item is missing. REQUIRES: one is not null; if both are, they have one kind and name.
  void Add(const SchemaItem* before, const SchemaItem* after);

  const std::vector<SchemaChange>& changes() const { return changes_; }
  std::size_t left_out() const { return left_out_; }
  ChangeGrade worst() const { return worst_; }  // of all changes, including those left out

 private:
  struct Place {
    SchemaKind kind;
    const std::string& item;
    std::string path;
  };
  void AddChange(const Place& place, ChangeGrade grade, ChangeGlyph glyph, std::string sentence);
  void CompareItem(const SchemaItem& before, const SchemaItem& after);
  void CompareNodes(const Place& place, const std::vector<SchemaNode>& before,
                    const std::vector<SchemaNode>& after);
  void CompareParameters(const SchemaItem& before, const SchemaItem& after);
  void AddAdded(const Place& place, const SchemaNode& node);
  void CompareNode(const Place& place, const SchemaNode& before, const SchemaNode& after);
  void CompareUse(const Place& place, const SchemaNode& before, const SchemaNode& after);
  void CompareShape(const Place& place, const SchemaNode& before, const SchemaNode& after);
  void CompareSecrecy(const Place& place, const SchemaNode& before, const SchemaNode& after);
  void CompareCount(const Place& place, const SchemaNode& before, const SchemaNode& after);
  void CompareWords(const Place& place, const SchemaNode& before, const SchemaNode& after);

  std::size_t most_;
  std::size_t left_out_ = 0;
  ChangeGrade worst_ = ChangeGrade::kSafe;
  std::vector<SchemaChange> changes_;
};

// REQUIRES: both sorted by kind and name, each once.
SchemaComparison CompareSchemas(std::span<const SchemaItem> before,
                                std::span<const SchemaItem> after, std::size_t most = 2000);

// True if every value that fits `before` fits `after`: list(string) and list(any).
bool IsWiderType(std::string_view before, std::string_view after);

// The part of a version number that has to be increased.
enum class VersionStep { kPatch, kMinor, kMajor };
// `before_one`: 0.x, where a minor step may break.
VersionStep StepFor(ChangeGrade worst, bool before_one);

}  // namespace koya::inspect::provider
