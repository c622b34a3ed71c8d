// The contents of a module, as declared in its files: nothing was run or evaluated. Values: any
// thread.
//
// Expressions and defaults are kept as written; a literal also as JSON. Absent values are empty.
// Lists are in the order of the files' names and of the positions in a file; a name that is
// declared twice counts once, as clients reject such a module.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::inspect {

// Contents stored under a lower number come from an older reader and should be analyzed again.
inline constexpr std::uint64_t kReaderVersion = 7;

struct Place {
  std::string file;  // from the archive's root
  std::uint64_t line = 0;

  // "main.tf:3"
  std::string ToString() const;
  friend bool operator==(const Place&, const Place&) = default;
};

// A part that could not be read, or that a module for others should not have.
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
  std::string message;  // the text of a literal, else as written
  friend bool operator==(const Condition&, const Condition&) = default;
};

struct Input {
  std::string name;
  std::string description;  // else the leading comment
  std::string type;         // as written; "" accepts anything. hcl::ParseType gives the tree
  std::string default_text;
  std::string default_json;
  bool required = true;
  bool sensitive = false;
  bool nullable = true;
  bool ephemeral = false;
  bool constant = false;   // "const": known before anything is evaluated
  std::string deprecated;  // the message
  std::vector<Condition> validations;
  bool hidden = false;  // marked with a "terraform-docs-ignore" comment above
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

// The repetition of a block: at most one of the members is set.
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
  std::string provider;  // local name with its alias: "aws.east"
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
  // "registry", "local", "git", "url", "other"; "" if the source is not a literal.
  std::string kind;
  // For a registry: "HOST/NAMESPACE/NAME/SYSTEM". For a local source: the folder in the archive; ""
  // for the root, and for folders outside the archive.
  std::string address;
  std::string subfolder;  // behind "//"
  std::string constraint;
  Repetition repetition;
  std::map<std::string, std::string> providers;
  bool hidden = false;
  Place place;

  // True if the files do not say which module it calls, because the source is an expression.
  bool IsUnknown() const { return kind.empty() && !source.empty(); }
  friend bool operator==(const ModuleCall&, const ModuleCall&) = default;
};

struct Requirement {
  std::string name;     // local
  std::string source;   // as written, or "" if it follows from the name
  std::string address;  // "HOST/NAMESPACE/TYPE"; "" if built into the clients
  std::string constraint;
  std::vector<std::string> aliases;  // configuration_aliases
  std::string locked;                // the version in .terraform.lock.hcl
  bool implied = false;              // by use, not by required_providers
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
  bool destroys = true;  // removed: the existing object is destroyed
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
  std::string text;  // at most kMaxReadme bytes
  bool cut = false;
  bool has_generated_docs = false;  // a part was generated by terraform-docs
  std::string language;             // "en", "ja", "zh": a guess
  friend bool operator==(const Readme&, const Readme&) = default;
};

// One folder that contains configuration.
struct ModulePart {
  std::string path;  // "" for the root, "modules/vpc"
  std::string required_version;
  Place version_place;            // of required_version
  std::string required_opentofu;  // language { compatible_with { opentofu = … } }
  Place opentofu_place;           // of required_opentofu
  std::string language;
  std::vector<std::string> experiments;
  std::string backend;  // its type, or that of the state store; "cloud", or ""
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
  std::vector<std::string> files;  // configuration files that were read, in order
  // Files with parts that could not be read: their declarations are known in part, or not at all.
  std::vector<std::string> unread;
  // Possible declarations in those files (see DeclarationScan in configuration.h); sorted.
  std::vector<std::string> undecided;
  bool undecided_beyond = false;  // and possibly any other declaration

  // True if a part that was not read may contain the declaration.
  bool MayDeclare(const std::string& declaration) const;
  friend bool operator==(const ModulePart&, const ModulePart&) = default;
};

struct TestFile {
  std::string path;
  std::vector<std::string> runs;
  std::vector<std::string> mocks;  // mocked providers
  friend bool operator==(const TestFile&, const TestFile&) = default;
};

struct FileSize {
  std::string path;
  std::uint64_t bytes = 0;
  friend bool operator==(const FileSize&, const FileSize&) = default;
};

struct Licence {
  std::string spdx;  // "Apache-2.0"; "" if unknown
  std::string file;
  std::string evidence;  // the words that identify it
  friend bool operator==(const Licence&, const Licence&) = default;
};

struct Changelog {
  std::string file;
  std::string section;  // the section for the version, without its heading; "" if there is none
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
  bool folders_left_out = false;  // some submodules or examples were not read

  friend bool operator==(const ModuleContents&, const ModuleContents&) = default;
};

inline constexpr std::size_t kMaxReadme = 512 << 10;
inline constexpr std::size_t kMaxChangelog = 64 << 10;
inline constexpr std::size_t kMaxListedFiles = 20'000;
inline constexpr std::size_t kMaxWarnings = 200;

// The JSON document that is stored with a version.
std::string EncodeContents(const ModuleContents& contents);

// Decodes the output of EncodeContents, also of another kReaderVersion: missing members are empty.
// Fails: kInvalid.
Result<ModuleContents> DecodeContents(std::string_view text);

}  // namespace koya::inspect
