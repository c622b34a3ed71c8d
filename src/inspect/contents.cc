#include "inspect/contents.h"

#include <fmt/format.h>

#include <algorithm>

#include "wire/document.h"

namespace koya::inspect {

std::string Place::ToString() const { return line == 0 ? file : fmt::format("{}:{}", file, line); }

std::string Warning::ToString() const {
  return place.file.empty() ? what : fmt::format("{}: {}", place.ToString(), what);
}

std::string Repetition::Kind() const {
  if (!count.empty()) return "count";
  if (!for_each.empty()) return "for_each";
  return enabled.empty() ? "" : "enabled";
}

std::string Resource::Address() const {
  return mode == "managed" ? fmt::format("{}.{}", type, name)
                           : fmt::format("{}.{}.{}", mode, type, name);
}

bool ModulePart::MayDeclare(const std::string& declaration) const {
  return undecided_beyond || std::ranges::binary_search(undecided, declaration);
}

}  // namespace koya::inspect

namespace koya::wire {

// wire has a Place of its own.
using inspect::Changelog;
using inspect::Check;
using inspect::Condition;
using inspect::FileSize;
using inspect::Input;
using inspect::Licence;
using inspect::ModuleCall;
using inspect::ModuleContents;
using inspect::ModulePart;
using inspect::Output;
using inspect::ProviderConfig;
using inspect::Readme;
using inspect::Refactoring;
using inspect::Repetition;
using inspect::Requirement;
using inspect::Resource;
using inspect::TestFile;
using inspect::Warning;

namespace {

constexpr std::string_view kContents = "the contents of the module";

}  // namespace

template <>
constexpr auto kDocument<inspect::Place> = Document(
    kContents, Optional("file", &inspect::Place::file), Optional("line", &inspect::Place::line));

template <>
constexpr auto kDocument<Warning> =
    Document(kContents, Optional("what", &Warning::what), Optional("place", &Warning::place));

template <>
constexpr auto kDocument<Condition> =
    Document(kContents, Optional("condition", &Condition::condition),
             Optional("error_message", &Condition::message));

template <>
constexpr auto kDocument<Input> = Document(
    kContents, Required("name", &Input::name), Optional("description", &Input::description),
    Optional("type", &Input::type), Optional("default", &Input::default_text),
    Optional("default_json", &Input::default_json), Optional("required", &Input::required),
    Optional("sensitive", &Input::sensitive), Optional("nullable", &Input::nullable),
    Optional("ephemeral", &Input::ephemeral), Optional("const", &Input::constant),
    OrAbsent("deprecated", &Input::deprecated), OrAbsent("validations", &Input::validations),
    Optional("hidden", &Input::hidden), Optional("place", &Input::place));

template <>
constexpr auto kDocument<Output> = Document(
    kContents, Required("name", &Output::name), Optional("description", &Output::description),
    OrAbsent("type", &Output::type), Optional("value", &Output::value),
    OrAbsent("references", &Output::references), Optional("sensitive", &Output::sensitive),
    Optional("ephemeral", &Output::ephemeral), OrAbsent("deprecated", &Output::deprecated),
    OrAbsent("preconditions", &Output::preconditions), Optional("hidden", &Output::hidden),
    Optional("place", &Output::place));

template <>
constexpr auto kDocument<Repetition> = Document(kContents, OrAbsent("count", &Repetition::count),
                                                OrAbsent("for_each", &Repetition::for_each),
                                                OrAbsent("enabled", &Repetition::enabled));

template <>
constexpr auto kDocument<Resource> =
    Document(kContents, Required("mode", &Resource::mode), Required("type", &Resource::type),
             Required("name", &Resource::name), Optional("provider", &Resource::provider),
             Optional("repetition", &Resource::repetition),
             OrAbsent("prevent_destroy", &Resource::prevent_destroy),
             OrAbsent("create_before_destroy", &Resource::create_before_destroy),
             Optional("hidden", &Resource::hidden), Optional("place", &Resource::place));

template <>
constexpr auto kDocument<ModuleCall> = Document(
    kContents, Required("name", &ModuleCall::name), Optional("source", &ModuleCall::source),
    Optional("kind", &ModuleCall::kind), Optional("address", &ModuleCall::address),
    OrAbsent("subfolder", &ModuleCall::subfolder), Optional("version", &ModuleCall::constraint),
    Optional("repetition", &ModuleCall::repetition), Optional("providers", &ModuleCall::providers),
    Optional("hidden", &ModuleCall::hidden), Optional("place", &ModuleCall::place));

template <>
constexpr auto kDocument<Requirement> = Document(
    kContents, Required("name", &Requirement::name), Optional("source", &Requirement::source),
    Optional("address", &Requirement::address), Optional("version", &Requirement::constraint),
    OrAbsent("configuration_aliases", &Requirement::aliases),
    OrAbsent("locked", &Requirement::locked), Optional("implied", &Requirement::implied),
    Optional("place", &Requirement::place));

template <>
constexpr auto kDocument<ProviderConfig> = Document(
    kContents, Required("name", &ProviderConfig::name), OrAbsent("alias", &ProviderConfig::alias),
    OrAbsent("for_each", &ProviderConfig::for_each), Optional("place", &ProviderConfig::place));

template <>
constexpr auto kDocument<Refactoring> =
    Document(kContents, Required("kind", &Refactoring::kind), OrAbsent("from", &Refactoring::from),
             OrAbsent("to", &Refactoring::to), OrAbsent("id", &Refactoring::id),
             Optional("destroys", &Refactoring::destroys), Optional("place", &Refactoring::place));

template <>
constexpr auto kDocument<Check> =
    Document(kContents, Required("name", &Check::name), OrAbsent("assertions", &Check::assertions),
             Optional("place", &Check::place));

template <>
constexpr auto kDocument<Readme> = Document(
    kContents, Optional("file", &Readme::file), Optional("text", &Readme::text),
    Optional("cut", &Readme::cut), Optional("has_generated_docs", &Readme::has_generated_docs),
    Optional("language", &Readme::language));

template <>
constexpr auto kDocument<ModulePart> = Document(
    kContents, Optional("path", &ModulePart::path),
    Optional("required_version", &ModulePart::required_version),
    Optional("required_version_place", &ModulePart::version_place),
    OrAbsent("required_opentofu", &ModulePart::required_opentofu),
    Optional("required_opentofu_place", &ModulePart::opentofu_place),
    OrAbsent("language", &ModulePart::language), OrAbsent("experiments", &ModulePart::experiments),
    OrAbsent("backend", &ModulePart::backend), Optional("header", &ModulePart::header),
    Optional("inputs", &ModulePart::inputs), Optional("outputs", &ModulePart::outputs),
    Optional("resources", &ModulePart::resources), Optional("module_calls", &ModulePart::calls),
    Optional("provider_requirements", &ModulePart::requirements),
    Optional("provider_configs", &ModulePart::providers),
    Optional("provider_functions", &ModulePart::provider_functions),
    Optional("refactorings", &ModulePart::refactorings), Optional("checks", &ModulePart::checks),
    Optional("locals", &ModulePart::locals), Optional("readme", &ModulePart::readme),
    Optional("files", &ModulePart::files), OrAbsent("unread", &ModulePart::unread),
    OrAbsent("undecided", &ModulePart::undecided),
    OrAbsent("undecided_beyond", &ModulePart::undecided_beyond));

template <>
constexpr auto kDocument<TestFile> =
    Document(kContents, Required("path", &TestFile::path), Optional("runs", &TestFile::runs),
             OrAbsent("mocks", &TestFile::mocks));

template <>
constexpr auto kDocument<FileSize> =
    Document(kContents, Required("path", &FileSize::path), Optional("bytes", &FileSize::bytes));

template <>
constexpr auto kDocument<Licence> =
    Document(kContents, Optional("spdx", &Licence::spdx), Optional("file", &Licence::file),
             Optional("evidence", &Licence::evidence));

template <>
constexpr auto kDocument<Changelog> = Document(kContents, Optional("file", &Changelog::file),
                                               Optional("section", &Changelog::section));

template <>
constexpr auto kDocument<ModuleContents> =
    Document(
        kContents, Optional("reader_version", &ModuleContents::reader_version),
        Optional("root", &ModuleContents::root),
        Optional("submodules", &ModuleContents::submodules),
        Optional("examples", &ModuleContents::examples), Optional("tests", &ModuleContents::tests),
        Optional("licence", &ModuleContents::licence),
        Optional("changelog", &ModuleContents::changelog),
        Optional("files", &ModuleContents::files),
        Optional("file_count", &ModuleContents::file_count),
        Optional("bytes", &ModuleContents::bytes), Optional("warnings", &ModuleContents::warnings),
        Optional("warnings_left_out", &ModuleContents::warnings_left_out),
        Optional("folders_left_out", &ModuleContents::folders_left_out))
        // The source was at most ReadBudget::bytes long and the text is our own; the size is
        // limited all the same.
        .Within({.storage = std::size_t{512} << 20});

}  // namespace koya::wire

namespace koya::inspect {
namespace {

// The first reader did not say what stands in files that it could not read.
constexpr std::uint64_t kFirstWithUndecided = 2;

void ForgetWhatIsUndecided(ModulePart& part) { part.undecided_beyond = !part.unread.empty(); }

}  // namespace

std::string EncodeContents(const ModuleContents& contents) { return wire::Encode(contents); }

Result<ModuleContents> DecodeContents(std::string_view text) {
  ASSIGN_OR_RETURN(ModuleContents contents, wire::Decode<ModuleContents>(text));
  if (contents.reader_version >= kFirstWithUndecided) return contents;
  ForgetWhatIsUndecided(contents.root);
  std::ranges::for_each(contents.submodules, ForgetWhatIsUndecided);
  std::ranges::for_each(contents.examples, ForgetWhatIsUndecided);
  return contents;
}

}  // namespace koya::inspect
