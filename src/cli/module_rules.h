// Decides which module folders of a repository a tag means, and their addresses: by the rules of
// the repository's koya.toml, or without rules by what release-please, tagpr and changesets write.
// Pure; values: any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/module_address.h"
#include "domain/version.h"

namespace koya::cli {

// The values of placeholders: {"name": "vpc"}.
using PlaceholderValues = std::map<std::string, std::string, std::less<>>;

// A text with placeholders, each at most once: "modules/{name}". {name} and {system} stand for one
// segment of a path, {path} for one or more.
class RulePattern {
 public:
  // Fails: kInvalid: a placeholder that is unknown, used twice, or directly behind another one.
  static Result<RulePattern> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  bool Has(std::string_view placeholder) const;
  // Every way to read `text`; `known` placeholders have their value.
  std::vector<PlaceholderValues> Match(std::string_view text, const PlaceholderValues& known) const;
  // The text with the known values; other placeholders stay as they are.
  std::string Fill(const PlaceholderValues& values) const;

 private:
  struct Token {
    bool placeholder = false;
    std::string text;
  };
  void MatchFrom(std::size_t token, std::string_view rest, const PlaceholderValues& values,
                 std::vector<PlaceholderValues>& found) const;

  std::string text_;
  std::vector<Token> tokens_;
};

struct ModuleRule {
  // "{name}-v" of "{name}-v{version}".
  RulePattern tag;
  RulePattern folder;  // "": the repository's top
  RulePattern module;  // "{name}/{system}"
  std::vector<std::string> with;
  std::string place;  // "koya.toml:3"
};

struct ModuleRules {
  std::string ns;  // "": not set
  std::vector<ModuleRule> rules;
};

// Parses koya.toml; `file` names it in errors. Fails: kInvalid, with file and line.
Result<ModuleRules> ParseModuleRules(std::string_view text, const std::string& file);

// "modules/vpc" of "./modules/vpc/"; "" of ".". Fails: kInvalid: absolute, or with "..".
Result<std::string> ParseRepositoryFolder(std::string_view text);

struct Repository {
  std::string name;  // of its top folder: "terraform-aws-vpc"
  // The folders with configuration, relative to the top, sorted.
  std::vector<std::string> folders;
};

struct RepositoryModule {
  std::string folder;  // "": the repository's top
  ModuleAddress address;
  std::vector<std::string> with;  // further folders of the package

  friend bool operator==(const RepositoryModule&, const RepositoryModule&) = default;
};

struct TaggedModules {
  Version version;
  std::vector<RepositoryModule> modules;  // at least one
};

// Finds the modules of a repository. The repository and the rules must outlive it.
class ModuleFinder {
 public:
  // `ns`: the namespace of all modules. `system`: for modules without one of their own, or "".
  ModuleFinder(const Repository& repository, const ModuleRules& rules, std::string ns,
               std::string system)
      : repository_(repository), rules_(rules), ns_(std::move(ns)), system_(std::move(system)) {}

  // The modules that a tag means; without {name} and {path} in its rule all that the rule has.
  // Fails: kInvalid: no version at its end, no such folder (the message lists those tried),
  // two meanings (both are named), no system, or an address that no module may have.
  Result<TaggedModules> OfTag(std::string_view tag) const;
  // Every module. Fails: kInvalid, as OfTag.
  Result<std::vector<RepositoryModule>> All() const;

 private:
  struct Meaning {
    std::string folder;
    PlaceholderValues values;
    const ModuleRule* rule = nullptr;  // null: no rules
    Version version;
  };
  struct Reading {
    std::string prefix;  // "network-v"
    Version version;
  };
  static std::vector<Reading> ReadTag(std::string_view tag);
  std::vector<std::string> Outermost() const;
  void AddByRule(const ModuleRule& rule, const Reading& reading, std::vector<Meaning>& meanings,
                 std::vector<std::string>& missing) const;
  void AddByName(const Reading& reading, std::vector<Meaning>& meanings,
                 std::vector<std::string>& missing) const;
  Result<TaggedModules> Choose(std::string_view tag, const std::vector<Meaning>& meanings) const;
  Result<RepositoryModule> Address(const std::string& folder, PlaceholderValues values,
                                   const ModuleRule* rule) const;

  const Repository& repository_;
  const ModuleRules& rules_;
  const std::string ns_;
  const std::string system_;
};

}  // namespace koya::cli
