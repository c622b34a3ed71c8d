#include "cli/import/product.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/text.h"
#include "cli/api/connection.h"
#include "cli/import/boring_folder.h"
#include "cli/import/plan.h"
#include "cli/import/protocol_source.h"
#include "cli/mirror/warming.h"
#include "clients/stored_credentials.h"
#include "hcl/config_folder.h"
#include "hcl/hcl.h"

namespace koya::cli {
namespace {

using Packages = std::vector<wire::ListedPackage>;

// Far more than any product has; pages beyond are a server that never ends.
constexpr std::size_t kMostPages = 10'000;
constexpr std::size_t kPageSize = 100;

struct Pages {
  std::string what;  // "the list of modules"
  // The path of a page. `next` as the page before stated it: "" for the first one; for products
  // that do not state it, the number of entries (`seen`) or of the page says where to go on.
  std::function<std::string(const std::string& next, std::size_t page)> path;
  std::function<Result<wire::ListedPage>(std::string_view body)> decode;
  // A full page is followed by another, although it does not say so.
  bool goes_on_when_full = false;
  bool basic = false;  // sends the login of ~/.netrc as such
};

Failure EndlessPages(const Pages& pages, const std::string& path, std::string_view why) {
  return FailBadUpstream("{}: the page {} {}: the list never ends; use --list FILE instead",
                         pages.what, Printable(path, 300), why);
}

// Reads all pages. Fails: kBadUpstream for pages that repeat themselves or never end, naming the
// page.
Result<Packages> ReadPages(ProtocolSource& source, const Pages& pages) {
  Packages all;
  std::set<std::string> seen{""};
  std::string next;
  std::string before;
  for (std::size_t page = 0; page < kMostPages; ++page) {
    const std::string path = pages.path(next, page);
    ASSIGN_OR_RETURN(const std::string body, source.GetDocument(path, pages.what, pages.basic));
    if (page > 0 && body == before) return EndlessPages(pages, path, "is the one before again");
    Result<wire::ListedPage> listed = pages.decode(body);
    if (!listed) {
      return FailBadUpstream("{} at {}{}: {}", pages.what, source.name(), Printable(path, 300),
                             listed.error().message);
    }
    std::ranges::move(listed->packages, std::back_inserter(all));
    const bool more = pages.goes_on_when_full ? listed->entries >= kPageSize
                                              : !listed->next.empty() && listed->entries > 0;
    if (!more) return JoinPackages(std::move(all));
    next = std::move(listed->next);
    if (!pages.goes_on_when_full && !seen.insert(next).second) {
      return EndlessPages(pages, path, "leads back to an earlier one");
    }
    before = body;
  }
  return EndlessPages(pages, pages.path(next, kMostPages), "follows 10,000 others");
}

// ---- sources by protocol

struct HostChoice {
  HostName host;
  std::string path;  // of the URL: "/artifactory"; "" for the root
};

Result<HostChoice> ParsePlace(const std::string& text) {
  const std::string whole = text.contains("://") ? text : "https://" + text;
  Result<http::Url> url = http::ParseUrl(whole);
  if (!url || url->scheme != "https" || url->has_user_info || !url->query.empty()) {
    return FailInvalid("\"{}\" is not the address of a registry: write https://HOST[:PORT]",
                       Printable(text, 200));
  }
  ASSIGN_OR_RETURN(HostName host, HostName::ParseWire(url->Authority()));
  while (url->path.ends_with('/')) url->path.pop_back();
  return HostChoice{std::move(host), std::move(url->path)};
}

std::optional<NetrcLogin> NetrcOf(const HostName& host, const Variables& variables) {
  std::filesystem::path file = Variable(variables, "NETRC");
  if (file.empty()) file = std::filesystem::path(Variable(variables, "HOME")) / ".netrc";
  const Result<std::string> text = hcl::ReadTextFile(file);
  if (!text) return std::nullopt;
  return FindNetrcLogin(*text, host.ascii().substr(0, host.ascii().find(':')));
}

// The `credentials` blocks of the clients' own configuration; none of a file that is not HCL.
void AddConfiguredCredentials(const Variables& variables,
                              std::vector<clients::StoredCredential>& credentials) {
  const std::filesystem::path home = Variable(variables, "HOME");
  const std::filesystem::path named = Variable(variables, "TF_CLI_CONFIG_FILE");
  std::vector<std::filesystem::path> files{named};
  if (named.empty()) files = {home / ".tofurc", home / ".terraformrc"};
  for (const std::filesystem::path& file : files) {
    const Result<std::string> text = hcl::ReadTextFile(file);
    if (!text) continue;
    for (const hcl::Block& block : hcl::ParsePartly(*text).body.blocks) {
      const hcl::Value* token = block.body.FindAttribute("token");
      const bool fits = block.type == "credentials" && block.labels.size() == 1 &&
                        token != nullptr && token->kind == hcl::Value::Kind::kText;
      if (!fits || token->text.empty()) continue;
      credentials.push_back(
          {clients::CredentialHost(block.labels.front()), token->text, file.string()});
    }
  }
}

using Lister = std::function<Result<Packages>(ProtocolSource&)>;

Result<std::unique_ptr<ImportSource>> OpenProtocol(const HostChoice& place,
                                                   std::map<std::string, std::string> services,
                                                   Lister lister, Output& output) {
  const Variables& variables = output.shell().variables;
  ProtocolOptions options{.host = place.host};
  options.http.user_agent = "koya-import";
  options.http.ca_file = HttpOptions(variables).ca_file;
  ASSIGN_OR_RETURN(options.credentials, clients::ReadKeptCredentials(variables));
  AddConfiguredCredentials(variables, options.credentials);
  options.netrc = NetrcOf(place.host, variables);
  options.services = std::move(services);
  options.list = std::move(lister);
  options.wait = [&output](std::chrono::seconds pause) {
    output.Note(fmt::format("koya: the source asks to wait: going on in {} s", pause.count()));
    std::this_thread::sleep_for(pause);
  };
  ASSIGN_OR_RETURN(std::unique_ptr<ProtocolSource> source,
                   ProtocolSource::Create(std::move(options)));
  return source;
}

// ---- registry: by its list API, or the addresses that files name

// "ADDRESS [VERSION]" a line; "#" begins a comment.
Status ReadListFile(const std::string& path, const HostName& host, Packages& packages) {
  ASSIGN_OR_RETURN(const std::string text, hcl::ReadTextFile(path));
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    line.resize(std::min(line.find('#'), line.size()));
    std::vector<std::string> words;
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != line.npos;) {
      const std::size_t word_end = std::min(line.find_first_of(" \t\r", at), line.size());
      words.push_back(line.substr(at, word_end - at));
      at = word_end;
    }
    if (words.empty()) continue;
    std::string address = words.front();
    const std::string prefix = host.display() + "/";
    if (address.starts_with(prefix)) address.erase(0, prefix.size());
    const auto parts = std::ranges::count(address, '/') + 1;
    if (words.size() > 2 || parts < 2 || parts > 3) {
      return FailInvalid(
          "{}:{}: a line is ADDRESS [VERSION], where ADDRESS is NAMESPACE/NAME/SYSTEM or "
          "NAMESPACE/TYPE",
          path, number);
    }
    wire::ListedPackage package{.is_module = parts == 3, .address = std::move(address)};
    if (words.size() == 2) package.versions.push_back({.version = std::move(words[1])});
    packages.push_back(std::move(package));
  }
  return {};
}

// What configurations and lock files have from `host`: modules with all their versions, and the
// providers' as locked.
Status ReadNeeds(const SourceArguments& arguments, const HostName& host, Packages& packages,
                 Output& output) {
  WarmingRequest needs;
  for (const std::string& each : arguments.configurations) {
    RETURN_IF_ERROR(needs.AddConfiguration(each, host));
  }
  for (const std::string& each : arguments.locks) RETURN_IF_ERROR(needs.AddLockFile(each));
  for (const std::string& each : needs.problems) output.Note("koya: note: " + each);
  for (const ProviderRequest& each : needs.providers) {
    if (!(each.source.host == host)) continue;
    wire::ListedPackage package{.is_module = false, .address = each.source.address.ToString()};
    if (each.lock) package.versions.push_back({.version = each.lock->version.ToString()});
    packages.push_back(std::move(package));
  }
  for (const ModuleRequest& each : needs.modules) {
    if (!(each.source.host == host)) continue;
    packages.push_back({.is_module = true, .address = each.source.address.ToString()});
  }
  return {};
}

Result<Packages> ListRegistry(ProtocolSource& source) {
  Packages all;
  std::size_t services = 0;
  for (const bool is_module : {true, false}) {
    Result<std::string> base = source.FindService(is_module ? "modules.v1" : "providers.v1");
    if (!base && base.error().kind == ErrorKind::kNotFound) continue;
    if (!base) return Failure(std::move(base).error());
    ++services;
    Pages pages{.what = is_module ? "the list of modules" : "the list of providers",
                .path =
                    [&base](const std::string& next, std::size_t) {
                      return fmt::format("{}?limit={}&offset={}", *base, kPageSize,
                                         next.empty() ? "0" : next);
                    },
                .decode = is_module ? wire::DecodeModuleListing : wire::DecodeProviderListing};
    Result<Packages> listed = ReadPages(source, pages);
    if (!listed && !is_module && listed.error().kind == ErrorKind::kNotFound) continue;
    if (!listed && listed.error().kind == ErrorKind::kNotFound) {
      return FailNotFound(
          "{} has no list of its modules: say what to import with --config, --lock or --list",
          source.name());
    }
    if (!listed) return Failure(std::move(listed).error());
    std::ranges::move(*listed, std::back_inserter(all));
  }
  if (services > 0) return all;
  return FailNotFound("{} is no registry: it offers neither modules.v1 nor providers.v1",
                      source.name());
}

void DeclareRegistry(CLI::App& command, SourceArguments& arguments) {
  command
      .add_option("--config", arguments.configurations,
                  "Import what the .tf files of this folder have from there; repeatable")
      ->type_name("DIR");
  command
      .add_option("--lock", arguments.locks, "Import the providers of this lock file; repeatable")
      ->type_name("FILE");
  command
      .add_option("--list", arguments.list, "Import what this file names: ADDRESS [VERSION] a line")
      ->type_name("FILE");
}

Result<std::unique_ptr<ImportSource>> OpenRegistry(const SourceArguments& arguments,
                                                   Output& output) {
  ASSIGN_OR_RETURN(const HostChoice place, ParsePlace(arguments.place));
  const bool named =
      !arguments.list.empty() || !arguments.configurations.empty() || !arguments.locks.empty();
  if (!named) return OpenProtocol(place, {}, ListRegistry, output);
  Packages packages;
  RETURN_IF_ERROR(ReadNeeds(arguments, place.host, packages, output));
  if (!arguments.list.empty()) {
    RETURN_IF_ERROR(ReadListFile(arguments.list, place.host, packages));
  }
  if (packages.empty()) {
    return FailInvalid("nothing to import: the files name no module or provider of {}",
                       place.host.display());
  }
  packages = JoinPackages(std::move(packages));
  return OpenProtocol(
      place, {}, [packages](ProtocolSource&) -> Result<Packages> { return packages; }, output);
}

// ---- GitLab, HCP Terraform, Artifactory, Nexus, Terralist: by their own lists

void DeclareGitlab(CLI::App& command, SourceArguments& arguments) {
  command.add_option("--group", arguments.group, "The group's path, for example PARENT/CHILD")
      ->required()
      ->type_name("GROUP");
}

Result<std::unique_ptr<ImportSource>> OpenGitlab(const SourceArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(const HostChoice place, ParsePlace(arguments.place));
  auto list = [group = arguments.group,
               path = place.path](ProtocolSource& source) -> Result<Packages> {
    // The namespace of GitLab's module registry is the top-level group.
    std::string ns = group.substr(0, group.find('/'));
    if (std::ranges::all_of(ns, [](char c) { return c >= '0' && c <= '9'; })) {
      return FailInvalid("--group {}: write the group's path, not its number", group);
    }
    Pages pages{.what = "the list of packages of the group",
                .path =
                    [&](const std::string&, std::size_t page) {
                      return fmt::format(
                          "{}/api/v4/groups/{}/packages?package_type=terraform_module&per_page={}"
                          "&page={}&order_by=name&sort=asc",
                          path, http::PercentEncode(group), kPageSize, page + 1);
                    },
                .decode = nullptr,
                .goes_on_when_full = true};
    pages.decode = [ns](std::string_view body) { return wire::DecodeGitlabListing(body, ns); };
    return ReadPages(source, pages);
  };
  return OpenProtocol(place, {}, std::move(list), output);
}

void DeclareHcp(CLI::App& command, SourceArguments& arguments) {
  command.add_option("--organization", arguments.organization, "The organization")
      ->required()
      ->type_name("NAME");
}

Result<std::unique_ptr<ImportSource>> OpenHcp(const SourceArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(const HostChoice place, ParsePlace(arguments.place));
  auto list = [organization = arguments.organization](ProtocolSource& source) -> Result<Packages> {
    Packages all;
    for (const bool is_module : {true, false}) {
      const Pages pages{
          .what = is_module ? "the list of the organization's modules"
                            : "the list of the organization's providers",
          .path =
              [&](const std::string& next, std::size_t) {
                return fmt::format(
                    "/api/v2/organizations/{}/registry-{}?page%5Bnumber%5D={}&page%5Bsize%5D={}",
                    http::PercentEncode(organization), is_module ? "modules" : "providers",
                    next.empty() ? "1" : next, kPageSize);
              },
          .decode = is_module ? wire::DecodeHcpModules : wire::DecodeHcpProviders};
      ASSIGN_OR_RETURN(Packages listed, ReadPages(source, pages));
      std::ranges::move(listed, std::back_inserter(all));
    }
    return all;
  };
  return OpenProtocol(place, {}, std::move(list), output);
}

void DeclareArtifactory(CLI::App& command, SourceArguments& arguments) {
  CLI::Option* modules =
      command.add_option("--modules", arguments.modules, "A repository of modules");
  CLI::Option* providers =
      command.add_option("--providers", arguments.providers, "A repository of providers");
  modules->type_name("REPOSITORY");
  providers->type_name("REPOSITORY");
}

Result<std::unique_ptr<ImportSource>> OpenArtifactory(const SourceArguments& arguments,
                                                      Output& output) {
  ASSIGN_OR_RETURN(HostChoice place, ParsePlace(arguments.place));
  if (arguments.modules.empty() && arguments.providers.empty()) {
    return FailInvalid("name the repositories: --modules REPOSITORY, --providers REPOSITORY");
  }
  if (place.path.empty()) place.path = "/artifactory";
  std::map<std::string, std::string> services;
  const std::pair<bool, std::string> repositories[] = {{true, arguments.modules},
                                                       {false, arguments.providers}};
  for (const auto& [is_module, name] : repositories) {
    if (name.empty()) continue;
    services[is_module ? "modules.v1" : "providers.v1"] =
        fmt::format("{}/api/terraform/{}/v1/{}/", place.path, http::PercentEncode(name),
                    is_module ? "modules" : "providers");
  }
  auto list = [path = place.path, modules = arguments.modules,
               providers = arguments.providers](ProtocolSource& source) -> Result<Packages> {
    Packages all;
    for (const bool is_module : {true, false}) {
      const std::string& name = is_module ? modules : providers;
      if (name.empty()) continue;
      const Pages pages{
          .what = fmt::format("the list of files of {}", name),
          .path =
              [&](const std::string&, std::size_t) {
                return fmt::format("{}/api/storage/{}?list&deep=1&listFolders=0", path,
                                   http::PercentEncode(name));
              },
          .decode = is_module ? wire::DecodeArtifactoryModules : wire::DecodeArtifactoryProviders,
          .basic = true};
      ASSIGN_OR_RETURN(Packages listed, ReadPages(source, pages));
      std::ranges::move(listed, std::back_inserter(all));
    }
    return all;
  };
  return OpenProtocol(place, std::move(services), std::move(list), output);
}

void DeclareNexus(CLI::App& command, SourceArguments& arguments) {
  command.add_option("--repository", arguments.repository, "The repository")
      ->required()
      ->type_name("NAME");
}

Result<std::unique_ptr<ImportSource>> OpenNexus(const SourceArguments& arguments, Output& output) {
  ASSIGN_OR_RETURN(const HostChoice place, ParsePlace(arguments.place));
  const std::string base =
      fmt::format("{}/repository/{}/v1", place.path, http::PercentEncode(arguments.repository));
  auto list = [path = place.path,
               name = arguments.repository](ProtocolSource& source) -> Result<Packages> {
    const Pages pages{.what = "the list of components",
                      .path =
                          [&](const std::string& next, std::size_t) {
                            return fmt::format("{}/service/rest/v1/components?repository={}{}{}",
                                               path, http::PercentEncode(name),
                                               next.empty() ? "" : "&continuationToken=",
                                               http::PercentEncode(next));
                          },
                      .decode = wire::DecodeNexusListing,
                      .basic = true};
    return ReadPages(source, pages);
  };
  return OpenProtocol(place,
                      {{"modules.v1", base + "/modules/"}, {"providers.v1", base + "/providers/"}},
                      std::move(list), output);
}

Result<std::unique_ptr<ImportSource>> OpenTerralist(const SourceArguments& arguments,
                                                    Output& output) {
  ASSIGN_OR_RETURN(const HostChoice place, ParsePlace(arguments.place));
  auto list = [](ProtocolSource& source) -> Result<Packages> {
    const Pages pages{.what = "the list of artifacts",
                      .path = [](const std::string&, std::size_t) { return "/v1/api/artifacts/"; },
                      .decode = wire::DecodeTerralistListing};
    return ReadPages(source, pages);
  };
  return OpenProtocol(place, {}, std::move(list), output);
}

Result<std::unique_ptr<ImportSource>> OpenBoring(const SourceArguments& arguments, Output&) {
  return BoringFolder::Open(arguments.place);
}

constexpr std::string_view kUrl = "Its address: https://HOST[:PORT]";
constexpr ImportProduct kImportProducts[] = {
    {"registry", "Import from a registry, of any product", "URL",
     "The registry: https://HOST[:PORT]", DeclareRegistry, OpenRegistry},
    {"gitlab", "Import the modules of a GitLab group", "URL", kUrl, DeclareGitlab, OpenGitlab},
    {"hcp", "Import an organization's registry from HCP Terraform or Terraform Enterprise", "URL",
     kUrl, DeclareHcp, OpenHcp},
    {"artifactory", "Import repositories of Artifactory", "URL",
     "Its address: https://HOST[:PORT][/artifactory]", DeclareArtifactory, OpenArtifactory},
    {"nexus", "Import a repository of Nexus", "URL", "Its address: https://HOST[:PORT][/PATH]",
     DeclareNexus, OpenNexus},
    {"terralist", "Import from Terralist", "URL", kUrl, nullptr, OpenTerralist},
    {"boring", "Import a copied bucket of boring-registry", "DIR",
     "The folder with modules/ and providers/", nullptr, OpenBoring},
};

}  // namespace

std::span<const ImportProduct> ImportProducts() { return kImportProducts; }

}  // namespace koya::cli
