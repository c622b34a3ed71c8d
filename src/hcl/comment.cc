#include "hcl/comment.h"

#include <algorithm>

namespace koya::hcl {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Takes away what marks a line as one of a comment. `inside`: it is in one from "/*" on.
std::string_view WithoutMarks(std::string_view line, bool& inside) {
  line = Trimmed(line);
  if (!inside && line.starts_with("/*")) {
    inside = true;
    line.remove_prefix(std::min(line.find_first_not_of('*', 1), line.size()));
    if (line == "/") line = "*/";  // the end of "/**/"
  } else if (inside) {
    if (line.starts_with('*') && !line.starts_with("*/")) line.remove_prefix(1);
  } else {
    line.remove_prefix(std::min(line.find_first_not_of(line.empty() ? '#' : line[0]), line.size()));
  }
  if (inside && line.ends_with("*/")) {
    inside = false;
    line.remove_suffix(2);
  }
  if (line.starts_with(' ')) line.remove_prefix(1);
  return line.substr(0, line.find_last_not_of(" \t") + 1);
}

}  // namespace

std::string CommentText(std::string_view comments) {
  std::string out;
  bool inside = false;
  while (!comments.empty()) {
    std::size_t end = std::min(comments.find('\n'), comments.size());
    out += WithoutMarks(comments.substr(0, end), inside);
    out += '\n';
    comments.remove_prefix(std::min(end + 1, comments.size()));
  }
  out.erase(0, std::min(out.find_first_not_of('\n'), out.size()));
  out.erase(out.find_last_not_of(" \n") + 1);
  return out;
}

}  // namespace koya::hcl
