// Output prints a command's results on stdout, as text or one JSON document, and everything else on
// stderr. One thread. Invocation is what writes to it.
//
// Columns and WrapText measure and wrap text for a terminal of limited width; pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/text/shell.h"

namespace CLI {
class App;
}

namespace koya::cli {

inline constexpr std::size_t kTextColumns = 80;

// "12.3 MB", in powers of 1000.
std::string SizeText(std::uint64_t bytes);

// Columns of `text`: one per code point, which aligns all but wide characters.
std::size_t Columns(std::string_view text);

// "3 hours ago", "in 12 days"; more than 60 days off: the date. `time` is RFC 3339; any other text
// stays as it is.
std::string RelativeTime(std::string_view time, UnixSeconds now);

// Wraps `text` into lines of at most `width` columns, at blanks; a longer word gets its own line.
std::vector<std::string> WrapText(std::string_view text, std::size_t width);

class Output {
 public:
  // With `json`, Print() does nothing, so that text never mixes with the document. With `wide`,
  // tables at a terminal are as in a pipe.
  Output(const Shell& shell, bool json, bool wide = false)
      : shell_(shell), json_(json), wide_(wide) {}

  bool json() const { return json_; }
  // True if lines are cut to a terminal's width. Programs and files get whole lines.
  bool cuts() const { return shell_.out_is_terminal; }

  // Prints a line of the result, for people.
  void Print(std::string_view line);
  // Prints the result as a document; does nothing without --json.
  void PrintDocument(std::string_view document);
  // Prints a line on stderr: progress, or a notice for the user.
  void Note(std::string_view line);
  // True if tables have all columns and whole cells: in a pipe, or with -o wide.
  bool is_wide() const { return wide_ || !shell_.out_is_terminal; }
  // Prints columns as wide as their longest cell. The last one is not padded. Unless is_wide(),
  // times (RFC 3339) are relative, and the widest columns are cut to the terminal's width.
  void PrintTable(const std::vector<std::string>& header,
                  const std::vector<std::vector<std::string>>& rows);
  // Prints "koya: message" on stderr; with --json also an error document on stdout
  // (wire/error_document.h), so that a program always finds one.
  void Fail(const Error& error);
  // Prints the error document alone, with all problems that a server found at once.
  void PrintErrors(std::span<const std::string> sentences, ErrorKind kind, unsigned status);

  // Colours for stdout; plain when it is not a terminal or NO_COLOR is set.
  std::string Bold(std::string_view text) const { return Styled(text, "1"); }
  std::string Green(std::string_view text) const { return Styled(text, "32"); }
  std::string Yellow(std::string_view text) const { return Styled(text, "33"); }
  std::string Red(std::string_view text) const { return Styled(text, "31"); }

  const Shell& shell() const { return shell_; }

 private:
  std::string Styled(std::string_view text, std::string_view code) const;

  // Makes rows fit the terminal; returns the widths of the columns.
  std::vector<std::size_t> FitRows(std::vector<std::vector<std::string>>& rows) const;

  const Shell& shell_;
  bool json_;
  bool wide_;
};

// Returns the exit status: 0, or 1 when the command did its work and found a problem. An Error is
// printed, and gives status 1.
using Action = std::function<Result<int>(Output&)>;

// Holds the action of one run of the program, set while its command line is parsed.
struct Invocation {
  const Shell& shell;
  Action action;
  bool json = false;  // --json or -o json was given
  bool wide = false;  // -o wide was given
};

// Declares --json and -o on `command`.
void AddJsonFlag(CLI::App& command, Invocation& invocation);

}  // namespace koya::cli
