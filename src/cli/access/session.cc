// koya session list | end

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/text.h"
#include "cli/noun.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "domain/name_rules.h"
#include "wire/command_results.h"
#include "wire/sign_in.h"

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

// A member that clients determine.
template <std::string wire::Session::* kMember>
std::string Shortened(const wire::Session& session) {
  return Printable(session.*kMember, 60);
}

Result<int> ListSessions(ApiClient& api, const SessionArguments& arguments, Output& output) {
  return PrintList(api.Send(At(wire::kListSessions).WithAny("user", arguments.user)),
                   {{"ID", &wire::Session::id},
                    {"USER", &wire::Session::user},
                    {"METHOD", &wire::Session::method},
                    {"ADDRESS", Shortened<&wire::Session::address>, "-"},
                    {"SIGNED IN", &wire::Session::created_at},
                    {"ENDS", &wire::Session::expires_at},
                    {"LAST USED", Shortened<&wire::Session::last_used_at>, "-"},
                    {"BROWSER", Shortened<&wire::Session::user_agent>, "-"}},
                   "koya: no browser is signed in", output);
}

Result<int> EndSessions(const SessionArguments& arguments, Output& output) {
  if (arguments.id.empty() == arguments.user.empty()) {
    return FailInvalid(
        "specify the ID of a session (\"koya session list\"), or --user NAME for all "
        "sessions of a user");
  }
  ASSIGN_OR_RETURN(Place place, Place::Open(arguments.place, output));
  ApiClient api(place.connection());
  if (!arguments.id.empty()) {
    return PrintDone(api.Send(At(wire::kEndSession, arguments.id)),
                     fmt::format("Ended the session {}", arguments.id),
                     wire::EncodeDone("ended", {{"id", arguments.id}}), output);
  }
  ASSIGN_OR_RETURN(wire::EndedSessions sessions,
                   api.Send(At(wire::kEndSessionsOfUser, arguments.user)));
  return PrintDone({},
                   fmt::format("Ended {} session{} of \"{}\"", sessions.ended,
                               sessions.ended == 1 ? "" : "s", arguments.user),
                   wire::Encode(sessions), output);
}

void DeclareSessionUser(CLI::App& command, SessionArguments& arguments) {
  command
      .add_option("--user", arguments.user, "The user; only administrators can name another user")
      ->type_name("NAME")
      ->check(ReadableBy(
          [](std::string_view name) { return CheckAccountName(AccountKind::kUser, name); }));
}

void DeclareEnding(CLI::App& command, SessionArguments& arguments) {
  command.add_option("ID", arguments.id, "The ID from \"koya session list\"")->type_name("");
  DeclareSessionUser(command, arguments);
}

}  // namespace

void AddSessionCommand(CLI::App& program, Invocation& invocation) {
  AddNoun<SessionArguments>(
      program, invocation, "session", "List and end browser sessions", kSessionFooter,
      {{"list", "List the browsers that are signed in", AtPlace<ListSessions>, DeclareSessionUser},
       {"end", "End one session, or all sessions of a user", EndSessions, DeclareEnding}});
}

}  // namespace koya::cli
