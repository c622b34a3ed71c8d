// Output prints a command's results on stdout, as text or one JSON document, and everything else on
// stderr. One thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/text/shell.h"

namespace koya::cli {

class Output {
 public:
  // With `json`, Print() does nothing, so that text never mixes with the document.
  Output(const Shell& shell, bool json) : shell_(shell), json_(json) {}

  bool json() const { return json_; }
  // True if lines are cut to a terminal's width. Programs and files get whole lines.
  bool cuts() const { return shell_.out_is_terminal; }

  // Prints a line of the result, for people.
  void Print(std::string_view line);
  // Prints the result as a document; does nothing without --json.
  void PrintDocument(std::string_view document);
  // Prints a line on stderr: progress, or a notice for the user.
  void Note(std::string_view line);
  // Prints columns as wide as their longest cell. The last one is not padded.
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

  const Shell& shell_;
  bool json_;
};

}  // namespace koya::cli
