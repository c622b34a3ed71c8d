// koya search WORDS

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cli/api/api_client.h"
#include "cli/api/connection.h"
#include "cli/program.h"
#include "cli/text/search_text.h"
#include "domain/search_record.h"
#include "wire/search.h"

namespace koya::cli {
namespace {

constexpr std::string_view kSearchFooter =
    R"(All words must match; a word also matches longer words that begin with it; "words in quotes" match
as a phrase. Filters: ns:NAMESPACE, kind:KIND,KIND, uses:RESOURCE_TYPE, needs:PROVIDER,
calls:MODULE, system:SYSTEM, deprecated:yes|no, version:VERSION or version:any (default: the newest
of each), host:HOST for packages of another registry, host:here for packages published here. Names
count most, then titles, then texts; deprecated packages come last. The address of a provider
(hashicorp/aws) also finds what needs it. Guides, settings and errors of Koya come after packages.

Examples:
  koya search vpc
  koya search private subnet --kind input,output
  koya search uses:aws_vpc needs:hashicorp/aws
  koya search 'trusted publishing' --kind guide,setting
  koya search '"availability zone" ns:platform'
  koya search kind:module --sort newest
  koya search cidr --json | jq -r '.hits[].name')";

struct SearchArguments {
  std::vector<std::string> words;
  std::string kinds;
  std::string ns;
  std::string sort;
  std::uint64_t limit = 15;
  std::uint64_t offset = 0;
  ServerFlags server;
};

std::string CheckSearchKinds(const std::string& text) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string name = text.substr(at, end - at);
    if (!ParseSearchKind(name)) {
      return fmt::format("unknown kind \"{}\": use {}, with commas between several", name,
                         kSearchKindNames);
    }
    at = end + 1;
  }
  return {};
}

std::string CheckSearchOrder(const std::string& text) {
  if (text == "best" || text == "newest" || text == "name") return {};
  return fmt::format("unknown order \"{}\": use best, newest or name", text);
}

// The flags are filters of the search, too.
std::string SearchText(const SearchArguments& arguments) {
  std::string text;
  auto add = [&text](const std::string& part) { text += (text.empty() ? "" : " ") + part; };
  for (const std::string& word : arguments.words) add(word);
  if (!arguments.kinds.empty()) add("kind:" + arguments.kinds);
  if (!arguments.ns.empty()) add("ns:" + arguments.ns);
  return text;
}

Result<int> SearchRegistry(const SearchArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(arguments.server, output));
  ApiClient api(std::move(connection));
  const std::string text = SearchText(arguments);
  ASSIGN_OR_RETURN(std::string body, api.Get(At(wire::kSearch)
                                                 .With("q", text)
                                                 .With("limit", std::to_string(arguments.limit))
                                                 .With("offset", std::to_string(arguments.offset))
                                                 .WithAny("sort", arguments.sort)
                                                 .path));
  ASSIGN_OR_RETURN(wire::SearchResults results, wire::DecodeSearchResults(body));
  if (!output.json()) PrintSearchResults(results, text, output);
  output.PrintDocument(body);
  return 0;
}

}  // namespace

void AddSearchCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* search =
      program.add_subcommand("search", "Find modules and providers, and their contents");
  auto arguments = std::make_shared<SearchArguments>();
  search->add_option("WORDS", arguments->words, "The query, for example vpc")
      ->required()
      ->type_name("");
  search->add_option("--kind", arguments->kinds, "Only these kinds, for example input,output")
      ->check(CheckSearchKinds)
      ->type_name("KIND");
  search->add_option("--namespace", arguments->ns, "Only of this namespace")
      ->type_name("NAMESPACE");
  search
      ->add_option("--sort", arguments->sort,
                   "best (best matches first, the default), newest or name")
      ->check(CheckSearchOrder)
      ->type_name("ORDER");
  search->add_option("--limit", arguments->limit, "How many to show (15)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100}))
      ->type_name("NUMBER");
  search->add_option("--offset", arguments->offset, "How many to skip")->type_name("NUMBER");
  AddServerFlags(*search, arguments->server);
  AddJsonFlag(*search, invocation);
  search->footer(std::string(kSearchFooter));
  search->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) { return SearchRegistry(*arguments, output); };
  });
}

}  // namespace koya::cli
