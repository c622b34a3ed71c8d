// koya session list | end

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/api/access_client.h"
#include "cli/api/place.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "domain/name_rules.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

constexpr std::string_view kSessionFooter =
    R"(Signed-in browsers: your own; administrators can see and end all sessions. An ended session is
rejected within a second, on every server. For tokens, see "koya token list".

Examples:
  koya session list
  koya session list --user ada@example.com --json | jq -r '.sessions[].id'
  koya session end ZfV9qDk2pQ3mW1sB6cXyAg
  koya session end --user ada@example.com                 all of her sessions)";

struct SessionArguments {
  std::string id;
  std::string user;
  PlaceFlags place;
};

std::string OrDash(const std::string& text) { return text.empty() ? "-" : Printable(text, 60); }

void PrintSessions(const std::vector<wire::Session>& sessions, Output& output) {
  std::vector<std::vector<std::string>> rows;
  for (const wire::Session& each : sessions) {
    rows.push_back({each.id, each.user, each.method, OrDash(each.address), each.created_at,
                    each.expires_at, OrDash(each.last_used_at), OrDash(each.user_agent)});
  }
  if (rows.empty()) {
    output.Note("koya: no browser is signed in");
  } else {
    output.PrintTable(
        {"ID", "USER", "METHOD", "ADDRESS", "SIGNED IN", "ENDS", "LAST USED", "BROWSER"}, rows);
  }
  output.PrintDocument(wire::EncodeSessionList(sessions));
}

Result<int> ListSessions(const SessionArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ASSIGN_OR_RETURN(std::vector<wire::Session> sessions,
                   AccessClient(place.connection()).ListSessions(arguments.user));
  PrintSessions(sessions, output);
  return 0;
}

Result<int> EndSessions(const SessionArguments& arguments, Output& output) {
  if (arguments.id.empty() == arguments.user.empty()) {
    return FailInvalid(
        "specify the ID of a session (\"koya session list\"), or --user NAME for all "
        "sessions of a user");
  }
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  AccessClient client(place.connection());
  if (!arguments.id.empty()) {
    RETURN_IF_ERROR(client.EndSession(arguments.id));
    output.Print(fmt::format("Ended the session {}", arguments.id));
    output.PrintDocument(wire::EncodeEndedSession(arguments.id));
    return 0;
  }
  ASSIGN_OR_RETURN(std::uint64_t ended, client.EndSessionsOf(arguments.user));
  output.Print(
      fmt::format("Ended {} session{} of \"{}\"", ended, ended == 1 ? "" : "s", arguments.user));
  output.PrintDocument(wire::EncodeEndedSessions(ended));
  return 0;
}

void AddSessionVerb(CLI::App* command, const std::shared_ptr<SessionArguments>& arguments,
                    Invocation& invocation,
                    Result<int> (*action)(const SessionArguments&, Output&)) {
  command
      ->add_option("--user", arguments->user, "The user; only administrators can name another user")
      ->type_name("NAME")
      ->check(ReadableBy(
          [](std::string_view name) { return CheckAccountName(AccountKind::kUser, name); }));
  AddPlaceFlags(*command, arguments->place);
  AddJsonFlag(*command, invocation);
  command->callback([arguments, action, &invocation] {
    invocation.action = [arguments, action](Output& output) { return action(*arguments, output); };
  });
}

}  // namespace

void AddSessionCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* session = program.add_subcommand("session", "List and end browser sessions");
  session->require_subcommand(1);
  auto listed = std::make_shared<SessionArguments>();
  AddSessionVerb(session->add_subcommand("list", "List the browsers that are signed in"), listed,
                 invocation, ListSessions);
  auto ended = std::make_shared<SessionArguments>();
  CLI::App* end = session->add_subcommand("end", "End one session, or all sessions of a user");
  end->add_option("ID", ended->id, "The ID from \"koya session list\"")->type_name("");
  AddSessionVerb(end, ended, invocation, EndSessions);
  // Set last: commands that are added inherit it otherwise.
  session->footer(std::string(kSessionFooter));
}

}  // namespace koya::cli
