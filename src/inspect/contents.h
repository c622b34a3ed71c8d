// What a module holds, as its files say: nothing was run or evaluated. Values: any thread.
//
// Expressions and defaults are kept as they are written; where one is a literal it is kept as JSON
// too. What was not given is empty. Lists are in the order of the files' names, and of the places
// in a file; a name that is declared twice counts once, as the clients refuse such a module.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace koya::inspect {

// What is stored under a lower number was read by an older reader, and is worth reading again.
inline constexpr std::uint64_t kReaderVersion = 6;

struct Place {
  std::string file;  // from the archive's root
  std::uint64_t line = 0;

  // "main.tf:3"
  std::string ToString() const;
  friend bool operator==(const Place&, const Place&) = default;
};

// What could not be read, or is not what a module for others should have.
struct Warning {
  std::string what;  // a sentence
  Place place;

  // "main.tf:3: …"
  std::string ToString() const;
  friend bool operator==(const Warning&, const Warning&) = default;
};

// A validation, precondition or assertion.
struct Condition {
  std::string condition;
  std::string message;  // of a literal its text, else as written
  friend bool operator==(const Condition&, const Condition&) = default;
};

struct Input {
  std::string name;
  std::string description;  // the leading comment where there is none
  std::string type;         // as written; "" takes anything. hcl::ParseType gives the tree
  std::string default_text;
  std::string default_json;
  bool required = true;
  bool sensitive = false;
  bool nullable = true;
  bool ephemeral = false;
  bool constant = false;   // "const": known before anything is evaluated
  std::string deprecated;  // the message
  std::vector<Condition> validations;
  bool hidden = false;  // "terraform-docs-ignore" stands above it
  Place place;
  friend bool operator==(const Input&, const Input&) = default;
};

struct Output {
  std::string name;
  std::string description;
  std::string type;  // as written; "" where none is declared
  std::string value;
  std::vector<std::string> references;
  bool sensitive = false;
  bool ephemeral = false;
  std::string deprecated;
  std::vector<Condition> preconditions;
  bool hidden = false;
  Place place;
  friend bool operator==(const Output&, const Output&) = default;
};

// How often there is something: at most one of them is given.
struct Repetition {
  std::string count;
  std::string for_each;
  std::string enabled;  // lifecycle { enabled = … }
  // "count", "for_each", "enabled" or "".
  std::string Kind() const;
  friend bool operator==(const Repetition&, const Repetition&) = default;
};

struct Resource {
  std::string mode;  // "managed", "data", "ephemeral", "action"
  std::string type;
  std::string name;
  std::string provider;  // the local name, with its alias: "aws.east"
  Repetition repetition;
  // lifecycle: "true", "false" or an expression.
  std::string prevent_destroy;
  std::string create_before_destroy;
  bool hidden = false;
  Place place;

  // "aws_vpc.main", "data.aws_ami.x"
  std::string Address() const;
  friend bool operator==(const Resource&, const Resource&) = default;
};

struct ModuleCall {
  std::string name;
  std::string source;  // as written
  // "registry", "local", "git", "url", "other"; "" when the source is no literal.
  std::string kind;
  // Of a registry: "HOST/NAMESPACE/NAME/SYSTEM". Local: the folder in the archive; "" for the root,
  // and for what lies outside.
  std::string address;
  std::string subfolder;  // behind "//"
  std::string constraint;
  Repetition repetition;
  std::map<std::string, std::string> providers;
  bool hidden = false;
  Place place;
  friend bool operator==(const ModuleCall&, const ModuleCall&) = default;
};

struct Requirement {
  std::string name;     // local
  std::string source;   // as written, or "" when it follows from the name
  std::string address;  // "HOST/NAMESPACE/TYPE"; "" for what is a part of the clients
  std::string constraint;
  std::vector<std::string> aliases;  // configuration_aliases
  std::string locked;                // the version in .terraform.lock.hcl
  bool implied = false;              // by what is used, not by required_providers
  Place place;
  friend bool operator==(const Requirement&, const Requirement&) = default;
};

struct ProviderConfig {
  std::string name;
  std::string alias;
  std::string for_each;
  Place place;
  friend bool operator==(const ProviderConfig&, const ProviderConfig&) = default;
};

// moved, removed and import blocks.
struct Refactoring {
  std::string kind;      // "moved", "removed", "import"
  std::string from;      // moved, removed
  std::string to;        // moved, import
  std::string id;        // import
  bool destroys = true;  // removed: what is there is destroyed
  Place place;
  friend bool operator==(const Refactoring&, const Refactoring&) = default;
};

struct Check {
  std::string name;
  std::vector<Condition> assertions;
  Place place;
  friend bool operator==(const Check&, const Check&) = default;
};

struct Readme {
  std::string file;  // "" when there is none
  std::string text;  // cut where kMaxReadme says
  bool cut = false;
  bool has_generated_docs = false;  // terraform-docs wrote a part of it
  std::string language;             // "en", "ja", "zh": a guess
  friend bool operator==(const Readme&, const Readme&) = default;
};

// One folder that holds configuration.
struct ModulePart {
  std::string path;  // "" for the root, "modules/vpc"
  std::string required_version;
  Place version_place;            // of required_version
  std::string required_opentofu;  // language { compatible_with { opentofu = … } }
  Place opentofu_place;           // of required_opentofu
  std::string language;
  std::vector<std::string> experiments;
  std::string backend;  // its type, "cloud", or ""
  std::string header;   // the comment that main.tf begins with
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Resource> resources;
  std::vector<ModuleCall> calls;
  std::vector<Requirement> requirements;
  std::vector<ProviderConfig> providers;
  std::vector<std::string> provider_functions;
  std::vector<Refactoring> refactorings;
  std::vector<Check> checks;
  std::vector<std::string> locals;
  Readme readme;
  std::vector<std::string> files;  // the configuration that was read, in order
  // Its files in which something could not be read: what they declare is known in part, or not.
  std::vector<std::string> unread;
  // What those may declare, by what stands in them (see declaration_scan.h); sorted.
  std::vector<std::string> undecided;
  bool undecided_beyond = false;  // and anything else

  // Whether it may have what was not read of it.
  bool MayDeclare(const std::string& declaration) const;
  friend bool operator==(const ModulePart&, const ModulePart&) = default;
};

struct TestFile {
  std::string path;
  std::vector<std::string> runs;
  std::vector<std::string> mocks;  // providers
  friend bool operator==(const TestFile&, const TestFile&) = default;
};

struct FileSize {
  std::string path;
  std::uint64_t bytes = 0;
  friend bool operator==(const FileSize&, const FileSize&) = default;
};

struct Licence {
  std::string spdx;  // "Apache-2.0"; "" when it is not known
  std::string file;
  std::string evidence;  // the words that say so
  friend bool operator==(const Licence&, const Licence&) = default;
};

struct Changelog {
  std::string file;
  std::string section;  // of the version, without its heading; "" when there is none
  friend bool operator==(const Changelog&, const Changelog&) = default;
};

struct ModuleContents {
  std::uint64_t reader_version = kReaderVersion;
  ModulePart root;
  std::vector<ModulePart> submodules;  // by path
  std::vector<ModulePart> examples;    // by path
  std::vector<TestFile> tests;
  Licence licence;
  Changelog changelog;
  std::vector<FileSize> files;    // by path; at most kMaxListedFiles
  std::uint64_t file_count = 0;   // of all
  std::uint64_t bytes = 0;        // of all
  std::vector<Warning> warnings;  // at most kMaxWarnings
  std::uint64_t warnings_left_out = 0;
  bool folders_left_out = false;  // there are more submodules or examples than were read

  friend bool operator==(const ModuleContents&, const ModuleContents&) = default;
};

inline constexpr std::size_t kMaxReadme = 512 << 10;
inline constexpr std::size_t kMaxChangelog = 64 << 10;
inline constexpr std::size_t kMaxListedFiles = 20'000;
inline constexpr std::size_t kMaxWarnings = 200;

}  // namespace koya::inspect
