#include "hcl/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/text.h"
#include "hcl/utf8.h"

namespace koya::hcl {
namespace {

// Strings in templates in strings …
constexpr std::size_t kMaxTemplateDepth = 100;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool BeginsIdentifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
// Calls `each` for every line, with its newline.
template <class Each>
void ForLines(std::string_view lines, Each each) {
  while (!lines.empty()) {
    std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    each(lines.substr(0, end));
    lines.remove_prefix(end);
  }
}

// What "<<-" makes of its lines: the blanks that all of them begin with are taken away. Lines of
// blanks only do not count, and stay.
std::string WithoutIndent(std::string_view lines) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::size_t least = std::string_view::npos;
  ForLines(lines, [&](std::string_view line) {
    least = std::min(least, line.find_first_not_of(kBlanks));
  });
  std::string out;
  out.reserve(lines.size());
  ForLines(lines, [&](std::string_view line) {
    bool blank = line.find_first_not_of(kBlanks) == std::string_view::npos;
    out += blank ? line : line.substr(least);
  });
  return out;
}

// Nothing that ends or means something in a string or a heredoc.
bool IsPlain(char c) { return c != '"' && c != '\\' && c != '\n' && c != '$' && c != '%'; }
bool ContinuesIdentifier(char c) { return BeginsIdentifier(c) || IsDigit(c) || c == '-'; }

// "" when it is no name.
std::string FirstWord(std::string_view text) {
  Lexer lexer(text);
  Token token{.kind = TokenKind::kNewline};
  while (token.kind == TokenKind::kNewline) {
    if (!lexer.Next(token)) return {};
  }
  return token.kind == TokenKind::kIdentifier ? std::move(token.text) : std::string();
}

}  // namespace

std::string_view TemplatePart::Inside(std::string_view text) const {
  std::string_view inside = text.substr(range.begin + 2, range.end - range.begin - 3);
  if (inside.starts_with('~')) inside.remove_prefix(1);
  if (inside.ends_with('~')) inside.remove_suffix(1);
  return inside;
}

Lexer::Lexer(std::string_view text) : text_(text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.starts_with(kByteOrderMark)) at_ = counted_to_ = kByteOrderMark.size();
}

Failure Lexer::Bad(const Range& range, std::string what) {
  problem_ = {range, std::move(what)};
  return Fail(ErrorKind::kInvalid, problem_.ToString());
}

// Where the lexer stands.
Range Lexer::Here() {
  for (; counted_to_ < at_; ++counted_to_) {
    char c = text_[counted_to_];
    if (c == '\n') {
      column_ = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++column_;
    }
  }
  auto place = static_cast<std::uint32_t>(at_);
  return {.line = static_cast<std::uint32_t>(line_),
          .column = static_cast<std::uint32_t>(column_),
          .begin = place,
          .end = place};
}

Failure Lexer::BadHere(std::string what) {
  at_ = std::min(at_, text_.size());
  return Bad(Here(), std::move(what));
}

// Up to the newline, which stays.
bool Lexer::SkipLineComment() {
  if (At(at_) != '#' && !(At(at_) == '/' && At(at_ + 1) == '/')) return false;
  at_ = std::min(text_.find('\n', at_), text_.size());
  return true;
}

Result<bool> Lexer::SkipComment() {
  if (SkipLineComment()) return true;
  if (At(at_) != '/' || At(at_ + 1) != '*') return false;
  std::size_t end = text_.find("*/", at_ + 2);
  if (end == text_.npos) return BadHere("a comment that begins here has no end");
  line_ += static_cast<std::size_t>(std::ranges::count(text_.substr(at_, end - at_), '\n'));
  at_ = end + 2;
  return true;
}

// A comment from `begin`, in line `line`, to where the lexer stands.
void Lexer::NoteComment(std::size_t begin, std::size_t line) {
  if (line == token_line_) return;  // behind something: it is about that
  bool goes_on = comments_ && comments_->last_line + 1 >= line;
  if (!goes_on) comments_ = CommentRun{line, line, begin, at_};
  comments_->last_line = line_;
  comments_->end = at_;
}

Status Lexer::SkipBlanks() {
  while (at_ < text_.size()) {
    char c = text_[at_];
    // One alone, as old systems end lines, is refused by clients.
    const bool ends_line = c == '\r' && At(at_ + 1) == '\n';
    if (c == ' ' || c == '\t' || ends_line) {
      ++at_;
      continue;
    }
    std::size_t begin = at_;
    std::size_t line = line_;
    ASSIGN_OR_RETURN(bool skipped, SkipComment());
    if (!skipped) break;
    NoteComment(begin, line);
  }
  return {};
}

void Lexer::ReadIdentifier(Token& token) {
  while (at_ < text_.size() && ContinuesIdentifier(text_[at_])) ++at_;
  token.kind = TokenKind::kIdentifier;
  token.text.assign(text_, token.range.begin, at_ - token.range.begin);
}

// 1, 1.5, 1.5e-3
void Lexer::ReadNumber(Token& token) {
  auto digits = [this] {
    while (IsDigit(At(at_))) ++at_;
  };
  token.kind = TokenKind::kNumber;
  digits();
  if (At(at_) == '.' && IsDigit(At(at_ + 1))) {
    ++at_;
    digits();
  }
  bool sign = At(at_ + 1) == '+' || At(at_ + 1) == '-';
  if ((At(at_) == 'e' || At(at_) == 'E') && IsDigit(At(at_ + (sign ? 2 : 1)))) {
    at_ += sign ? 2 : 1;
    digits();
  }
  token.text = text_.substr(token.range.begin, at_ - token.range.begin);
}

// After the backslash.
Status Lexer::ReadEscape(std::string& out) {
  constexpr std::string_view kLetters = "nrt\"\\";
  constexpr std::string_view kMeanings = "\n\r\t\"\\";
  char c = At(at_++);
  std::size_t known = kLetters.find(c);
  if (c != '\0' && known != kLetters.npos) {
    out += kMeanings[known];
    return {};
  }
  if (c != 'u' && c != 'U') return BadHere("a string holds a backslash that means nothing");
  std::size_t count = c == 'u' ? 4 : 8;
  std::optional<std::uint32_t> code = HexNumber(text_.substr(std::min(at_, text_.size())), count);
  if (!code) return BadHere("\\u takes four hexadecimal digits, \\U eight");
  if (!IsCharacter(*code)) return BadHere("a string names a character that there is not");
  at_ += count;
  AppendUtf8(*code, out);
  return {};
}

// One character of a string in a template, or what opens or closes in it.
Status Lexer::ReadTemplateString(std::string& open) {
  std::string unused;
  char c = text_[at_++];
  bool introduces = c == '$' || c == '%';
  if (c == '\n') return BadHere("a string does not end on its line");
  if (c == '\\') return ReadEscape(unused);
  if (c == '"') open.pop_back();
  if (introduces && At(at_) == c && At(at_ + 1) == '{') {
    at_ += 2;
  } else if (introduces && At(at_) == '{') {
    ++at_;
    open += '{';
  }
  return {};
}

// After "${" or "%{", to behind its "}".
Status Lexer::ReadTemplate() {
  std::string open = "{";  // open brackets and quotes: '{' or '"'
  Range began = Here();
  while (!open.empty()) {
    if (at_ >= text_.size()) return Bad(began, "a template that begins here has no end");
    if (open.size() > kMaxTemplateDepth) return BadHere("templates are nested too deeply");
    if (open.back() == '"') {
      RETURN_IF_ERROR(ReadTemplateString(open));
      continue;
    }
    ASSIGN_OR_RETURN(bool skipped, SkipComment());
    if (skipped) continue;
    char c = text_[at_++];
    if (c == '\n') ++line_;
    if (c == '"' || c == '{') open += c;
    if (c == '}') open.pop_back();
  }
  return {};
}

// What "$" or "%" begins, if the lexer stands there: a template, or "$${", which stands for "${".
Result<bool> Lexer::ReadIntroducer(Token& token) {
  char c = At(at_);
  if (c != '$' && c != '%') return false;
  if (At(at_ + 1) == c && At(at_ + 2) == '{') {
    token.text += {c, '{'};
    at_ += 3;
    return true;
  }
  if (At(at_ + 1) != '{') return false;
  Range range = Here();
  at_ += 2;
  token.kind = TokenKind::kTemplate;
  RETURN_IF_ERROR(ReadTemplate());
  range.end = static_cast<std::uint32_t>(at_);
  token.parts.push_back({.range = range, .directive = c == '%'});
  return true;
}

// Every "%{ if …}" of a string or heredoc has its "%{ endif }", and likewise "for".
Status Lexer::CheckDirectives(const Token& token) {
  struct Opened {
    const TemplatePart* part;
    bool loop;
    bool has_else;
  };
  std::vector<Opened> open;
  for (const TemplatePart& part : token.parts) {
    if (!part.directive) continue;
    const std::string word = FirstWord(part.Inside(text_));
    if (word == "if" || word == "for") {
      open.push_back({&part, word == "for", false});
      continue;
    }
    const bool ends = word == "endif" || word == "endfor";
    if (!ends && word != "else") {
      return Bad(part.range, "a \"%{\" that begins here is none of if, else, endif, for, endfor");
    }
    const bool fits =
        !open.empty() && open.back().loop == (word == "endfor") && (ends || !open.back().has_else);
    if (!fits) {
      return Bad(part.range,
                 fmt::format("\"%{{ {} }}\" stands where nothing is open for it", word));
    }
    open.back().has_else = true;
    if (ends) open.pop_back();
  }
  if (open.empty()) return {};
  const std::string_view word = open.back().loop ? "for" : "if";
  return Bad(open.back().part->range,
             fmt::format("the \"%{{ {} }}\" that begins here has no \"%{{ end{} }}\"", word, word));
}

// At least one character, and all that follow and stand for themselves.
void Lexer::TakeText(Token& token) {
  const std::size_t begin = at_++;
  while (at_ < text_.size() && IsPlain(text_[at_])) ++at_;
  token.text.append(text_, begin, at_ - begin);
}

// After the quote.
Status Lexer::ReadString(Token& token) {
  token.kind = TokenKind::kText;
  while (true) {
    if (at_ >= text_.size() || text_[at_] == '\n') {
      return Bad(token.range, "a string does not end on its line");
    }
    ASSIGN_OR_RETURN(bool introduced, ReadIntroducer(token));
    if (introduced) continue;
    char c = text_[at_++];
    if (c == '"') return {};
    if (c == '\\') {
      RETURN_IF_ERROR(ReadEscape(token.text));
    } else {
      --at_;
      TakeText(token);
    }
  }
}

// At the beginning of a line: is this the one that ends the heredoc? Then the lexer goes to its
// end.
bool Lexer::AtMarker(std::string_view marker) {
  constexpr std::string_view kBlanks = " \t\r";
  std::size_t begin = std::min(text_.find_first_not_of(kBlanks, at_), text_.size());
  if (!text_.substr(begin).starts_with(marker)) return false;
  std::size_t end = begin + marker.size();
  std::size_t after = std::min(text_.find_first_not_of(kBlanks, end), text_.size());
  if (after < text_.size() && text_[after] != '\n') return false;
  at_ = end;
  return true;
}

// To behind its newline. Templates may go on over lines.
Status Lexer::ReadHeredocLine(Token& token) {
  while (at_ < text_.size()) {
    ASSIGN_OR_RETURN(bool introduced, ReadIntroducer(token));
    if (introduced) continue;
    if (text_[at_] != '\n') {
      TakeText(token);
      continue;
    }
    token.text += text_[at_++];
    ++line_;
    break;
  }
  return {};
}

// After "<<": the lines up to one that holds the marker only.
Status Lexer::ReadHeredoc(Token& token) {
  token.kind = TokenKind::kText;
  token.heredoc = true;
  bool indented = At(at_) == '-';
  if (indented) ++at_;
  std::size_t begin = at_;
  while (at_ < text_.size() && ContinuesIdentifier(text_[at_])) ++at_;
  std::string_view marker = text_.substr(begin, at_ - begin);
  if (At(at_) == '\r') ++at_;
  if (marker.empty() || At(at_) != '\n') return Bad(token.range, "\"<<\" begins no heredoc");
  ++at_;
  ++line_;
  while (at_ < text_.size()) {
    if (AtMarker(marker)) {
      if (indented) token.text = WithoutIndent(token.text);
      return {};
    }
    RETURN_IF_ERROR(ReadHeredocLine(token));
  }
  return Bad(token.range, fmt::format("the heredoc that begins here has no line \"{}\" at its end",
                                      Printable(marker, 40)));
}

// Two-character signs are distinguished, so that "=" is certainly an assignment.
void Lexer::ReadSign(Token& token) {
  char c = text_[at_];
  char next = At(at_ + 1);
  bool pair = (next == '=' && (c == '=' || c == '!' || c == '<' || c == '>')) ||
              (c == '=' && next == '>') || (c == next && (c == '&' || c == '|' || c == ':'));
  at_ += pair ? 2 : 1;
  token.kind = TokenKind::kSign;
  if (!pair) token.sign = c;
}

Status Lexer::ReadWord(Token& token) {
  char c = text_[at_];
  if (c == '\n') {
    token.kind = TokenKind::kNewline;
    ++at_;
    ++line_;
  } else if (BeginsIdentifier(c)) {
    ReadIdentifier(token);
  } else if (IsDigit(c)) {
    ReadNumber(token);
  } else if (c == '"') {
    ++at_;
    RETURN_IF_ERROR(ReadString(token));
    return CheckDirectives(token);
  } else if (c == '<' && At(at_ + 1) == '<') {
    at_ += 2;
    RETURN_IF_ERROR(ReadHeredoc(token));
    return CheckDirectives(token);
  } else if (c > ' ' && c < 0x7F &&
             std::string_view("'`@$\\^;~").find(c) == std::string_view::npos) {
    ReadSign(token);
  } else {
    return BadHere(fmt::format("\"{}\" is no part of the language", Printable({&c, 1})));
  }
  return {};
}

Status Lexer::Next(Token& token) {
  if (token_line_ == line_) comments_.reset();
  RETURN_IF_ERROR(SkipBlanks());
  token.kind = TokenKind::kEnd;
  token.range = Here();
  token.heredoc = false;
  token.sign = '\0';
  token.text.clear();
  token.parts.clear();
  if (at_ >= text_.size()) return {};
  RETURN_IF_ERROR(ReadWord(token));
  token.range.end = static_cast<std::uint32_t>(at_);
  if (token.kind != TokenKind::kNewline) token_line_ = line_;
  return {};
}

bool Lexer::Recover() {
  steps_ += at_ - base_;
  base_ = at_ = problem_.range.begin;
  line_ = problem_.range.line;
  comments_.reset();
  while (true) {
    at_ = std::min(text_.find('\n', at_), text_.size());
    if (at_ == text_.size()) return false;
    ++at_;
    ++line_;
    std::string_view line = text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
    if (line.empty() || !BeginsIdentifier(line.front()) || line.find('{') == line.npos) continue;
    counted_to_ = at_;
    column_ = 1;
    return true;
  }
}

}  // namespace koya::hcl
