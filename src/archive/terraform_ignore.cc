#include "archive/terraform_ignore.h"

#include <algorithm>
#include <ranges>

namespace koya {
namespace {

std::size_t ByteOf(char c) { return static_cast<unsigned char>(c); }

std::string_view Trim(std::string_view line) {
  constexpr std::string_view kSpace = " \t\r\v\f";
  std::size_t begin = line.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kSpace) - begin + 1);
}

// The end of the UTF-8 character that begins at `at`.
std::size_t NextCharacter(std::string_view text, std::size_t at) {
  ++at;
  while (at < text.size() && (ByteOf(text[at]) & 0xC0U) == 0x80U) ++at;
  return at;
}

}  // namespace

IgnorePattern::IgnorePattern(std::string_view pattern) {
  // What Terraform does to patterns before it compiles them.
  std::string full(pattern);
  if (full.ends_with('/')) full += "**";
  if (full.starts_with('/')) {
    full.erase(0, 1);
  } else {
    full.insert(0, "**/");
  }
  Compile(full);
}

void IgnorePattern::Compile(std::string_view pattern) {
  for (std::size_t at = 0; at < pattern.size();) {
    switch (pattern[at]) {
      case '*':
        at = CompileStar(pattern, at);
        break;
      case '?':
        tokens_.push_back({.kind = Kind::kAnyCharacter});
        ++at;
        break;
      case '[':
        at = CompileClass(pattern, at);
        break;
      case '\\':
        if (at + 1 < pattern.size()) ++at;
        [[fallthrough]];
      default:
        tokens_.push_back({.kind = Kind::kLiteral, .literal = pattern[at]});
        ++at;
    }
  }
}

std::size_t IgnorePattern::CompileStar(std::string_view pattern, std::size_t at) {
  if (!pattern.substr(at).starts_with("**")) {
    tokens_.push_back({.kind = Kind::kAnyInSegment});
    return at + 1;
  }
  at += 2;
  if (at < pattern.size() && pattern[at] == '/') ++at;
  bool last = at == pattern.size();
  tokens_.push_back({.kind = last ? Kind::kAnything : Kind::kAnySegments});
  return at;
}

// "[abc]", "[a-z]", "[!a]", "[^a]". Without its "]", the "[" stands for itself.
std::size_t IgnorePattern::CompileClass(std::string_view pattern, std::size_t at) {
  Token token{.kind = Kind::kClass};
  std::size_t i = at + 1;
  if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) {
    token.negated = true;
    ++i;
  }
  for (bool first = true; i < pattern.size(); first = false) {
    if (pattern[i] == ']' && !first) {
      tokens_.push_back(token);
      return i + 1;
    }
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    std::size_t low = ByteOf(pattern[i]);
    std::size_t high = low;
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
      high = ByteOf(pattern[i + 2]);
      i += 2;
    }
    for (std::size_t byte = low; byte <= high; ++byte) token.members.set(byte);
    ++i;
  }
  tokens_.push_back({.kind = Kind::kLiteral, .literal = '['});
  return at + 1;
}

// Which positions of the path each prefix of the tokens can reach; no backtracking.
bool IgnorePattern::Matches(std::string_view path) const {
  std::vector<bool> from(path.size() + 1);
  std::vector<bool> to(path.size() + 1);
  from[0] = true;
  for (const Token& token : tokens_) {
    std::fill(to.begin(), to.end(), false);
    Advance(token, path, from, to);
    from.swap(to);
  }
  return from[path.size()];
}

// From each position that was reached, where this token leads. `open` carries a wildcard along, so
// one walk over the path is enough.
void IgnorePattern::Advance(const Token& token, std::string_view path,
                            const std::vector<bool>& from, std::vector<bool>& to) {
  bool open = false;  // a wildcard that began earlier still runs
  for (std::size_t at = 0; at <= path.size(); ++at) {
    bool after_slash = at > 0 && path[at - 1] == '/';
    switch (token.kind) {
      case Kind::kAnyInSegment:
        open = from[at] || (open && !after_slash);
        if (open) to[at] = true;
        break;
      case Kind::kAnything:
        open = open || from[at];
        if (open) to[at] = true;
        break;
      case Kind::kAnySegments:
        if (from[at] || (open && after_slash)) to[at] = true;
        open = open || from[at];
        break;
      case Kind::kLiteral:
      case Kind::kAnyCharacter:
      case Kind::kClass:
        if (from[at] && at < path.size()) AdvanceOne(token, path, at, to);
        break;
    }
  }
}

void IgnorePattern::AdvanceOne(const Token& token, std::string_view path, std::size_t at,
                               std::vector<bool>& to) {
  if (token.kind == Kind::kLiteral) {
    if (path[at] == token.literal) to[at + 1] = true;
    return;
  }
  if (path[at] == '/') return;
  if (token.kind == Kind::kClass && token.members.test(ByteOf(path[at])) == token.negated) return;
  to[NextCharacter(path, at)] = true;
}

IgnoreRules IgnoreRules::Parse(std::string_view text) {
  IgnoreRules rules;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // some editors begin files so
  for (auto part : std::views::split(text, '\n')) {
    std::string_view line = Trim(std::string_view(part.begin(), part.end()));
    if (line.empty() || line.starts_with('#')) continue;
    bool negated = line.starts_with('!');
    if (negated) line.remove_prefix(1);
    if (line.empty()) continue;
    rules.rules_.push_back({IgnorePattern(line), negated});
    rules.has_negations_ = rules.has_negations_ || negated;
  }
  return rules;
}

bool IgnoreRules::Excludes(std::string_view path, bool directory, bool parent_excluded) const {
  std::string as_folder = directory ? std::string(path) + "/" : std::string();
  for (const Rule& rule : std::views::reverse(rules_)) {
    if (rule.pattern.Matches(path) || (directory && rule.pattern.Matches(as_folder))) {
      return !rule.negated;
    }
  }
  return parent_excluded;
}

}  // namespace koya
