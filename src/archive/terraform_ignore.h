// Evaluates .terraformignore: which paths of a module folder are not packed.
//
// Each line is a pattern as in .gitignore: "#" begins a comment, "!" takes a path back in, "/" in
// front ties the pattern to the root, "/" at the end means a folder, "*" and "?" stay within a
// segment, "**" crosses segments, "[a-z]" is a class, "\" takes the next character as it is. As
// Terraform reads the file, a pattern without "/" in front matches at any depth, the last pattern
// that matches a path decides, and a path inside an excluded folder can be taken back in. A path
// that no pattern matches goes the way of its folder, as in git.
#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

namespace koya {

// One compiled pattern. Matching time is at most proportional to pattern times path.
class IgnorePattern {
 public:
  // REQUIRES: `pattern` has no comment or "!" in front.
  explicit IgnorePattern(std::string_view pattern);

  // `path` is relative, without a leading "/"; folders are matched both with and without a trailing
  // "/".
  bool Matches(std::string_view path) const;

 private:
  enum class Kind { kLiteral, kAnyCharacter, kAnyInSegment, kAnySegments, kAnything, kClass };
  struct Token {
    Kind kind;
    char literal = 0;
    std::bitset<256> members{};
    bool negated = false;
  };

  void Compile(std::string_view pattern);
  std::size_t CompileStar(std::string_view pattern, std::size_t at);
  std::size_t CompileClass(std::string_view pattern, std::size_t at);
  static void Advance(const Token& token, std::string_view path, const std::vector<bool>& from,
                      std::vector<bool>& to);
  static void AdvanceOne(const Token& token, std::string_view path, std::size_t at,
                         std::vector<bool>& to);

  std::vector<Token> tokens_;
};

// The rules of one file, in order. Immutable after Parse: any thread.
class IgnoreRules {
 public:
  static IgnoreRules Parse(std::string_view text);

  // Whether `path` is excluded, given the decision for its parent folder (the root: false).
  bool Excludes(std::string_view path, bool directory, bool parent_excluded) const;

  // Whether something inside an excluded folder may be re-included.
  bool has_negations() const { return has_negations_; }

 private:
  struct Rule {
    IgnorePattern pattern;
    bool negated;
  };
  std::vector<Rule> rules_;
  bool has_negations_ = false;
};

}  // namespace koya
