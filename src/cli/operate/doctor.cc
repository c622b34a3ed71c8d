// koya doctor URL

#include "doctor/doctor.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/program.h"
#include "cli/text/readable.h"
#include "cli/text/this_platform.h"
#include "wire/command_results.h"

namespace koya::cli {
namespace {

using doctor::Finding;
using doctor::Findings;
using doctor::Severity;

constexpr std::string_view kDoctorFooter =
    R"(Works on any registry. The steps: address, dns, tcp, tls, discovery, and each service that the
registry announces; with --module also a module's versions, its newest version's download, and the
archive with its checksum, and with --provider a provider's versions, its newest version's download
document, SHA256SUMS, signature and package. A finding is ok, a warning (some clients or tools fail)
or a failure (exit status 1). A token that "tofu login" stored for the host is used as clients use
it.

--as plays the requests of a tool for the module or provider in place of those of tofu and
terraform, and checks the fields that it reads: renovate, dependabot, terragrunt, tflint, tfupdate,
updatecli, trivy, infracost, checkov. The token is sent with those requests that have one when the
tool sends them. A warning means that the tool works, but less well.

Examples:
  koya doctor https://registry.example.com
  koya doctor 127.0.0.1:8443 --module acme/vpc/aws
  koya doctor registry.opentofu.org --provider hashicorp/random --platform darwin_arm64
  koya doctor https://registry.example.com --as renovate --module acme/vpc/aws
  koya doctor registry.opentofu.org --json)";

struct DoctorArguments {
  std::string url;
  std::string module;
  std::string provider;
  std::string platform;
  std::string token;
  std::string tool;
};

// KOYA_TOKEN is for the server that KOYA_URL names: no other registry gets to see it.
Result<std::string> TokenFor(const http::Url& registry, const DoctorArguments& arguments,
                             const Variables& variables) {
  if (!arguments.token.empty()) return arguments.token;
  std::string own = Variable(variables, "KOYA_URL");
  Result<http::Url> own_url = ParseServer(own, "KOYA_URL");
  std::string own_token = Variable(variables, "KOYA_TOKEN");
  if (own_url && own_url->Origin() == registry.Origin() && !own_token.empty()) return own_token;
  ASSIGN_OR_RETURN(std::vector<clients::StoredCredential> kept,
                   clients::ReadKeptCredentials(variables));
  auto found = std::ranges::find(kept, clients::CredentialHost(registry.Authority()),
                                 &clients::StoredCredential::host);
  return found == kept.end() ? std::string() : found->token;
}

// The proxy that the clients' HTTP library would use for https; "" for none. NO_PROXY is only
// looked at for the host itself and "*".
std::string ProxyFor(const http::Url& registry, const Variables& variables) {
  std::string proxy = Variable(variables, "HTTPS_PROXY");
  if (proxy.empty()) proxy = Variable(variables, "https_proxy");
  std::string none = Variable(variables, "NO_PROXY") + "," + Variable(variables, "no_proxy");
  bool direct = http::IsLoopbackHost(registry.host) || none.find('*') != std::string::npos ||
                ("," + none + ",").find("," + registry.host + ",") != std::string::npos;
  if (direct || registry.scheme != "https") return {};
  // The password of a proxy must not be shown.
  Result<http::Url> url = http::ParseUrl(proxy);
  return url ? url->Origin() : proxy;
}

std::string Label(const Finding& finding, const Output& output) {
  switch (finding.severity) {
    case Severity::kOk:
      return output.Green("ok     ");
    case Severity::kWarning:
      return output.Yellow("warning");
    case Severity::kFailure:
      break;
  }
  return output.Red("FAILURE");
}

void PrintFinding(const Finding& finding, Output& output) {
  output.Print(
      fmt::format("{}  {:<12}  {}", Label(finding, output), finding.step, finding.message));
  if (!finding.fix.empty()) output.Print(fmt::format("{:23}fix: {}", "", finding.fix));
}

std::string Document(const http::Url& registry, const Findings& findings) {
  wire::Diagnosis diagnosis{
      .url = registry.Origin(), .healthy = !doctor::AnyFailure(findings), .findings = {}};
  for (const Finding& each : findings) {
    diagnosis.findings.push_back({.step = each.step,
                                  .severity = std::string(doctor::SeverityName(each.severity)),
                                  .message = each.message,
                                  .fix = each.fix});
  }
  return wire::Encode(diagnosis);
}

std::vector<std::string> ToolNames() {
  std::vector<std::string> names;
  for (const doctor::Tool& each : doctor::Tools()) names.emplace_back(each.name);
  return names;
}

std::string Summary(const Findings& findings) {
  auto count = [&](Severity severity) {
    return std::ranges::count(findings, severity, &Finding::severity);
  };
  return fmt::format("{} ok, {} warnings, {} failures", count(Severity::kOk),
                     count(Severity::kWarning), count(Severity::kFailure));
}

Result<int> Examine(const DoctorArguments& arguments, Output& output) {
  const Variables& variables = output.shell().variables;
  ASSIGN_OR_RETURN(http::Url registry, ParseServer(arguments.url, "URL"));
  doctor::DoctorOptions options{.registry = registry};
  if (!arguments.module.empty()) {
    ASSIGN_OR_RETURN(options.module, ModuleAddress::Parse(arguments.module));
  }
  if (!arguments.provider.empty()) {
    ASSIGN_OR_RETURN(ProviderAddress address, ProviderAddress::Parse(arguments.provider));
    ASSIGN_OR_RETURN(Platform platform, arguments.platform.empty()
                                            ? ThisPlatform()
                                            : Platform::Parse(arguments.platform));
    options.provider = {std::move(address), std::move(platform)};
  }
  ASSIGN_OR_RETURN(options.token, TokenFor(registry, arguments, variables));
  options.tool = doctor::FindTool(arguments.tool);
  options.http = HttpOptions(variables);
  options.proxy = ProxyFor(registry, variables);
  options.on_finding = [&output](const Finding& finding) { PrintFinding(finding, output); };
  SystemClock clock;
  Findings findings = doctor::Examine(options, clock);
  output.Print("\n" + Summary(findings));
  output.PrintDocument(Document(registry, findings));
  return doctor::AnyFailure(findings) ? 1 : 0;
}

}  // namespace

void AddDoctorCommand(CLI::App& program, Invocation& invocation) {
  CLI::App* command =
      program.add_subcommand("doctor", "Test a registry as a client does, and report what fails");
  auto arguments = std::make_shared<DoctorArguments>();
  command->add_option("URL", arguments->url, "The registry: https://HOST[:PORT], or HOST[:PORT]")
      ->required()
      ->check(ReadableBy([](std::string_view text) { return ParseServer(text, "URL"); }))
      ->type_name("");
  CLI::Option* module =
      command->add_option("--module", arguments->module, "Follow this module to its archive")
          ->type_name("ADDRESS")
          ->check(ReadableBy(ModuleAddress::Parse));
  CLI::Option* provider = command
                              ->add_option("--provider", arguments->provider,
                                           "Follow this provider, NAMESPACE/TYPE, to its package")
                              ->type_name("ADDRESS")
                              ->check(ReadableBy(ProviderAddress::Parse));
  command
      ->add_option("--platform", arguments->platform,
                   "The provider's platform, for example linux_amd64 (default: this machine's)")
      ->needs(provider)
      ->type_name("OS_ARCH")
      ->check(ReadableBy(Platform::Parse));
  command
      ->add_option("--token", arguments->token,
                   "The token to send; default: the one stored for the host")
      ->type_name("TOKEN")
      ->check(ReadableBy(CheckToken));
  command
      ->add_option("--as", arguments->tool,
                   "Play the requests of this tool for the module or provider")
      ->type_name("TOOL")
      ->check(CLI::IsMember(ToolNames()));
  AddJsonFlag(*command, invocation);
  command->footer(std::string(kDoctorFooter));
  command->callback([arguments, module, provider, &invocation] {
    if (!arguments->tool.empty() && module->count() + provider->count() == 0) {
      throw CLI::RequiredError("--as: --module or --provider");
    }
    invocation.action = [arguments](Output& output) { return Examine(*arguments, output); };
  });
}

}  // namespace koya::cli
