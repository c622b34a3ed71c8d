// The words of a file in HCL's native syntax. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace koya::hcl {

enum class TokenKind {
  kEnd,
  kNewline,
  kIdentifier,
  kText,      // a string without templates
  kTemplate,  // a string with templates, or a heredoc
  kSign,      // punctuation, operators and numbers
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::size_t line = 1;
  std::size_t begin = 0;  // where it stands in the text
  std::size_t end = 0;
  std::string text = {};  // kText: what it means; kIdentifier and kSign: as written

  bool Is(std::string_view sign) const { return kind == TokenKind::kSign && text == sign; }
};

class Lexer {
 public:
  // `text` must outlive the lexer.
  explicit Lexer(std::string_view text) : text_(text) {}

  // The next one; kEnd for ever at the end. Comments are passed over. Fails: kInvalid.
  Result<Token> Next();

 private:
  char At(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  Failure Bad(std::size_t line, std::string_view why) const;
  Status SkipBlanks();
  bool SkipLineComment();
  Result<bool> SkipComment();
  void ReadIdentifier(Token& token);
  Status ReadString(Token& token);
  Status ReadTemplate();
  Status ReadEscape(std::string& out);
  Status ReadHeredoc(Token& token);
  void ReadSign(Token& token);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace koya::hcl
