// koya completion bash | zsh | fish

#include "cli/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "cli/program.h"

namespace koya::cli {
namespace {

// For a menu: short, and harmless inside single quotes of all three shells.
std::string ShortAbout(std::string_view about) {
  // The first sentence, without what the shells' own syntax gives a meaning.
  std::string text;
  for (char c : about.substr(0, about.find_first_of(";\n"))) {
    if (c == '\'' || c == '"' || c == '\\' || c == '`' || c == '$') continue;
    text += c;
  }
  return text;
}

// CLI11 keeps its checks to itself, so the few closed sets of words are named here.
std::vector<std::string> KnownValues(std::string_view name) {
  if (name == "--scope") return {"read", "publish", "admin"};
  if (name == "SHELL") return {"bash", "zsh", "fish"};
  return {};
}

bool TakesPath(std::string_view type_or_name) {
  return type_or_name == "PATH" || type_or_name == "DIR" || type_or_name == "FILE" ||
         type_or_name == "DIST_DIR" || type_or_name == "KEY.asc";
}

// Their NAME is a namespace's.
constexpr std::string_view kNamespaceCommands = "namespace ";

// koya complete-words knows the values of these.
bool NamesThings(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames{"NAMESPACE", "ADDRESS", "VERSION", "FROM", "TO"};
  return std::ranges::find(kNames, name) != kNames.end();
}

void AddOption(const CLI::Option& option, CompletionEntry& entry) {
  if (option.get_group().empty()) return;
  if (option.get_positional()) {
    std::string name = option.get_name(true, false);
    entry.takes_path |= TakesPath(name);
    entry.names_things |= NamesThings(name);
    for (const std::string& value : KnownValues(name)) entry.words.push_back({value, ""});
    return;
  }
  for (const std::string& name : option.get_lnames()) {
    std::string flag = "--" + name;
    bool takes_value = option.get_expected_max() > 0;
    entry.flags.push_back({flag, ShortAbout(option.get_description()), takes_value,
                           takes_value && TakesPath(option.get_type_name()), KnownValues(flag)});
  }
}

void AddEntries(const CLI::App& command, const std::string& path,
                std::vector<CompletionEntry>& table) {
  CompletionEntry entry{.path = path, .words = {}, .flags = {}};
  std::vector<const CLI::App*> shown;
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!each->get_group().empty()) shown.push_back(each);
  }
  for (const CLI::App* each : shown) {
    entry.words.push_back({each->get_name(), ShortAbout(each->get_description())});
  }
  for (const CLI::Option* option : command.get_options()) AddOption(*option, entry);
  entry.names_things |= path.starts_with(kNamespaceCommands);
  table.push_back(std::move(entry));
  for (const CLI::App* each : shown) {
    AddEntries(*each, path.empty() ? each->get_name() : path + " " + each->get_name(), table);
  }
}

// " publish|publish module|…": what turns the path so far and the next word into a longer path.
std::string Steps(const std::vector<CompletionEntry>& table, std::string_view quote,
                  std::string_view between) {
  std::string steps;
  for (const CompletionEntry& entry : table) {
    if (entry.path.empty()) continue;
    bool nested = entry.path.find(' ') != std::string::npos;
    steps += fmt::format("{}{}{}{}{}", steps.empty() ? "" : between, quote, nested ? "" : " ",
                         entry.path, quote);
  }
  return steps;
}

// Flags that take a value, each once.
std::map<std::string, CompletionFlag> ValueFlags(const std::vector<CompletionEntry>& table) {
  std::map<std::string, CompletionFlag> flags;
  for (const CompletionEntry& entry : table) {
    for (const CompletionFlag& flag : entry.flags) {
      if (flag.takes_value) flags.emplace(flag.name, flag);
    }
  }
  return flags;
}

std::string Joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// Walks the words before the cursor to the command they name, then offers what may follow it.
std::string BashScript(const std::vector<CompletionEntry>& table) {
  std::string values;
  for (const auto& [name, flag] : ValueFlags(table)) {
    std::string reply = flag.takes_path       ? "$(compgen -f -- \"$current\")"
                        : flag.values.empty() ? ""
                                              : fmt::format("$(compgen -W '{}' -- \"$current\")",
                                                            Joined(flag.values));
    values += fmt::format("    {}) COMPREPLY=({}); return ;;\n", name, reply);
  }
  std::string cases;
  for (const CompletionEntry& entry : table) {
    std::vector<std::string> words;
    words.reserve(entry.words.size() + entry.flags.size());
    for (const CompletionWord& word : entry.words) words.push_back(word.name);
    for (const CompletionFlag& flag : entry.flags) words.push_back(flag.name);
    cases += fmt::format("    '{}') words='{}'{} ;;\n", entry.path, Joined(words),
                         entry.names_things ? "; things=1" : "");
  }
  return fmt::format(R"script(# bash completion for koya: source <(koya completion bash)
_koya() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local path='' words='' things='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {}) path="${{path:+$path }}${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$previous" in
{}  esac
  case "$path" in
{}  esac
  if [[ -n $things && $current != -* ]]; then
    words="$words $(koya complete-words "${{COMP_WORDS[@]:1:COMP_CWORD}}" 2>/dev/null)"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ ${{#COMPREPLY[@]}} == 1 && $COMPREPLY == */ ]]; then compopt -o nospace; fi
}}
complete -o default -F _koya koya
)script",
                     Steps(table, "'", "|"), values, cases);
}

// "name:about" as _describe takes it; a colon inside is escaped.
std::string ZshEntry(std::string_view name, std::string_view about) {
  std::string text;
  for (char c : about) text += c == ':' ? std::string("\\:") : std::string(1, c);
  return about.empty() ? fmt::format("'{}'", name) : fmt::format("'{}:{}'", name, text);
}

std::string ZshScript(const std::vector<CompletionEntry>& table) {
  std::string values;
  for (const auto& [name, flag] : ValueFlags(table)) {
    std::string action = flag.takes_path       ? "_files; "
                         : flag.values.empty() ? ""
                                               : fmt::format("compadd {}; ", Joined(flag.values));
    values += fmt::format("    {}) {}return ;;\n", name, action);
  }
  std::string cases;
  for (const CompletionEntry& entry : table) {
    std::vector<std::string> words;
    words.reserve(entry.words.size() + entry.flags.size());
    for (const CompletionWord& word : entry.words) words.push_back(ZshEntry(word.name, word.about));
    for (const CompletionFlag& flag : entry.flags) words.push_back(ZshEntry(flag.name, flag.about));
    cases +=
        fmt::format("    '{}') entries=({}){}{} ;;\n", entry.path, Joined(words),
                    entry.takes_path ? "; _files" : "", entry.names_things ? "; _koya_things" : "");
  }
  return fmt::format(R"script(#compdef koya
# zsh completion for koya: source <(koya completion zsh), or save it as _koya in a folder of $fpath
_koya_things() {{
  local -a things
  [[ ${{words[CURRENT]}} == -* ]] && return
  things=(${{(f)"$(koya complete-words "${{(@)words[2,CURRENT]}}" 2>/dev/null)"}})
  compadd -S '' -- ${{(M)things:#*/}}
  compadd -- ${{things:#*/}}
}}
_koya() {{
  local -a entries
  local so_far='' i
  for ((i = 2; i < CURRENT; i++)); do
    case "$so_far ${{words[i]}}" in
      {}) so_far="${{so_far:+$so_far }}${{words[i]}}" ;;
    esac
  done
  case "${{words[CURRENT-1]}}" in
{}  esac
  case "$so_far" in
{}  esac
  _describe koya entries
}}
if [ "$funcstack[1]" = "_koya" ]; then _koya "$@"; else compdef _koya koya; fi
)script",
                     Steps(table, "'", "|"), values, cases);
}

std::string FishFlag(const CompletionEntry& entry, const CompletionFlag& flag) {
  std::string line = fmt::format("complete -c koya -n \"__koya_at '{}'\" -l {} -d '{}'", entry.path,
                                 flag.name.substr(2), flag.about);
  if (!flag.takes_value) return line + "\n";
  line += flag.takes_path ? " -r -F" : " -x";
  if (!flag.values.empty()) line += fmt::format(" -a '{}'", Joined(flag.values));
  return line + "\n";
}

std::string FishScript(const std::vector<CompletionEntry>& table) {
  std::string lines;
  for (const CompletionEntry& entry : table) {
    std::string condition = fmt::format("complete -c koya -n \"__koya_at '{}'\"", entry.path);
    for (const CompletionWord& word : entry.words) {
      lines += fmt::format("{} -a '{}' -d '{}'\n", condition, word.name, word.about);
    }
    if (entry.takes_path) lines += condition + " -F\n";
    if (entry.names_things) lines += condition + " -a '(__koya_things)'\n";
    for (const CompletionFlag& flag : entry.flags) lines += FishFlag(entry, flag);
  }
  return fmt::format(R"script(# fish completion for koya: koya completion fish | source
function __koya_at
  set -l so_far ''
  for word in (commandline -opc)[2..-1]
    switch "$so_far $word"
      case {}
        set so_far (string trim "$so_far $word")
    end
  end
  test "$so_far" = "$argv[1]"
end
function __koya_things
  koya complete-words (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null
end
complete -c koya -f
{})script",
                     Steps(table, "'", " "), lines);
}

Result<int> Complete(const std::string& shell, Output& output) {
  // A separate tree: values that it would store during a parse are unused.
  Invocation unused{.shell = output.shell(), .action = {}};
  std::unique_ptr<CLI::App> program = BuildCommands(unused);
  ASSIGN_OR_RETURN(std::string script, CompletionScript(shell, CompletionTable(*program)));
  output.shell().out << script;
  return 0;
}

constexpr std::string_view kCompletionFooter = R"(Examples:
  source <(koya completion bash)                                       bash, in ~/.bashrc
  source <(koya completion zsh)                                        zsh, in ~/.zshrc
  koya completion fish > ~/.config/fish/completions/koya.fish          fish)";

}  // namespace

std::vector<CompletionEntry> CompletionTable(const CLI::App& program) {
  std::vector<CompletionEntry> table;
  AddEntries(program, "", table);
  return table;
}

namespace {

// nullptr: there is none.
const CLI::App* FindCommand(const CLI::App& parent, std::string_view name) {
  for (const CLI::App* each : parent.get_subcommands([](const CLI::App*) { return true; })) {
    if (each->get_name() == name) return each;
  }
  return nullptr;
}

}  // namespace

CompletedArgument ArgumentAtEnd(const CLI::App& program, std::span<const std::string> words) {
  CompletedArgument end;
  if (words.empty()) return end;
  const CLI::App* command = &program;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with("--")) {
      const std::string flag = word.substr(0, word.find('='));
      const CLI::Option* option = command->get_option_no_throw(flag);
      const bool has_value = flag != word;
      if (option == nullptr || option->get_expected_max() == 0) continue;
      if (!has_value && ++i + 1 == words.size()) return end;
      const std::string value = has_value ? word.substr(flag.size() + 1) : words[i];
      if (flag == "--server") end.server.server = value;
      if (flag == "--token") end.server.token = value;
    } else if (const CLI::App* next = FindCommand(*command, word)) {
      command = next;
      end.command += (end.command.empty() ? "" : " ") + word;
    } else {
      end.before.push_back(word);
    }
  }
  std::vector<const CLI::Option*> arguments =
      command->get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (arguments.empty() || words.back().starts_with("-")) return end;
  end.beginning = words.back();
  end.name = arguments[std::min(end.before.size(), arguments.size() - 1)]->get_name(true, false);
  const bool is_namespace = end.name == "NAME" && end.command.starts_with(kNamespaceCommands);
  if (is_namespace) end.name = "NAMESPACE";
  return end;
}

Result<std::string> CompletionScript(std::string_view shell,
                                     const std::vector<CompletionEntry>& table) {
  if (shell == "bash") return BashScript(table);
  if (shell == "zsh") return ZshScript(table);
  if (shell == "fish") return FishScript(table);
  return FailInvalid("no completion for \"{}\": choose bash, zsh or fish", shell);
}

void AddCompletionCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("completion", "Print a shell's completion script");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}), "shell");
  command->footer(std::string(kCompletionFooter));
  command->callback([shell, &invocation] {
    invocation.action = [shell](Output& output) { return Complete(*shell, output); };
  });
}

}  // namespace koya::cli
