// Parses configuration in JSON (main.tf.json) into the types of hcl.h.
//
// The text does not determine which names are blocks and how many labels they have: the caller
// does. Source of the rules: HCL's JSON syntax (github.com/hashicorp/hcl, json/spec.md). Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hcl/hcl.h"

namespace koya::hcl {

// ---- JSON with the places of its values. One thread.

class JsonValues {
 public:
  // `text` must outlive this and its results. REQUIRES: UTF-8.
  JsonValues(std::string_view text, std::size_t parts);

  // The one value of the text. After a mistake (problems()) it is the part that was read: the
  // ranges of incomplete values have no end.
  Value Read();

  const std::vector<Problem>& problems() const { return problems_; }
  std::size_t parts() const { return parts_ - parts_left_; }

 private:
  char At(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  Failure Bad(std::string what);
  Failure Unexpected(std::string_view wanted);
  Range Here();
  void SkipBlanks();
  Status ReadValue(Value& value, std::size_t depth);
  Status ReadObject(Value& value, std::size_t depth);
  Status ReadMember(Value& object, std::size_t depth);
  Status ReadList(Value& value, std::size_t depth);
  Status ReadString(std::string& out);
  Status ReadEscape(std::string& out);
  Result<std::uint32_t> ReadCode();
  Status ReadNumber(Value& value);
  Status ReadWord(Value& value);
  Status ReadSeparator(char end);
  void ReportDuplicates(const Value& object);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t counted_to_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
  std::size_t parts_left_;
  std::size_t parts_;
  std::vector<Problem> problems_;
};

struct BlockShape;

// The possible blocks of a body; every other name in it is an attribute.
struct BodyShape {
  const BlockShape* blocks = nullptr;
  std::size_t count = 0;
};

struct BlockShape {
  std::string_view type;
  std::size_t labels = 0;
  BodyShape inner = {};
  bool evaluated = false;  // clients read the strings of its attributes as templates
};

// As ParsePartly. Strings with templates are kTemplate, others kText; "//" is a comment and left
// out. An evaluated string with an unreadable template is a problem. A duplicate name in an object
// is a problem: of attributes the first counts, of blocks all do. After a syntax error nothing more
// is read, and the enclosing block is left out. The text must outlive the result.
Parsed ParseJsonPartly(std::string_view text, const BodyShape& shape,
                       const ParseLimits& limits = {});

}  // namespace koya::hcl
