#include "cli/text/output.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "wire/error_document.h"

namespace koya::cli {
namespace {

// The first `columns` code points of `text`.
std::string CutToColumns(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (begins && columns-- == 0) break;
  }
  return std::string(text.substr(0, end));
}

// Makes the widest columns narrower until they all fit in `room`, or none can: headings are cut
// last.
void ShrinkTo(std::size_t room, const std::vector<std::string>& header,
              std::vector<std::size_t>& widths) {
  constexpr std::size_t kNarrowest = 8;
  for (const bool cuts_headings : {false, true}) {
    while (std::reduce(widths.begin(), widths.end()) > room) {
      std::size_t* widest = nullptr;
      for (std::size_t i = 0; i < widths.size(); ++i) {
        const std::size_t least =
            cuts_headings ? kNarrowest : std::max(kNarrowest, Columns(header[i]));
        if (widths[i] > least && (widest == nullptr || widths[i] > *widest)) widest = &widths[i];
      }
      if (widest == nullptr) break;
      --*widest;
    }
  }
}

}  // namespace

std::string SizeText(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return fmt::format("{:.{}f} {}", size, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::size_t Columns(std::string_view text) { return CountCharacters(text); }

std::string RelativeTime(std::string_view time, UnixSeconds now) {
  const std::optional<UnixSeconds> at = ParseRfc3339(time);
  if (!at || !time.contains('T')) return std::string(time);
  const UnixSeconds age = now - *at;
  const UnixSeconds seconds = std::abs(age);
  struct Unit {
    std::string_view name;
    UnixSeconds seconds;
    UnixSeconds most;
  };
  constexpr std::array<Unit, 4> kUnits{{{"second", 1, 120},
                                        {"minute", 60, 120 * 60},
                                        {"hour", 3600, 48 * 3600},
                                        {"day", 86'400, 60 * 86'400}}};
  for (const Unit& unit : kUnits) {
    if (seconds >= unit.most) continue;
    const UnixSeconds count = seconds / unit.seconds;
    const std::string text = fmt::format("{} {}{}", count, unit.name, count == 1 ? "" : "s");
    return age < 0 ? "in " + text : text + " ago";
  }
  return std::string(time.substr(0, std::string_view("2026-11-21").size()));
}

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

std::vector<std::size_t> Output::FitRows(std::vector<std::vector<std::string>>& rows) const {
  constexpr std::size_t kGap = 2;
  const UnixSeconds now = SystemClock().Now();
  std::vector<std::size_t> widths(rows.front().size());
  for (auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!is_wide()) row[i] = RelativeTime(row[i], now);
      widths[i] = std::max(widths[i], Columns(row[i]));
    }
  }
  if (is_wide()) return widths;
  const std::size_t room = std::max(shell_.out_columns, kTextColumns) - kGap * (widths.size() - 1);
  ShrinkTo(room, rows.front(), widths);
  for (auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (Columns(row[i]) > widths[i]) row[i] = CutToColumns(row[i], widths[i] - 1) + "…";
    }
  }
  return widths;
}

void Output::PrintTable(const std::vector<std::string>& header,
                        const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::vector<std::string>> lines{header};
  lines.insert(lines.end(), rows.begin(), rows.end());
  const std::vector<std::size_t> widths = FitRows(lines);
  for (const auto& row : lines) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += &row == lines.data() ? Bold(row[i]) : row[i];
      if (i + 1 < row.size()) line.append(widths[i] - Columns(row[i]) + 2, ' ');
    }
    Print(line.substr(0, line.find_last_not_of(' ') + 1));
  }
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
  command
      .add_option_function<std::string>(
          "-o",
          [&invocation](const std::string& form) {
            (form == "json" ? invocation.json : invocation.wide) = true;
          },
          "json: as --json; wide: whole tables at a terminal, too")
      ->check(CLI::IsMember({"wide", "json"}), "form")
      ->type_name("wide|json");
}

}  // namespace koya::cli
