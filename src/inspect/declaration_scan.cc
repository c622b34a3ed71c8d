#include "inspect/configuration.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"

namespace koya::inspect {
namespace {

constexpr std::size_t kMostLabels = 2;

// Whatever is no ASCII may be a part of a name.
bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// "aws" of "aws_vpc".
std::string ProviderOf(std::string_view type) {
  return std::string(type.substr(0, type.find('_')));
}

std::string ResourceAddress(std::string_view mode, const std::string& type,
                            const std::string& name) {
  return (mode == "resource" ? std::string() : std::string(mode) + ".") + type + "." + name;
}

bool IsResource(std::string_view word) {
  constexpr std::array<std::string_view, 4> kModes{"resource", "data", "ephemeral", "action"};
  return std::ranges::find(kModes, word) != kModes.end();
}

}  // namespace

void DeclarationScan::AddDeclaration(std::string declaration) {
  // A name that is not UTF-8 is none, and could not be kept.
  if (declaration.size() > 3 * kLongestName || !IsUtf8(declaration)) return;
  if (found_.size() < kMost) {
    found_.insert(std::move(declaration));
  } else if (!found_.contains(declaration)) {
    beyond_ = true;
  }
}

// Words one after the other. A block is a word, labels, and "{"; an attribute is a word and "=".
class DeclarationScan::Native {
 public:
  Native(std::string_view text, DeclarationScan& out) : text_(text), out_(out) {}

  void Run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (IsNameByte(c)) {
        TakeName();
      } else if (c == '"') {
        TakeString();
      } else if (c == '#' || StartsWith("//")) {
        SkipLine();
      } else if (StartsWith("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == text_.npos ? text_.size() : end + 2;
      } else if (StartsWith("<<")) {
        SkipHeredoc();
      } else {
        ++at_;
        if (!IsBlank(c)) TakeSign(c);
      }
    }
  }

 private:
  bool StartsWith(std::string_view word) const { return text_.substr(at_).starts_with(word); }
  void SkipLine() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  void TakeName() {
    std::size_t end = at_;
    while (end < text_.size() && IsNameByte(text_[end])) ++end;
    TakeWord(text_.substr(at_, end - at_));
    at_ = end;
  }

  // Ends at the closing quote, or at the end of the line, so that a malformed string hides only its
  // line.
  void TakeString() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
      end += text_[end] == '\\' ? 2 : 1;
    }
    end = std::min(end, text_.size());
    TakeWord(text_.substr(at_ + 1, end - at_ - 1));
    at_ = std::min(end + 1, text_.size());
  }

  // One that has no end is no heredoc.
  void SkipHeredoc() {
    std::size_t begin = at_ + 2;
    if (begin < text_.size() && text_[begin] == '-') ++begin;
    std::size_t end = begin;
    while (end < text_.size() && IsNameByte(text_[end])) ++end;
    const std::string_view mark = text_.substr(begin, end - begin);
    const bool ends_line = end < text_.size() && (text_[end] == '\n' || text_[end] == '\r');
    at_ = end;
    if (mark.empty() || !ends_line || !open_heredocs_) return;
    std::size_t line = text_.find('\n', end);
    while (line != text_.npos) {
      std::size_t word = line + 1;
      while (word < text_.size() && IsBlank(text_[word])) ++word;
      const std::size_t next = std::min(text_.find('\n', word), text_.size());
      std::string_view rest = text_.substr(word, next - word);
      if (rest.starts_with(mark) &&
          (rest.size() == mark.size() || !IsNameByte(rest[mark.size()]))) {
        at_ = word + mark.size();
        words_.clear();
        return;
      }
      line = next == text_.size() ? text_.npos : next;
    }
    open_heredocs_ = false;  // or each more of them would cost a walk to the end
  }

  void TakeWord(std::string_view word) {
    if (word.size() > kLongestName) word = word.substr(0, kLongestName);
    if (words_.size() > kMostLabels) words_.erase(words_.begin());
    words_.emplace_back(word);
  }

  void TakeSign(char c) {
    if (c == '{') {
      TakeBlock();
      if (required_depth_ > 0) ++required_depth_;
      if (!words_.empty() && words_.back() == "required_providers") required_depth_ = 1;
    }
    if (c == '}' && required_depth_ > 0) --required_depth_;
    if (c == '=') TakeAttribute();
    words_.clear();
  }

  // The words before "{" are labels; which of them is the first word of the line is not known.
  void TakeBlock() {
    const std::size_t count = words_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& word = words_[i];
      const std::size_t labels = count - i - 1;
      if (labels == 1) TakeNamed(word, words_[i + 1]);
      if (labels == 2 && IsResource(word)) {
        out_.AddDeclaration(ResourceAddress(word, words_[i + 1], words_[i + 2]));
        out_.AddDeclaration("provider " + ProviderOf(words_[i + 1]));
      }
      if (labels == 0 && (word == "moved" || word == "removed")) out_.AddDeclaration(word);
    }
  }

  void TakeNamed(const std::string& word, const std::string& name) {
    if (word == "variable" || word == "output" || word == "provider")
      out_.AddDeclaration(word + " " + name);
    if (word == "module") out_.AddDeclaration("module." + name);
  }

  void TakeAttribute() {
    if (words_.empty()) return;
    const std::string& name = words_.back();
    if (name == "required_version") out_.AddDeclaration(name);
    if (name == "opentofu") out_.AddDeclaration("required_opentofu");
    if (required_depth_ == 1) {
      out_.AddDeclaration("required " + name);
      out_.AddDeclaration("provider " + name);
    }
    if (name != "provider") return;
    std::size_t begin = at_;
    while (begin < text_.size() && IsBlank(text_[begin])) ++begin;
    std::size_t end = begin;
    while (end < text_.size() && end - begin < kLongestName && IsNameByte(text_[end])) ++end;
    if (end > begin)
      out_.AddDeclaration("provider " + std::string(text_.substr(begin, end - begin)));
  }

  std::string_view text_;
  DeclarationScan& out_;
  std::size_t at_ = 0;
  std::vector<std::string> words_;  // since the last sign, three at most
  // How many brackets are open since the one of required_providers; 0: none of it.
  std::size_t required_depth_ = 0;
  bool open_heredocs_ = true;
};

// Names of members, each below the names that stand above it.
class DeclarationScan::Json {
 public:
  Json(std::string_view text, DeclarationScan& out) : text_(text), out_(out) {}

  void Run() {
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c == '"') TakeString();
      if (c == ':') TakeName();
      if (c == '{') Open();
      if (c == '}') Close();
    }
  }

 private:
  static constexpr std::size_t kDeepest = 500;

  // Deeper levels have no names above them.
  void Open() {
    ++depth_;
    if (depth_ <= kDeepest) above_.push_back(name_);
  }
  void Close() {
    if (depth_ == 0) return;
    if (depth_ <= kDeepest) {
      name_ = std::move(above_.back());  // in a list the next one has the same name
      above_.pop_back();
    }
    --depth_;
  }

  void TakeString() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    at_ = std::min(at_, text_.size());
    last_ = std::string(text_.substr(begin, std::min(at_ - begin, kLongestName)));
    at_ = std::min(at_ + 1, text_.size());
  }

  const std::string& Above(std::size_t levels) const {
    static const std::string kNone;
    return above_.size() < levels ? kNone : above_[above_.size() - levels];
  }

  // The string before ":" is a name.
  void TakeName() {
    name_ = std::exchange(last_, {});
    const std::string& parent = Above(1);
    if (parent == "variable" || parent == "output" || parent == "provider") {
      out_.AddDeclaration(parent + " " + name_);
    }
    if (parent == "module") out_.AddDeclaration("module." + name_);
    if (parent == "required_providers") {
      out_.AddDeclaration("required " + name_);
      out_.AddDeclaration("provider " + name_);
    }
    if (IsResource(Above(2))) {
      out_.AddDeclaration(ResourceAddress(Above(2), parent, name_));
      out_.AddDeclaration("provider " + ProviderOf(parent));
    }
    if (name_ == "required_version" || name_ == "moved" || name_ == "removed")
      out_.AddDeclaration(name_);
    if (name_ == "opentofu") out_.AddDeclaration("required_opentofu");
  }

  std::string_view text_;
  DeclarationScan& out_;
  std::size_t at_ = 0;
  std::string last_;                // string
  std::string name_;                // of the member whose value is read
  std::vector<std::string> above_;  // of the outermost kDeepest objects
  std::size_t depth_ = 0;
};

void DeclarationScan::Add(std::string_view text, bool json) {
  if (json) {
    Json(text, *this).Run();
  } else {
    Native(text, *this).Run();
  }
}

}  // namespace koya::inspect
