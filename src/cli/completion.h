// Generates shell completion from the tree of commands, so that it cannot be out of date.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/api/connection.h"

namespace CLI {
class App;
}

namespace koya::cli {

struct CompletionFlag {
  std::string name;  // "--server"
  std::string about;
  bool takes_value = false;
  bool takes_path = false;          // a file or folder
  std::vector<std::string> values;  // accepted words, when there are few
};

struct CompletionWord {
  std::string name;
  std::string about;
};

// A command, and the words and flags that may follow it.
struct CompletionEntry {
  std::string path;                   // "publish module"; "" for the program itself
  std::vector<CompletionWord> words;  // subcommands, or words that an argument accepts
  std::vector<CompletionFlag> flags;
  bool takes_path = false;    // an argument is a file or folder
  bool names_things = false;  // an argument names something on the server
};

// The argument of a command that a line of words ends with, which may be incomplete.
struct CompletedArgument {
  std::string command;              // "show module"
  std::string name;                 // "ADDRESS"; "": a command or a flag
  std::string beginning;            // what there is of it
  std::vector<std::string> before;  // the arguments before it
  ServerFlags server;               // as the line names it
};
// `words`: the line without the program's name. Pure.
CompletedArgument ArgumentAtEnd(const CLI::App& program, std::span<const std::string> words);

// All visible commands, the program itself first.
std::vector<CompletionEntry> CompletionTable(const CLI::App& program);

// Generates the script for `shell`: bash, zsh or fish. Fails: kInvalid.
Result<std::string> CompletionScript(std::string_view shell,
                                     const std::vector<CompletionEntry>& table);

}  // namespace koya::cli
