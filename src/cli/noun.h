// The commands of a noun ("koya group create", "koya group list", …) as a table: a verb is a row, a
// list is an endpoint and its columns.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/api/api_client.h"
#include "cli/api/place.h"
#include "cli/text/output.h"

namespace koya::cli {

// A command below a noun. Arguments holds what its flags set, among it `place`, or `server` if it
// cannot work on a stopped server's data.
template <class Arguments>
struct Verb {
  std::string name;
  std::string about;
  Result<int> (*run)(const Arguments&, Output&);
  // Declare arguments and flags: those that the help lists before --server, and after --json.
  void (*declare)(CLI::App&, Arguments&) = nullptr;
  void (*declare_more)(CLI::App&, Arguments&) = nullptr;
  // Throws what CLI11 takes for a usage error, when the command line is parsed.
  void (*check)(const Arguments&) = nullptr;
};

template <class Arguments>
void AddVerb(CLI::App& noun, Invocation& invocation, const Verb<Arguments>& verb,
             const Arguments& initial) {
  CLI::App* command = noun.add_subcommand(verb.name, verb.about);
  auto arguments = std::make_shared<Arguments>(initial);
  if (verb.declare) verb.declare(*command, *arguments);
  if constexpr (requires { arguments->place; }) {
    AddPlaceFlags(*command, arguments->place);
  } else {
    AddServerFlags(*command, arguments->server);
  }
  AddJsonFlag(*command, invocation);
  if (verb.declare_more) verb.declare_more(*command, *arguments);
  command->callback([arguments, run = verb.run, check = verb.check, &invocation] {
    if (check) check(*arguments);
    invocation.action = [arguments, run](Output& output) { return run(*arguments, output); };
  });
}

// Declares a noun with its verbs, which start with the arguments `initial`.
template <class Arguments>
CLI::App* AddNoun(CLI::App& program, Invocation& invocation, const std::string& name,
                  const std::string& about, std::string_view footer,
                  std::initializer_list<Verb<Arguments>> verbs, const Arguments& initial = {}) {
  CLI::App* noun = program.add_subcommand(name, about);
  noun->require_subcommand(1);
  for (const Verb<Arguments>& verb : verbs) AddVerb(*noun, invocation, verb, initial);
  // Set last: commands that are added inherit it otherwise.
  noun->footer(std::string(footer));
  return noun;
}

// A Verb::run that opens the place, and calls `kRun` with a client of it.
template <auto kRun, class Arguments>
Result<int> AtPlace(const Arguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ApiClient api(place.connection());
  return kRun(api, arguments, output);
}

// ---- results, for people and as documents

template <class Row>
struct Column {
  std::string heading;
  std::function<std::string(const Row&)> cell;  // or a member
  std::string empty = {};                       // in place of an empty text
};

template <class Row>
void PrintRows(const std::vector<Row>& items, const std::vector<Column<Row>>& columns,
               std::string_view none, Output& output) {
  if (items.empty()) return output.Note(none);
  std::vector<std::string> headings;
  for (const Column<Row>& column : columns) headings.push_back(column.heading);
  std::vector<std::vector<std::string>> rows;
  for (const Row& item : items) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const Column<Row>& column : columns) {
      std::string text = column.cell(item);
      row.push_back(text.empty() ? column.empty : std::move(text));
    }
  }
  output.PrintTable(headings, rows);
}

// Prints a list that a server sent. `none`: the note for an empty one.
template <class Row, wire::Words kKey, wire::Words kWhat>
Result<int> PrintList(const Result<wire::ListOf<Row, kKey, kWhat>>& list,
                      const std::vector<std::type_identity_t<Column<Row>>>& columns,
                      std::string_view none, Output& output) {
  if (!list) return std::unexpected(list.error());
  PrintRows(list->items, columns, none, output);
  output.PrintDocument(wire::Encode(*list));
  return 0;
}

// Prints that a change was made: a line, and a document.
inline Result<int> PrintDone(const Status& done, std::string_view line, std::string_view document,
                             Output& output) {
  if (!done) return std::unexpected(done.error());
  output.Print(line);
  output.PrintDocument(document);
  return 0;
}

}  // namespace koya::cli
