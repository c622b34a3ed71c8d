#include "hcl/references.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

namespace koya::hcl {
namespace {

constexpr std::size_t kMaxFrames = 1'000;

bool IsNumeral(char c) { return c >= '0' && c <= '9'; }
bool BeginsName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool ContinuesName(char c) { return BeginsName(c) || IsNumeral(c) || c == '-'; }

class MentionScan {
 public:
  enum class Kind { kExpression, kString, kHeredoc, kText };

  MentionScan(std::string_view text, Kind begin) : text_(text) { frames_.push_back({begin, {}}); }

  Mentions Run() {
    while (at_ < text_.size() && frames_.size() <= kMaxFrames) Step();
    return {{references_.begin(), references_.end()}, {functions_.begin(), functions_.end()}};
  }

 private:
  struct Frame {
    Kind kind;
    std::string_view marker;  // of a heredoc
  };

  char At(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }
  void Push(Kind kind, std::string_view marker = {}) { frames_.push_back({kind, marker}); }
  void Pop() {
    if (frames_.size() > 1) frames_.pop_back();
  }

  void Step();
  void StepExpression();
  bool SkipComment();
  bool BeginHeredoc();
  bool EndHeredoc();
  std::string_view Word();
  void ReadPath();
  void ReadFunction(std::string_view first);
  void ReadLoopNames();
  void Note(const std::vector<std::string_view>& parts);

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Frame> frames_;
  std::set<std::string, std::less<>> loop_names_;
  std::set<std::string> references_;
  std::set<std::string> functions_;
};

void MentionScan::Step() {
  Kind kind = frames_.back().kind;
  if (kind == Kind::kExpression) return StepExpression();
  if (kind == Kind::kHeredoc && EndHeredoc()) return;
  char c = text_[at_++];
  if (kind == Kind::kString && c == '\\') ++at_;
  if (kind == Kind::kString && c == '"') Pop();
  if (c != '$' && c != '%') return;
  if (At(at_) == c && At(at_ + 1) == '{') {
    at_ += 2;
  } else if (At(at_) == '{') {
    ++at_;
    Push(Kind::kExpression);
  }
}

bool MentionScan::SkipComment() {
  if (At(at_) == '#' || (At(at_) == '/' && At(at_ + 1) == '/')) {
    at_ = std::min(text_.find('\n', at_), text_.size());
    return true;
  }
  if (At(at_) != '/' || At(at_ + 1) != '*') return false;
  std::size_t end = text_.find("*/", at_ + 2);
  at_ = end == text_.npos ? text_.size() : end + 2;
  return true;
}

// "<<EOT" or "<<-EOT" with its newline.
bool MentionScan::BeginHeredoc() {
  if (At(at_) != '<' || At(at_ + 1) != '<') return false;
  std::size_t begin = at_ + (At(at_ + 2) == '-' ? 3 : 2);
  std::size_t end = begin;
  while (ContinuesName(At(end))) ++end;
  std::size_t after = end + (At(end) == '\r' ? 1 : 0);
  if (end == begin || At(after) != '\n') return false;
  at_ = after + 1;
  Push(Kind::kHeredoc, text_.substr(begin, end - begin));
  return true;
}

// At the beginning of the line that ends the heredoc: goes behind its marker.
bool MentionScan::EndHeredoc() {
  if (text_[at_ - 1] != '\n') return false;
  std::size_t begin = std::min(text_.find_first_not_of(" \t", at_), text_.size());
  std::string_view marker = frames_.back().marker;
  if (!text_.substr(begin).starts_with(marker)) return false;
  std::size_t end = begin + marker.size();
  std::size_t after = std::min(text_.find_first_not_of(" \t\r", end), text_.size());
  if (after < text_.size() && text_[after] != '\n') return false;
  at_ = end;
  Pop();
  return true;
}

std::string_view MentionScan::Word() {
  std::size_t begin = at_;
  while (ContinuesName(At(at_))) ++at_;
  return text_.substr(begin, at_ - begin);
}

void MentionScan::StepExpression() {
  if (SkipComment() || BeginHeredoc()) return;
  char c = text_[at_];
  if (BeginsName(c)) return ReadPath();
  if (IsNumeral(c)) return static_cast<void>(Word());
  ++at_;
  if (c == '"') Push(Kind::kString);
  if (c == '{') Push(Kind::kExpression);
  if (c == '}') Pop();
  // An attribute of what stands before it.
  if (c == '.' && BeginsName(At(at_))) Word();
}

// "a", "a.b.c", "a::b::c", or the names after "for".
void MentionScan::ReadPath() {
  std::vector<std::string_view> parts{Word()};
  if (At(at_) == ':' && At(at_ + 1) == ':') return ReadFunction(parts.front());
  if (parts.front() == "for") return ReadLoopNames();
  while (At(at_) == '.' && BeginsName(At(at_ + 1))) {
    ++at_;
    parts.push_back(Word());
  }
  Note(parts);
}

void MentionScan::ReadFunction(std::string_view first) {
  std::string name(first);
  while (At(at_) == ':' && At(at_ + 1) == ':' && BeginsName(At(at_ + 2))) {
    at_ += 2;
    name += "::";
    name += Word();
  }
  if (first == "provider" && name.size() > first.size()) functions_.insert(std::move(name));
  if (At(at_) == ':') ++at_;
}

// "k, v in"
void MentionScan::ReadLoopNames() {
  for (int count = 0; count < 2; ++count) {
    at_ = std::min(text_.find_first_not_of(" \t\r\n,", at_), text_.size());
    std::size_t begin = at_;
    std::string_view name = Word();
    if (name == "in") {
      at_ = begin;
      return;
    }
    if (!name.empty()) loop_names_.emplace(name);
  }
}

void MentionScan::Note(const std::vector<std::string_view>& parts) {
  constexpr std::array<std::string_view, 8> kNoReferences{"each",      "count", "self", "path",
                                                          "terraform", "tofu",  "run",  "resource"};
  std::string_view root = parts.front();
  std::size_t first = root == "resource" && parts.size() > 2 ? 1 : 0;
  if (first == 0 && std::ranges::count(kNoReferences, root) > 0) return;
  if (loop_names_.contains(root)) return;
  std::size_t wanted = first + (root == "data" || root == "ephemeral" ? 3 : 2);
  if (parts.size() < wanted) return;
  std::string reference(parts[first]);
  for (std::size_t i = first + 1; i < wanted; ++i) {
    reference += '.';
    reference += parts[i];
  }
  references_.insert(std::move(reference));
}

}  // namespace

Mentions FindMentions(std::string_view source) {
  return MentionScan(source, MentionScan::Kind::kExpression).Run();
}

Mentions FindTemplateMentions(std::string_view text) {
  return MentionScan(text, MentionScan::Kind::kText).Run();
}

}  // namespace koya::hcl
