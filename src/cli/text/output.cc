#include "cli/text/output.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "base/text.h"
#include "wire/error_document.h"

namespace koya::cli {

std::string SizeText(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return fmt::format("{:.{}f} {}", size, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::size_t Columns(std::string_view text) { return CountCharacters(text); }

std::vector<std::string> WrapText(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const bool fits = !lines.empty() && Columns(lines.back()) + 1 + Columns(word) <= width;
    if (fits) {
      lines.back() += ' ';
      lines.back() += word;
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

void Output::Print(std::string_view line) {
  if (!json_) shell_.out << line << '\n';
}

void Output::PrintDocument(std::string_view document) {
  if (json_) shell_.out << document << '\n';
}

void Output::Note(std::string_view line) { shell_.err << line << '\n'; }

void Output::PrintTable(const std::vector<std::string>& header,
                        const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::string& title : header) widths.push_back(Columns(title));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Columns(row[i]));
  }
  auto print = [&](const std::vector<std::string>& row, bool bold) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += bold ? Bold(row[i]) : row[i];
      if (i + 1 < row.size()) line.append(widths[i] - Columns(row[i]) + 2, ' ');
    }
    Print(line);
  };
  print(header, true);
  for (const auto& row : rows) print(row, false);
}

void Output::Fail(const Error& error) {
  shell_.err << "koya: " << error.message << '\n';
  PrintErrors(std::span(&error.message, 1), error.kind, error.status);
}

void Output::PrintErrors(std::span<const std::string> sentences, ErrorKind kind, unsigned status) {
  PrintDocument(wire::EncodeErrors(sentences, kind, status));
}

std::string Output::Styled(std::string_view text, std::string_view code) const {
  // https://no-color.org: set and not empty.
  bool plain = !shell_.out_is_terminal || !Variable(shell_.variables, "NO_COLOR").empty();
  return plain ? std::string(text) : fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void AddJsonFlag(CLI::App& command, Invocation& invocation) {
  command.add_flag("--json", invocation.json, "Print the result as one JSON document");
}

}  // namespace koya::cli
