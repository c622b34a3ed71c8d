// Generates shell completion from the tree of commands, so that it cannot be out of date.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

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
  bool takes_path = false;  // an argument is a file or folder
};

// All visible commands, the program itself first.
std::vector<CompletionEntry> CompletionTable(const CLI::App& program);

// Generates the script for `shell`: bash, zsh or fish. Fails: kInvalid.
Result<std::string> CompletionScript(std::string_view shell,
                                     const std::vector<CompletionEntry>& table);

}  // namespace koya::cli
