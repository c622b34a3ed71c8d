// koya status

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "doctor/network_probe.h"
#include "wire/admin.h"
#include "wire/discovery.h"

namespace koya::cli {
namespace {

constexpr std::string_view kStatusFooter =
    R"(Shows how a registry is, and what needs an administrator, with a token of the scope admin. "certificate"
is the one that clients get, from the server or a proxy in front of it. Without such a token only
the version is shown, and whether the server answers.
Exit status 1 when something needs a hand, or the token cannot tell.

Examples:
  koya status https://registry.example.com
  koya status --json | jq -r '.todo[].text')";

constexpr std::chrono::seconds kProbeTimeout{10};
constexpr UnixSeconds kSecondsPerDay = 86'400;

// Days until the certificate expires that clients get. nullopt: http, or no TLS connection.
std::optional<wire::CertificateState> ProbeCertificate(const http::Url& server,
                                                       const Variables& variables) {
  if (server.scheme != "https") return std::nullopt;
  doctor::NetworkProbe probe =
      doctor::ProbeNetwork(server.host, server.PortNumber(), kProbeTimeout);
  if (probe.connection.get() < 0) return std::nullopt;
  const doctor::TlsFacts facts =
      doctor::ProbeTls(probe.connection.get(), server.host,
                       {.ca_file = Variable(variables, "SSL_CERT_FILE"),
                        .ca_directory = Variable(variables, "SSL_CERT_DIR")});
  if (facts.chain.empty()) return std::nullopt;
  const UnixSeconds left = facts.chain.front().not_after - SystemClock().Now();
  return wire::CertificateState{.days = left / kSecondsPerDay};
}

// What clients get counts, which a proxy may hold.
void SetCertificate(wire::ServerStatus& status, std::optional<wire::CertificateState> seen) {
  if (!seen) return;
  status.certificate = seen;
  std::erase_if(status.todo, [](const auto& each) { return each.code == "certificate_expires"; });
  if (seen->days >= wire::CertificateState::kSoonDays) return;
  status.todo.push_back({"certificate_expires", "",
                         fmt::format("the certificate that clients get expires in {} days: replace "
                                     "it on the server or on the proxy in front",
                                     seen->days)});
}

void PrintRow(std::string_view name, std::string_view text, Output& output) {
  output.Print(fmt::format("{:<12} {}", name, text));
}

std::string StoreText(const wire::ServerStatus::Store& store) {
  std::string text = fmt::format("{}; published {}, mirrored {}", store.kind,
                                 SizeText(store.published_bytes), SizeText(store.mirrored_bytes));
  if (store.lost > 0) text += fmt::format("; {} objects are missing", store.lost);
  return text;
}

std::string UpstreamsText(const wire::ServerStatus& status) {
  std::string text;
  for (const wire::ServerStatus::Upstream& each : status.upstreams) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", Printable(each.host, 80),
                        Printable(each.state, 20));
  }
  return text.empty() ? "none" : text;
}

std::string MigrationsText(const wire::ServerStatus& status) {
  std::string text;
  for (const std::string& each : status.migrations) {
    text += (text.empty() ? "" : ", ") + Printable(each, 80);
  }
  return text.empty() ? "none pending" : text;
}

std::string DiskText(const std::optional<wire::DiskState>& disk) {
  if (!disk || disk->bytes == 0) return "unknown";
  return fmt::format("{} of {} free", SizeText(disk->free_bytes), SizeText(disk->bytes));
}

std::string ReadyText(const wire::ServerStatus& status) {
  if (status.ready) return "yes";
  std::string text = "no";
  for (const std::string& reason : status.reasons) text += "; " + Printable(reason);
  return text;
}

std::string BackupText(const std::optional<wire::BackupAge>& backup) {
  constexpr std::uint64_t kHour = 3600;
  if (!backup) return "none set up (backup.to)";
  std::string text = backup->id.empty() ? "none yet"
                                        : fmt::format("{}, {} hours old", Printable(backup->id, 40),
                                                      backup->age / kHour);
  if (backup->running) text += "; one is being made";
  return text;
}

void PrintStatus(const wire::ServerStatus& status, Output& output) {
  PrintRow("version", Printable(status.version, 60), output);
  PrintRow("ready", ReadyText(status), output);
  PrintRow("database", Printable(status.database, 40), output);
  PrintRow("migrations", MigrationsText(status), output);
  PrintRow("store", StoreText(status.store), output);
  PrintRow("disk", DiskText(status.disk), output);
  PrintRow("upstreams", UpstreamsText(status), output);
  PrintRow("backup", BackupText(status.backup), output);
  PrintRow("certificate",
           status.certificate ? fmt::format("{} days left", status.certificate->days) : "unknown",
           output);
  PrintRow("work", fmt::format("{} waiting, {} failed", status.work.waiting, status.work.failed),
           output);
  if (status.todo.empty()) PrintRow("todo", output.Green("nothing"), output);
  for (const wire::ServerStatus::Todo& each : status.todo) {
    PrintRow("todo", output.Red(Printable(each.text, 400)), output);
  }
}

// Of a server whose administrator the caller is not.
Result<int> PrintVersionOnly(ApiClient& api, const Error& refusal, Output& output) {
  ASSIGN_OR_RETURN(std::string body, api.Get("/-/cli/"));
  ASSIGN_OR_RETURN(wire::ClientPrograms programs, wire::Decode<wire::ClientPrograms>(body));
  PrintRow("version", Printable(programs.version, 60), output);
  PrintRow("ready", "it answers", output);
  output.Note(fmt::format("koya: the rest needs an administrator's token: {}",
                          refusal.message.substr(0, refusal.message.find('\n'))));
  output.PrintDocument(
      wire::Encode<wire::ServerStatus>({.version = std::move(programs.version), .ready = true}));
  return 1;
}

struct StatusArguments {
  std::string url;
  ServerFlags server;
};

Result<int> ShowServerStatus(const StatusArguments& arguments, Output& output) {
  ServerFlags flags = arguments.server;
  if (!arguments.url.empty()) flags.server = arguments.url;
  ASSIGN_OR_RETURN(RegistryClientOptions connection, ChooseConnection(flags, output));
  ApiClient api(std::move(connection));
  Result<wire::ServerStatus> status = api.Send(At(wire::kShowStatus));
  if (!status) {
    const ErrorKind kind = status.error().kind;
    const bool denied = kind == ErrorKind::kForbidden || kind == ErrorKind::kUnauthenticated;
    if (!denied) return std::unexpected(std::move(status).error());
    return PrintVersionOnly(api, status.error(), output);
  }
  SetCertificate(*status, ProbeCertificate(api.server(), output.shell().variables));
  PrintStatus(*status, output);
  output.PrintDocument(wire::Encode(*status));
  return status->ready && status->todo.empty() ? 0 : 1;
}

}  // namespace

void AddStatusCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("status", "Show how a registry is, and what needs a hand");
  auto arguments = std::make_shared<StatusArguments>();
  command->add_option("URL", arguments->url, "The registry; default: as for --server")
      ->check(ReadableBy([](std::string_view text) { return ParseServer(text, "URL"); }))
      ->type_name("");
  AddServerFlags(*command, arguments->server);
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kStatusFooter));
  command->callback([arguments, &invocation] {
    invocation.action = [arguments](Output& output) {
      return ShowServerStatus(*arguments, output);
    };
  });
}

}  // namespace koya::cli
