// Parses blocks and values from tokens. One thread; other folders use hcl.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hcl/hcl.h"
#include "hcl/lexer.h"

namespace koya::hcl {

// Where a value is, which determines how it ends, besides at the end of the text.
enum class ValuePlace { kAttribute, kList, kObject, kArgument };

class Parser {
 public:
  // `text` must outlive the parser and its results. `parts`: see ParseLimits.
  Parser(std::string_view text, std::size_t parts)
      : text_(text), lexer_(text), parts_left_(parts), parts_(parts) {}

  // Parses everything, with the mistakes found.
  Parsed ParseFile();

  // For separate texts such as expressions, token by token. All fail with kInvalid.
  Status Advance();
  Status SkipNewlines();
  const Token& token() const { return token_; }
  Failure Unexpected(std::string_view wanted);
  Failure Bad(std::string what);
  Status CheckDepth(std::size_t depth);
  Result<Value> ParseValue(ValuePlace place, std::size_t depth);
  // Parses a name, or an expression as source text. Stops before the "=" or ":". Sets name, range
  // and computed of `member`.
  Status ParseKey(Member& member);

 private:
  std::string Seen() const;
  Status Count();
  Status ParseTop(Body& body);
  Status ParseItem(Body& body, std::size_t depth);
  Status ParseBody(Body& body, std::size_t depth);
  Status ParseBlock(Block& block, std::size_t depth);
  std::string TakeComment() const;
  std::string HeaderComment() const;
  bool EndsValue(ValuePlace place) const;
  Status ParseLiteral(Value& value, std::size_t depth);
  Status ParseNegative(Value& value);
  Status ParseList(Value& value, std::size_t depth);
  Status ParseObject(Value& value, std::size_t depth);
  Status SkipExpression(ValuePlace place);
  Status SkipOne();
  Status CloseBrackets();
  bool Opens() const;
  bool Closes() const;
  std::string_view Source(const Range& range) const;

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  std::uint32_t last_end_ = 0;  // end of the previous token, newlines excluded
  std::vector<Range> open_;     // brackets, outermost first
  std::size_t parts_left_;
  std::size_t parts_;
  bool gave_up_ = false;  // stop reading
};

}  // namespace koya::hcl
