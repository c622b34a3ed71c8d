#include "hcl/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"

namespace koya::hcl {
namespace {

// Strings in templates in strings …
constexpr std::size_t kMaxTemplateDepth = 100;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool BeginsIdentifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool ContinuesIdentifier(char c) { return BeginsIdentifier(c) || IsDigit(c) || c == '-'; }

void AppendUtf8(std::uint32_t code, std::string& out) {
  auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6));
    byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3F));
    byte(0x80 | ((code >> 6) & 0x3F));
    byte(0x80 | (code & 0x3F));
  }
}

}  // namespace

Failure Lexer::Bad(std::size_t line, std::string_view why) const {
  return Fail(ErrorKind::kInvalid, fmt::format("line {}: {}", line, why));
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
  if (end == text_.npos) return Bad(line_, "a comment that begins here has no end");
  line_ += static_cast<std::size_t>(std::ranges::count(text_.substr(at_, end - at_), '\n'));
  at_ = end + 2;
  return true;
}

Status Lexer::SkipBlanks() {
  while (at_ < text_.size()) {
    char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
      continue;
    }
    ASSIGN_OR_RETURN(bool skipped, SkipComment());
    if (!skipped) break;
  }
  return {};
}

void Lexer::ReadIdentifier(Token& token) {
  while (at_ < text_.size() && ContinuesIdentifier(text_[at_])) ++at_;
  token.kind = TokenKind::kIdentifier;
  token.text = text_.substr(token.begin, at_ - token.begin);
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
  if (c != 'u' && c != 'U') return Bad(line_, "a string holds a backslash that means nothing");
  std::uint32_t code = 0;
  for (int digits = c == 'u' ? 4 : 8; digits > 0; --digits) {
    constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
    std::size_t digit = At(at_) == '\0' ? kDigits.npos : kDigits.find(At(at_));
    if (digit == kDigits.npos) return Bad(line_, "\\u takes four hexadecimal digits, \\U eight");
    code = code << 4 | static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
    ++at_;
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
    return Bad(line_, "a string names a character that there is not");
  }
  AppendUtf8(code, out);
  return {};
}

// After "${" or "%{", to behind its "}".
Status Lexer::ReadTemplate() {
  std::string open = "{";  // what is open, as in ReadString
  std::size_t began = line_;
  std::string unused;
  while (!open.empty()) {
    if (at_ >= text_.size()) return Bad(began, "a template that begins here has no end");
    if (open.size() > kMaxTemplateDepth) return Bad(line_, "templates are nested too deeply");
    char c = text_[at_];
    if (open.back() == '"') {
      ++at_;
      bool begins = (c == '$' || c == '%') && At(at_) == '{';
      bool escaped = (c == '$' || c == '%') && At(at_) == c && At(at_ + 1) == '{';
      if (c == '\n') return Bad(line_, "a string does not end on its line");
      if (c == '\\') RETURN_IF_ERROR(ReadEscape(unused));
      if (c == '"') open.pop_back();
      if (escaped) at_ += 2;
      if (begins) {
        ++at_;
        open += '{';
      }
      continue;
    }
    ASSIGN_OR_RETURN(bool skipped, SkipComment());
    if (skipped) continue;
    ++at_;
    if (c == '\n') ++line_;
    if (c == '"' || c == '{') open += c;
    if (c == '}') open.pop_back();
  }
  return {};
}

// After the quote.
Status Lexer::ReadString(Token& token) {
  token.kind = TokenKind::kText;
  while (true) {
    if (at_ >= text_.size() || text_[at_] == '\n') {
      return Bad(token.line, "a string does not end on its line");
    }
    char c = text_[at_++];
    if (c == '"') return {};
    bool introduces = c == '$' || c == '%';
    if (c == '\\') {
      RETURN_IF_ERROR(ReadEscape(token.text));
    } else if (introduces && At(at_) == c && At(at_ + 1) == '{') {
      token.text += {c, '{'};  // "$${" stands for "${"
      at_ += 2;
    } else if (introduces && At(at_) == '{') {
      ++at_;
      token.kind = TokenKind::kTemplate;
      RETURN_IF_ERROR(ReadTemplate());
    } else {
      token.text += c;
    }
  }
}

// After "<<": the lines up to one that holds the marker only.
Status Lexer::ReadHeredoc(Token& token) {
  token.kind = TokenKind::kTemplate;
  if (At(at_) == '-') ++at_;
  std::size_t begin = at_;
  while (at_ < text_.size() && ContinuesIdentifier(text_[at_])) ++at_;
  std::string_view marker = text_.substr(begin, at_ - begin);
  if (At(at_) == '\r') ++at_;
  if (marker.empty() || At(at_) != '\n') return Bad(token.line, "\"<<\" begins no heredoc");
  while (at_ < text_.size()) {
    ++at_;  // the newline
    ++line_;
    std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, end - at_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    at_ = end;
    if (line == marker) return {};
  }
  return Bad(token.line, fmt::format("the heredoc that begins here has no line \"{}\" at its end",
                                     Printable(marker, 40)));
}

// Signs of two characters are told apart, so that "=" is an assignment for certain.
void Lexer::ReadSign(Token& token) {
  constexpr std::array<std::string_view, 8> kPairs{"==", "=>", "!=", "<=", ">=", "&&", "||", "::"};
  bool pair = std::ranges::count(kPairs, text_.substr(at_, 2)) > 0;
  at_ += pair ? 2 : 1;
  token.kind = TokenKind::kSign;
  // A number is taken whole, since its letters are no identifier: 1e5.
  if (IsDigit(text_[token.begin])) {
    while (ContinuesIdentifier(At(at_))) ++at_;
  }
  token.text = text_.substr(token.begin, at_ - token.begin);
}

Result<Token> Lexer::Next() {
  RETURN_IF_ERROR(SkipBlanks());
  Token token{.line = line_, .begin = at_};
  if (at_ >= text_.size()) {
    token.end = at_;
    return token;
  }
  char c = text_[at_];
  if (c == '\n') {
    token.kind = TokenKind::kNewline;
    ++at_;
    ++line_;
  } else if (BeginsIdentifier(c)) {
    ReadIdentifier(token);
  } else if (c == '"') {
    ++at_;
    RETURN_IF_ERROR(ReadString(token));
  } else if (c == '<' && At(at_ + 1) == '<') {
    at_ += 2;
    RETURN_IF_ERROR(ReadHeredoc(token));
  } else if (c > ' ' && c < 0x7F &&
             std::string_view("'`@$\\^;~").find(c) == std::string_view::npos) {
    ReadSign(token);
  } else {
    return Bad(line_, fmt::format("\"{}\" is no part of the language", Printable({&c, 1})));
  }
  token.end = at_;
  return token;
}

}  // namespace koya::hcl
