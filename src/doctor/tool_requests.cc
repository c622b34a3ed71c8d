#include "doctor/tool_requests.h"

#include <algorithm>
#include <array>

namespace koya::doctor {
namespace {

using enum FieldForm;
using enum FieldPlace;

constexpr std::string_view kDiscovery = ".well-known/terraform.json";
constexpr std::string_view kModuleList = "{address}/versions";
constexpr std::string_view kModuleDownload = "{address}/{version}/download";
constexpr std::string_view kProviderDownload = "{address}/{version}/download/{os}/{arch}";
constexpr std::string_view kGet = "X-Terraform-Get";

constexpr std::string_view kWritePath = "write the service's path, as \"/v1/modules/\"";
constexpr std::string_view kWriteProviderPath = "write the service's path, as \"/v1/providers/\"";
constexpr std::string_view kWriteOne =
    "respond with one element: {\"modules\":[{\"versions\":[{\"version\":…}]}]}";
constexpr std::string_view kWriteList = "respond with {\"versions\":[{\"version\":…}]}";
constexpr std::string_view kWriteVersion = "write MAJOR.MINOR.PATCH, without a \"v\"";
constexpr std::string_view kWriteGet =
    "respond with 204 and an absolute https URL in X-Terraform-Get";
constexpr std::string_view kWriteAbsolute = "write an absolute https URL";
constexpr std::string_view kWritePlatforms =
    "list each version's platforms: {\"os\":…,\"arch\":…}, which tofu and terraform do not read";
constexpr std::string_view kWritePackages =
    "add packages.OS_ARCH.hashes with \"zh:\" and \"h1:\" hashes of every platform";
constexpr std::string_view kWriteSource = "state the https URL of the repository in \"source\"";

constexpr std::string_view kNoModule = "does not find the module";
constexpr std::string_view kNoProvider = "does not find the provider";
constexpr std::string_view kNoVersion = "finds no version";
constexpr std::string_view kNoArchive = "does not download the module";

constexpr std::array<unsigned, 1> kOk200 = {200};
constexpr std::array<unsigned, 1> kOk204 = {204};
constexpr std::array<unsigned, 2> kOk200Or204 = {200, 204};

constexpr NeededField kListOfOne = {"modules", kOneElement, kNoVersion, kWriteOne};
constexpr NeededField kListOfSome = {"modules", kElements, kNoVersion, kWriteOne};
constexpr NeededField kModuleVersion = {"modules[].versions[].version", kVersion, kNoVersion,
                                        kWriteVersion};
constexpr NeededField kProviderVersion = {"versions[].version", kVersion, kNoVersion,
                                          kWriteVersion};
constexpr NeededField kProviderList = {"versions", kElements, kNoVersion, kWriteList};

constexpr std::array kServiceOfModules = {
    NeededField{"modules.v1", kService, kNoModule, kWritePath}};
constexpr std::array kServiceOfProviders = {
    NeededField{"providers.v1", kService, kNoProvider, kWriteProviderPath}};
constexpr std::array kJoinOfModules = {
    NeededField{"modules.v1", kServiceJoin, "requests a wrong path", kWritePath}};
constexpr std::array kJoinOfProviders = {
    NeededField{"providers.v1", kServiceJoin, "requests a wrong path", kWriteProviderPath}};
constexpr std::array kOneModule = {kListOfOne, kModuleVersion};
constexpr std::array kSomeModules = {kListOfSome, kModuleVersion};
constexpr std::array kSomeProviders = {kProviderList, kProviderVersion};
constexpr std::array kPackages = {NeededField{"packages[].hashes[]", kHash,
                                              "leaves hashes out of the lock file", kWritePackages,
                                              Severity::kWarning}};

constexpr ToolRequest Discover(std::span<const NeededField> fields, std::string_view without) {
  return {"discovery document", "", kDiscovery, kOk200, fields, without};
}
constexpr ToolRequest ListModule(std::string_view base, std::span<const NeededField> fields) {
  return {"version list", base, kModuleList, kOk200, fields, kNoVersion};
}

// ---- Renovate: lib/modules/datasource/terraform-{module,provider}, manager/terraform/lockfile;
// /api/v1/renovate/ as a custom data source, which no other registry has.

constexpr std::array kRenovateReleases = {
    NeededField{"releases[].version", kVersion, kNoVersion, kWriteVersion},
    NeededField{"releases[].releaseTimestamp", kTime,
                "leaves an update pending for ever with minimumReleaseAge",
                "see docs/mirror.md#release-times", Severity::kWarning}};
constexpr std::array kRenovateDownload = {
    NeededField{"os", kText, "updates no lock file", "repeat the platform in the document"},
    NeededField{"arch", kText, "updates no lock file", "repeat the platform in the document"},
    NeededField{"filename", kText, "updates no lock file", "add the package's file name"},
    NeededField{"download_url", kUrl, "updates no lock file", kWriteAbsolute},
    NeededField{"shasums_url", kUrl, "updates no lock file", kWriteAbsolute}};
constexpr std::array kRenovateProviders = {
    kProviderList, kProviderVersion,
    NeededField{"versions[].platforms[].os", kText, "updates no lock file", kWritePlatforms},
    NeededField{"versions[].platforms[].arch", kText, "updates no lock file", kWritePlatforms}};
constexpr std::string_view kNoReleaseTimes =
    "has no release times, and leaves updates pending for ever with minimumReleaseAge";
constexpr std::array kRenovateOfModules = {
    Discover(kServiceOfModules, kNoModule),
    ListModule("modules.v1", kSomeModules),
    ToolRequest{"document for Renovate", "", "api/v1/renovate/modules/{host}/{address}", kOk200,
                kRenovateReleases, kNoReleaseTimes, Severity::kWarning},
};
constexpr std::array kRenovateOfProviders = {
    Discover(kServiceOfProviders, kNoProvider),
    ToolRequest{"version list", "providers.v1", kModuleList, kOk200, kRenovateProviders,
                kNoVersion},
    ToolRequest{"download document", "providers.v1", kProviderDownload, kOk200, kRenovateDownload,
                "updates no lock file"},
    ToolRequest{"SHA256SUMS", "shasums_url", "", kOk200, {}, "updates no lock file"},
    ToolRequest{"document for Renovate", "", "api/v1/renovate/providers/{host}/{address}", kOk200,
                kRenovateReleases, kNoReleaseTimes, Severity::kWarning},
};

// ---- Dependabot: {terraform,opentofu}/lib/dependabot/*/registry_client.rb

constexpr std::string_view kNoChanges = "shows no changes in its pull request";
constexpr std::array kDependabotGet = {
    NeededField{kGet, kAnyLocation, kNoChanges, kWriteGet, Severity::kFailure, kHeader}};
constexpr std::array kDependabotSource = {
    NeededField{"source", kUrl, kNoChanges, kWriteSource, Severity::kWarning}};
constexpr std::array kDependabotOfModules = {
    Discover(kJoinOfModules, kNoModule),
    ListModule("modules.v1", kSomeModules),
    ToolRequest{"download response", "modules.v1", kModuleDownload, kOk204, kDependabotGet,
                kNoChanges, Severity::kWarning},
};
constexpr std::array kDependabotOfProviders = {
    Discover(kJoinOfProviders, kNoProvider),
    ToolRequest{"version list", "providers.v1", kModuleList, kOk200, kSomeProviders, kNoVersion},
    ToolRequest{"details", "providers.v1", "{address}/{version}", kOk200, kDependabotSource,
                kNoChanges, Severity::kWarning},
    ToolRequest{"download document", "providers.v1", "{address}/{version}/download/linux/amd64",
                kOk200, kPackages, "leaves hashes out of the lock file", Severity::kWarning},
};

// ---- Terragrunt: internal/tf/getter.go, and internal/tf/cache, the provider cache

constexpr std::array kTerragruntGet = {
    NeededField{kGet, kAnyLocation, kNoArchive, kWriteGet, Severity::kFailure, kHeaderElseJson}};
constexpr std::string_view kNoCache = "does not fill its provider cache";
constexpr std::array kTerragruntProviders = {
    kProviderList, kProviderVersion,
    NeededField{"versions[].platforms[].os", kText, kNoCache, kWritePlatforms},
    NeededField{"versions[].platforms[].arch", kText, kNoCache, kWritePlatforms}};
constexpr std::array kTerragruntDownload = {
    NeededField{"filename", kText, kNoCache, "add the package's file name"},
    NeededField{"download_url", kText, kNoCache, kWriteAbsolute},
    NeededField{"shasums_url", kText, kNoCache, kWriteAbsolute},
    NeededField{"shasum", kText, kNoCache, "add the package's SHA-256"},
    NeededField{"packages[].hashes[]", kHash, "locks this platform alone", kWritePackages,
                Severity::kWarning}};
constexpr std::array kTerragruntOfModules = {
    Discover(kServiceOfModules, kNoModule),
    ListModule("modules.v1", kSomeModules),
    ToolRequest{"download response", "modules.v1", kModuleDownload, kOk200Or204, kTerragruntGet,
                kNoArchive},
};
constexpr std::array kTerragruntOfProviders = {
    Discover(kServiceOfProviders, kNoCache),
    ToolRequest{"version list", "providers.v1", kModuleList, kOk200, kTerragruntProviders,
                kNoCache},
    ToolRequest{"download document", "providers.v1", kProviderDownload, kOk200, kTerragruntDownload,
                kNoCache},
};

// ---- tfupdate: tfregistry/, lock/. It has no discovery: the services' paths are fixed.

constexpr std::array kTfupdateLock = {
    NeededField{"packages[].hashes[]", kLockHash, "needs --platform, and downloads every package",
                kWritePackages, Severity::kWarning},
    NeededField{"download_url", kUrl, "updates no lock file", kWriteAbsolute},
    NeededField{"shasum", kText, "updates no lock file", "add the package's SHA-256"}};
constexpr std::array kTfupdateOfModules = {
    ToolRequest{"version list", "", "v1/modules/{address}/versions", kOk200, kSomeModules,
                "finds no version: it has no discovery, and sends no token"}};
constexpr std::array kTfupdateOfProviders = {
    ToolRequest{"version list", "", "v1/providers/{address}/versions", kOk200, kSomeProviders,
                "finds no version: it has no discovery, and sends no token"},
    ToolRequest{"download document", "", "v1/providers/{address}/{version}/download/{os}/{arch}",
                kOk200, kTfupdateLock, "updates no lock file"},
};

// ---- updatecli: pkg/plugins/resources/terraform/registry. "https://HOST" is put before what
// discovery says.

constexpr std::array kUpdatecliService = {
    NeededField{"modules.v1", kServicePath, "requests a wrong URL", kWritePath}};
constexpr std::array kUpdatecliProviderService = {
    NeededField{"providers.v1", kServicePath, "requests a wrong URL", kWriteProviderPath}};
constexpr std::array kUpdatecliOfModules = {Discover(kUpdatecliService, kNoModule),
                                            ListModule("modules.v1", kOneModule)};
constexpr std::array kUpdatecliOfProviders = {
    Discover(kUpdatecliProviderService, kNoProvider),
    ToolRequest{"version list", "providers.v1", kModuleList, kOk200, kSomeProviders, kNoVersion},
};

// ---- Trivy: pkg/iac/scanners/terraform/parser/resolvers/registry.go

constexpr std::array kTrivyGet = {
    NeededField{kGet, kLocation, kNoArchive, kWriteGet, Severity::kFailure, kByStatus}};
constexpr std::array kTrivyOfModules = {
    Discover(kServiceOfModules, kNoModule),
    ListModule("modules.v1", kOneModule),
    ToolRequest{"download response", "modules.v1", kModuleDownload, kOk200Or204, kTrivyGet,
                kNoArchive},
};

// ---- Infracost: internal/hcl/modules/registry.go. Relative locations are resolved against the
// service, not against the request as by tofu and terraform.

constexpr std::array kInfracostGet = {
    NeededField{kGet, kLocation, kNoArchive, kWriteGet, Severity::kFailure, kHeader}};
constexpr std::array kInfracostOfModules = {
    Discover(kServiceOfModules, kNoModule),
    ListModule("modules.v1", kSomeModules),
    ToolRequest{"download response", "modules.v1", kModuleDownload, kOk200Or204, kInfracostGet,
                kNoArchive},
};

// ---- Checkov: checkov/terraform/module_loading/loaders/registry_loader.py, with TF_HOST_NAME. The
// host is put before a relative location.

constexpr std::array kCheckovGet = {
    NeededField{kGet, kHostLocation, kNoArchive, kWriteGet, Severity::kFailure, kHeader}};
constexpr std::array kCheckovOfModules = {
    Discover(kJoinOfModules, kNoModule),
    ListModule("modules.v1", kSomeModules),
    ToolRequest{"download response", "modules.v1", kModuleDownload, kOk200Or204, kCheckovGet,
                kNoArchive},
};

constexpr std::string_view kGo = "Go-http-client/1.1";
constexpr std::array kTools = {
    Tool{"renovate", "Renovate", "RenovateBot/44 (https://github.com/renovatebot/renovate)",
         "application/json", ToolToken::kAll, kRenovateOfModules, kRenovateOfProviders},
    Tool{"dependabot", "Dependabot", "dependabot-core", "", ToolToken::kAll, kDependabotOfModules,
         kDependabotOfProviders},
    Tool{"terragrunt", "Terragrunt", kGo, "", ToolToken::kAll, kTerragruntOfModules,
         kTerragruntOfProviders},
    Tool{"tflint", "TFLint", "", "", ToolToken::kNone, {}, {}},
    Tool{"tfupdate", "tfupdate", kGo, "", ToolToken::kNone, kTfupdateOfModules,
         kTfupdateOfProviders},
    Tool{"updatecli", "updatecli", kGo, "", ToolToken::kNone, kUpdatecliOfModules,
         kUpdatecliOfProviders},
    Tool{"trivy", "Trivy", "trivy", "", ToolToken::kServices, kTrivyOfModules, {}},
    Tool{"infracost", "Infracost", kGo, "", ToolToken::kAll, kInfracostOfModules, {}},
    Tool{"checkov",
         "Checkov",
         "python-requests/2",
         "*/*",
         ToolToken::kServices,
         kCheckovOfModules,
         {}},
};

}  // namespace

std::span<const Tool> Tools() { return kTools; }

const Tool* FindTool(std::string_view name) {
  auto found = std::ranges::find(kTools, name, &Tool::name);
  return found == kTools.end() ? nullptr : &*found;
}

}  // namespace koya::doctor
