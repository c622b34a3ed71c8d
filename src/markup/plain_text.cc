#include "markup/plain_text.h"

#include "base/text.h"

namespace koya::markup {
namespace {

constexpr std::size_t kMostOfBlock = 2048;

void AppendAtMost(std::string_view text, std::size_t most, std::string& out) {
  if (out.size() < most) out += CutUtf8(text, most - out.size());
}

// At `begin`, or nothing when it is not there.
void EraseMark(std::string& text, std::size_t begin, std::string_view mark) {
  if (!std::string_view(text).substr(begin).starts_with(mark)) return;
  text.erase(begin, mark.size());
  if (text.size() > begin && text[begin] == '\n') text.erase(begin, 1);
}

}  // namespace

void PlainText::DropMark(std::string_view mark) {
  EraseMark(block_, 0, mark);
  EraseMark(all_, begin_, mark);
}

void PlainText::Add(std::string_view text) {
  AppendAtMost(text, kMostOfBlock, block_);
  // Ends of lines between blocks, where HTML is written.
  if (text == "\n" && (all_.empty() || all_.back() == '\n')) return;
  AppendAtMost(text, most_, all_);
}

void PlainText::EndBlock() {
  block_.clear();
  if (!all_.empty() && all_.back() != '\n') AppendAtMost("\n", most_, all_);
  begin_ = all_.size();
}

std::string OneLine(std::string_view text, std::size_t most) {
  std::string out;
  for (char c : text) {
    bool blank = c == ' ' || c == '\t' || c == '\n';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.ends_with(' ')) out.pop_back();
  if (out.size() <= most) return out;
  constexpr std::string_view kMore = "…";
  std::string_view start = CutUtf8(out, most - kMore.size());
  // A word that is cut is left out, when there are others.
  if (std::size_t blank = start.rfind(' '); blank != start.npos && blank > most / 2) {
    start = start.substr(0, blank);
  }
  return std::string(start) + std::string(kMore);
}

}  // namespace koya::markup
