// Splits a file in HCL's native syntax into tokens. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "hcl/hcl.h"

namespace koya::hcl {

enum class TokenKind {
  kEnd,
  kNewline,
  kIdentifier,
  kNumber,
  kText,      // a string or a heredoc without templates
  kTemplate,  // with templates
  kSign,      // punctuation and operators
};

// "${…}" or "%{…}" in a string or heredoc.
struct TemplatePart {
  Range range;             // from its "$" or "%" to behind its "}"
  bool directive = false;  // "%{…}"

  // The content between the brackets, without the "~" beside them. `text`: the lexer's input.
  std::string_view Inside(std::string_view text) const;
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Range range = {.line = 1, .column = 1};
  bool heredoc = false;
  char sign = '\0';                      // kSign of one character
  std::string text = {};                 // kText: its value; kIdentifier and kNumber: as written
  std::vector<TemplatePart> parts = {};  // kTemplate

  // REQUIRES: a sign of one character.
  bool Is(char wanted) const { return sign == wanted; }
};

// Comments with nothing but blanks and single newlines between them.
struct CommentRun {
  std::size_t first_line = 0;
  std::size_t last_line = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
};

class Lexer {
 public:
  // `text` must outlive the lexer.
  explicit Lexer(std::string_view text);

  // Replaces `token` with the next one, reusing its memory; kEnd forever at the end. Fails:
  // kInvalid, with problem(); `token` is unspecified then.
  Status Next(Token& token);

  // Records a mistake at `range`. Always fails.
  Failure Bad(const Range& range, std::string what);
  // The last one.
  const Problem& problem() const { return problem_; }

  // The comments before the most recent token, if only newlines are between them.
  const std::optional<CommentRun>& comments() const { return comments_; }

  // Resumes at the next line after the mistake that looks like the beginning of an outermost block.
  // False: there is none.
  bool Recover();

  // Bytes read, counting those again that a recovery went back to.
  std::size_t steps() const { return steps_ + at_ - base_; }

 private:
  char At(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  Failure BadHere(std::string what);
  Range Here();
  Status SkipBlanks();
  bool SkipLineComment();
  Result<bool> SkipComment();
  void NoteComment(std::size_t begin, std::size_t line);
  void ReadIdentifier(Token& token);
  void ReadNumber(Token& token);
  void TakeText(Token& token);
  Status ReadString(Token& token);
  Status ReadTemplate();
  Status ReadTemplateString(std::string& open);
  Status ReadEscape(std::string& out);
  Result<bool> ReadIntroducer(Token& token);
  Status ReadHeredoc(Token& token);
  Status ReadHeredocLine(Token& token);
  Status CheckDirectives(const Token& token);
  bool AtMarker(std::string_view marker);
  void ReadSign(Token& token);
  Status ReadWord(Token& token);

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  // Columns are counted from here, so that a long line is scanned once.
  std::size_t counted_to_ = 0;
  std::size_t column_ = 1;
  std::size_t token_line_ = 0;  // where the last token that is no newline ended
  std::optional<CommentRun> comments_;
  Problem problem_;
  std::size_t steps_ = 0;  // before the last recovery, which ended at base_
  std::size_t base_ = 0;
};

}  // namespace koya::hcl
