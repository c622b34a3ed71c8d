// ParseModuleRules: the repository's koya.toml.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "base/text.h"
#include "cli/module_rules.h"

namespace koya::cli {
namespace {

constexpr std::string_view kVersionPlaceholder = "{version}";

class RulesReader {
 public:
  explicit RulesReader(const std::string& file) : file_(file) {}

  Result<ModuleRules> Read(const toml::table& table) const {
    ModuleRules rules;
    RETURN_IF_ERROR(CheckKeys(table, {"namespace", "module"}));
    ASSIGN_OR_RETURN(rules.ns, Text(table, "namespace", ""));
    const toml::node* modules = table.get("module");
    if (modules == nullptr) return rules;
    if (!modules->is_array_of_tables()) {
      return Bad(*modules, "module is a list of rules: begin each with [[module]]");
    }
    for (const toml::node& each : *modules->as_array()) {
      ASSIGN_OR_RETURN(ModuleRule rule, ReadRule(*each.as_table()));
      rules.rules.push_back(std::move(rule));
    }
    return rules;
  }

 private:
  Failure Bad(const toml::node& node, std::string_view what) const {
    return FailInvalid("{}: {}", Place(node.source().begin.line), what);
  }
  std::string Place(toml::source_index line) const { return fmt::format("{}:{}", file_, line); }

  Status CheckKeys(const toml::table& table, std::initializer_list<std::string_view> known) const {
    for (const auto& [key, node] : table) {
      if (std::ranges::count(known, key.str()) > 0) continue;
      return FailInvalid("{}: unknown key \"{}\": the rules of \"koya publish modules\" have {}",
                         Place(key.source().begin.line), Printable(key.str()),
                         fmt::join(known, ", "));
    }
    return {};
  }

  // `otherwise`: when the key is absent; nullopt: it is required.
  Result<std::string> Text(const toml::table& table, std::string_view key,
                           std::optional<std::string> otherwise) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      if (otherwise) return *std::move(otherwise);
      return Bad(table, fmt::format("the rule has no {}", key));
    }
    if (const auto* text = node->as_string()) return text->get();
    return Bad(*node, fmt::format("{} is not a text", key));
  }

  // The pattern of a key, with the placeholders that it may have.
  Result<RulePattern> Pattern(const toml::table& table, std::string_view key, std::string_view text,
                              std::initializer_list<std::string_view> allowed) const {
    const toml::node* node = table.get(key);
    const toml::node& place = node != nullptr ? *node : table;
    Result<RulePattern> pattern = RulePattern::Parse(text);
    if (!pattern) return Bad(place, fmt::format("{}: {}", key, pattern.error().message));
    for (std::string_view each : {"name", "system", "path", "version"}) {
      if (!pattern->Has(each) || std::ranges::count(allowed, each) > 0) continue;
      return Bad(place, fmt::format("{} cannot have {{{}}}", key, each));
    }
    return pattern;
  }

  Result<ModuleRule> ReadRule(const toml::table& table) const {
    RETURN_IF_ERROR(CheckKeys(table, {"tag", "folder", "module", "with"}));
    ASSIGN_OR_RETURN(const std::string tag, Text(table, "tag", std::nullopt));
    ASSIGN_OR_RETURN(const std::string folder_text, Text(table, "folder", std::nullopt));
    ASSIGN_OR_RETURN(const std::string module, Text(table, "module", "{name}/{system}"));
    if (!tag.ends_with(kVersionPlaceholder)) {
      return Bad(*table.get("tag"), "tag must end in {version}");
    }
    // Whole, for placeholders that touch {version}.
    RETURN_IF_ERROR(Pattern(table, "tag", tag, {"name", "system", "path", "version"}));
    const std::string_view prefix =
        std::string_view(tag).substr(0, tag.size() - kVersionPlaceholder.size());
    Result<std::string> folder = ParseRepositoryFolder(folder_text);
    if (!folder) return Bad(*table.get("folder"), folder.error().message);
    if (std::ranges::count(module, '/') != 1) {
      return Bad(*table.get("module"), "module is NAME/SYSTEM, without the namespace");
    }
    ASSIGN_OR_RETURN(RulePattern tag_pattern,
                     Pattern(table, "tag", prefix, {"name", "system", "path"}));
    ASSIGN_OR_RETURN(RulePattern folder_pattern,
                     Pattern(table, "folder", *folder, {"name", "system", "path"}));
    ASSIGN_OR_RETURN(RulePattern module_pattern,
                     Pattern(table, "module", module, {"name", "system"}));
    ASSIGN_OR_RETURN(std::vector<std::string> with, Folders(table));
    return ModuleRule{std::move(tag_pattern), std::move(folder_pattern), std::move(module_pattern),
                      std::move(with), Place(table.source().begin.line)};
  }

  Result<std::vector<std::string>> Folders(const toml::table& table) const {
    std::vector<std::string> folders;
    const toml::node* with = table.get("with");
    if (with == nullptr) return folders;
    if (!with->is_array()) return Bad(*with, "with is not a list of folders");
    for (const toml::node& each : *with->as_array()) {
      const auto* text = each.as_string();
      Result<std::string> folder = ParseRepositoryFolder(text != nullptr ? text->get() : "");
      if (!folder) return Bad(each, folder.error().message);
      if (folder->empty()) return Bad(each, "with is not a list of folders below the top");
      folders.push_back(*std::move(folder));
    }
    return folders;
  }

  const std::string& file_;
};

}  // namespace

Result<ModuleRules> ParseModuleRules(std::string_view text, const std::string& file) {
  try {
    return RulesReader(file).Read(toml::parse(text, file));
  } catch (const toml::parse_error& error) {
    return FailInvalid("{}:{}: this is not TOML: {}", file, error.source().begin.line,
                       Printable(error.description()));
  }
}

}  // namespace koya::cli
