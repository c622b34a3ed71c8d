#include "cli/text/help_formatter.h"

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace koya::cli {
namespace {

constexpr std::size_t kNameColumn = 34;
constexpr std::size_t kTextWidth = 66;  // with the names' column, 100 in all

// Breaks at spaces. CLI11 indents what follows a line break.
std::string Wrapped(std::string_view text) {
  std::string out;
  std::size_t line = 0;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    bool breaks = line > 0 && line + 1 + word.size() > kTextWidth;
    if (line > 0) out += breaks ? '\n' : ' ';
    line = breaks ? word.size() : line + (line > 0 ? 1 : 0) + word.size();
    out += word;
  }
  return out;
}

class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(kNameColumn);
    label("OPTIONS", "FLAGS");
    label("SUBCOMMAND", "COMMAND");
    label("Positionals", "Arguments");
  }

  // The name of the value, and no list of what a check would take: the text says it.
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string type = option->get_type_name();
    type.resize(std::min(type.find(':'), type.size()));
    bool named = !option->get_positional() && !type.empty();
    std::string text = named ? " " + type : std::string();
    bool needed = option->get_required() && !option->get_positional();
    return needed ? text + " (required)" : text;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return Wrapped(option->get_description());
  }
};

void Style(CLI::App& command, const std::shared_ptr<HelpFormatter>& formatter) {
  command.formatter(formatter);
  command.set_help_flag("-h,--help", "Print this help");
  for (CLI::App* each : command.get_subcommands(nullptr)) {
    // An empty group hides a command; it stays hidden.
    if (!each->get_group().empty()) each->group("Commands");
    Style(*each, formatter);
  }
}

}  // namespace

void StyleHelp(CLI::App& command) { Style(command, std::make_shared<HelpFormatter>()); }

}  // namespace koya::cli
