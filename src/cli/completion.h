// Shell completion, made from the tree of commands so that it cannot be out of date.
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
  std::vector<std::string> values;  // the words it takes, when they are few
};

struct CompletionWord {
  std::string name;
  std::string about;
};

// One command, and what may follow it.
struct CompletionEntry {
  std::string path;                   // "publish module"; "" for the program itself
  std::vector<CompletionWord> words;  // subcommands, or the words an argument can be
  std::vector<CompletionFlag> flags;
  bool takes_path = false;  // an argument is a file or folder
};

// Every command that is shown, the program first.
std::vector<CompletionEntry> CompletionTable(const CLI::App& program);

// `shell`: bash, zsh or fish. Fails: kInvalid.
Result<std::string> CompletionScript(std::string_view shell,
                                     const std::vector<CompletionEntry>& table);

}  // namespace koya::cli
