// What changed between two schemas of a provider, and what that means for whoever uses it. Reads
// declarations, and cannot see behaviour. Source of the rules: pages.md §3.4, for providers. Pure:
// any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "inspect/provider/schema.h"

namespace koya::inspect::provider {

// From the least to the worst.
enum class ChangeGrade {
  kSafe,        // nobody notices: patch
  kCompatible,  // more is possible: minor
  kReadThis,    // works as before for most: at least minor
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

// One item after the other, so that two large schemas need not be in memory at once.
class SchemaComparison {
 public:
  // `most`: lines that are kept.
  explicit SchemaComparison(std::size_t most = 2000) : most_(most) {}

  // Null: there is none. REQUIRES: one of them, and of one kind and name if both are.
  void Add(const SchemaItem* before, const SchemaItem* after);

  const std::vector<SchemaChange>& changes() const { return changes_; }
  std::size_t left_out() const { return left_out_; }
  ChangeGrade worst() const { return worst_; }  // of all, those left out too

 private:
  struct Place {
    SchemaKind kind;
    const std::string& item;
    std::string path;
  };
  void Tell(const Place& place, ChangeGrade grade, ChangeGlyph glyph, std::string sentence);
  void CompareItem(const SchemaItem& before, const SchemaItem& after);
  void CompareNodes(const Place& place, const std::vector<SchemaNode>& before,
                    const std::vector<SchemaNode>& after);
  void CompareParameters(const SchemaItem& before, const SchemaItem& after);
  void TellAdded(const Place& place, const SchemaNode& node);
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

// REQUIRES: both in the order of kind and name, each once.
SchemaComparison CompareSchemas(std::span<const SchemaItem> before,
                                std::span<const SchemaItem> after, std::size_t most = 2000);

// Whether every value that fits `before` fits `after`: list(string) and list(any).
bool IsWiderType(std::string_view before, std::string_view after);

// Which part of a version number has to grow.
enum class VersionStep { kPatch, kMinor, kMajor };
// `before_one`: 0.x, where a minor step may break.
VersionStep StepFor(ChangeGrade worst, bool before_one);

}  // namespace koya::inspect::provider
