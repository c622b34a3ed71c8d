#include "clients/client_settings.h"

#include <fmt/format.h>

namespace koya::clients {
namespace {

constexpr std::string_view kWhere =
    "# Where it goes: ~/.tofurc for OpenTofu, ~/.terraformrc for Terraform (%APPDATA%\\tofu.rc "
    "and\n"
    "# %APPDATA%\\terraform.rc on Windows), or any file that TF_CLI_CONFIG_FILE names.\n";

std::string_view AuthorityOf(std::string_view origin) {
  const std::size_t scheme = origin.find("://");
  return scheme == origin.npos ? origin : origin.substr(scheme + 3);
}

std::string HowToSet(const HostName& host) {
  return HowToSetToken(host, "…") +
         (host.has_port() ? " (shells cannot export a name with ':')" : "");
}

std::string HostBlock(const ClientSettingsRequest& wish, const HostName& registry) {
  const std::string base = wish.mode == ClientMode::kMoved
                               ? wish.server + "/v1"
                               : fmt::format("{}/origin/{}/v1", wish.server, registry.ascii());
  return fmt::format(
      "\nhost \"{}\" {{\n  services = {{\n    \"providers.v1\" = \"{}/providers/\"\n"
      "    \"modules.v1\"   = \"{}/modules/\"\n  }}\n}}\n",
      registry.display(), base, base);
}

// Clients read a quoted text with the escapes of HCL; tokens have none that need one, but one from
// elsewhere is no reason to write a broken file.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\\') out += '\\';
    out += text[i];
    bool template_begins = (text[i] == '$' || text[i] == '%') && text.substr(i + 1, 1) == "{";
    if (template_begins) out += text[i];
  }
  return out + "\"";
}

// `comment`: what stands before them.
std::string CredentialsBlocks(std::string_view comment, const std::vector<HostName>& hosts,
                              std::string_view token) {
  std::string text(comment);
  for (const HostName& host : hosts) text += '\n' + CredentialsBlock(host, token);
  text += "\n# Instead of such a block, in the environment:\n";
  for (const HostName& host : hosts) text += fmt::format("#   {}\n", HowToSet(host));
  return text;
}

constexpr std::string_view kOriginWantsToken =
    "\n# The server requires a token for reading. Clients send the one stored for the name in\n# "
    "the \"host\" block, not the one for the server's own name. Remove a stored token for the\n# "
    "registry itself: it would be sent to the server.\n";
constexpr std::string_view kMirrorWantsToken =
    "\n# The server requires a token for reading: clients send the one stored for its name.\n# "
    "\"tofu login\" stores one, too; then leave this block out.\n";

std::string OriginCredentials(const std::vector<HostName>& registries) {
  std::string text =
      "\n# If the server requires a token for reading: clients send the one stored for the\n# name "
      "in the \"host\" block, not the one for the server's own name. Remove a stored token\n# for "
      "the registry itself: it would be sent to the server. Either\n";
  for (const HostName& registry : registries) {
    text += fmt::format("#   {}\n", HowToSet(registry));
  }
  text += "# or, in this file,\n";
  for (const HostName& registry : registries) {
    text += fmt::format("#   credentials \"{}\" {{ token = \"…\" }}\n", registry.display());
  }
  return text;
}

// Names and defaults: opentofu v1.12, internal/command/cliconfig; terraform reads the variables
// except the last.
constexpr std::string_view kPatience =
    "\n# Clients wait 10 s for a document and retry once; OpenTofu retries a package twice. For\n"
    "# slow links, in the environment:\n"
    "#   export TF_REGISTRY_CLIENT_TIMEOUT=60   # seconds\n"
    "#   export TF_REGISTRY_DISCOVERY_RETRY=5\n"
    "#   export TF_PROVIDER_DOWNLOAD_RETRY=5    # OpenTofu only\n"
    "# or, in this file, for OpenTofu 1.11 and later:\n"
    "#   registry_protocols {\n"
    "#     request_timeout_seconds = 60\n"
    "#     retry_count             = 5\n"
    "#   }\n";

constexpr std::string_view kOtherTokens =
    "\n# A credentials helper can provide tokens, too: the program terraform-credentials-NAME in\n"
    "# ~/.terraform.d/plugins, and in this file\n"
    "#   credentials_helper \"NAME\" {}\n"
    "# A .netrc cannot replace a token: clients send it with archives only, never with the lists\n"
    "# and documents that they request first.\n";

// Where the token for the server's own name goes; IPv6 addresses are no name that clients take.
std::string OwnCredentials(std::string_view server, std::string_view when) {
  Result<HostName> own = HostName::ParseWire(AuthorityOf(server));
  if (!own) return {};
  return fmt::format(
      "{0}\n# \"tofu login {1}\" where the server offers it, or\n#   {2}\n# or, in this file,\n"
      "#   credentials \"{1}\" {{ token = \"…\" }}\n",
      when, own->display(), HowToSet(*own));
}

std::string HowToCheck(const ClientSettingsRequest& wish) {
  return fmt::format(
      "\n# To check: \"koya doctor {}\", then \"tofu init\" where a\n# provider of {} is used.\n",
      wish.server, wish.registries.front().display());
}

std::string OriginText(const ClientSettingsRequest& wish) {
  std::string text =
      wish.mode == ClientMode::kMoved
          ? fmt::format(
                "# Providers and modules of {} come from {},\n# to which they have moved. "
                "Configurations and lock files stay as they are.\n",
                wish.registries.front().display(), wish.server)
          : fmt::format(
                "# Providers and modules of other registries come from {},\n# which fetches, "
                "verifies "
                "and caches them. Configurations and lock files stay as\n# they are.\n",
                wish.server);
  text += kWhere;
  for (const HostName& registry : wish.registries) text += HostBlock(wish, registry);
  text += wish.token.empty() ? OriginCredentials(wish.registries)
                             : CredentialsBlocks(kOriginWantsToken, wish.registries, wish.token);
  text += OwnCredentials(
      wish.server,
      "#\n# The token for packages published on the server itself, under its own name:");
  text += kOtherTokens;
  text += kPatience;
  return text + HowToCheck(wish);
}

std::string Patterns(const std::vector<HostName>& registries) {
  std::string list;
  for (const HostName& registry : registries) {
    list += fmt::format("{}\"{}/*/*\"", list.empty() ? "" : ", ", registry.display());
  }
  return list;
}

std::string MirrorCredentials(const ClientSettingsRequest& wish) {
  Result<HostName> own = HostName::ParseWire(AuthorityOf(wish.server));
  if (own && !wish.token.empty()) {
    return CredentialsBlocks(kMirrorWantsToken, {*own}, wish.token);
  }
  return OwnCredentials(
      wish.server,
      "\n# If the server requires a token for reading, clients send the one stored for its name:");
}

constexpr std::string_view kMirrorOptions =
    "    # OpenTofu 1.12 and later: lock files get the hashes of all platforms, as the server "
    "says.\n"
    "    # trust_all_hashes = true\n"
    "    # OpenTofu 1.11 and later: how often a package is retried.\n"
    "    # download_retry_count = 5\n";

std::string MirrorText(const ClientSettingsRequest& wish) {
  std::string text = fmt::format(
      "# Providers of other registries come from {},\n"
      "# as a network mirror. Modules do not go through a network mirror, and lock files get the\n"
      "# hashes of one platform only: --mode origin has neither limit. A configuration has one\n"
      "# provider_installation block at most.\n",
      wish.server);
  text += kWhere;
  const std::string patterns = Patterns(wish.registries);
  if (wish.direct) {
    text +=
        "# With the block \"direct\" as it is clients ask the registries themselves, too, and take "
        "the\n"
        "# newest version that either has: what the server may not give is then taken past it.\n";
  }
  const std::string direct = wish.direct ? "" : fmt::format("    exclude = [{}]\n", patterns);
  text += fmt::format(
      "\nprovider_installation {{\n  network_mirror {{\n    url     = \"{}/mirror/\"\n"
      "    include = [{}]\n{}  }}\n  direct {{\n{}  }}\n}}\n",
      wish.server, patterns, kMirrorOptions, direct);
  text += MirrorCredentials(wish);
  text += kOtherTokens;
  text += kPatience;
  return text + HowToCheck(wish);
}

}  // namespace

std::string TokenVariable(const HostName& host) {
  std::string name = "TF_TOKEN_";
  for (char c : host.ascii()) {
    if (c == '-') {
      name += "__";
    } else {
      name += c == '.' ? '_' : c;
    }
  }
  return name;
}

std::string CredentialsBlock(const HostName& host, std::string_view token) {
  return fmt::format("credentials \"{}\" {{\n  token = {}\n}}\n", host.display(), Quoted(token));
}

std::string HowToSetToken(const HostName& host, std::string_view token) {
  return host.has_port() ? fmt::format("env '{}={}' tofu init", TokenVariable(host), token)
                         : fmt::format("export {}={}", TokenVariable(host), token);
}

Result<std::string> ClientSettings(const ClientSettingsRequest& wish) {
  if (wish.mode != ClientMode::kMirror) return OriginText(wish);
  if (!wish.server.starts_with("https://")) {
    return FailInvalid(
        "{} is not https: clients take no other network mirror; use --mode "
        "origin, or serve TLS",
        wish.server);
  }
  for (const HostName& registry : wish.registries) {
    if (registry.has_port()) {
      return FailInvalid(
          "{} has a port: clients refuse such a name of a network mirror; use "
          "--mode origin for it",
          registry.display());
    }
  }
  return MirrorText(wish);
}

}  // namespace koya::clients
