#include <fmt/format.h>

#include "api/documents.h"
#include "api/handlers.h"
#include "api/query.h"
#include "base/text.h"
#include "domain/topic.h"
#include "service/module_comparison.h"
#include "wire/comparison.h"

namespace koya::api {
namespace {

struct ComparedVersions {
  Version from;
  Version to;

  // Lenient spellings lead to one document.
  std::string Variant() const { return from.ToString() + " " + to.ToString(); }
};

Result<Version> ReadComparedVersion(const http::Request& request, std::string_view name) {
  ASSIGN_OR_RETURN(std::optional<std::string> text, QueryParameter(request.query, name));
  if (!text || text->empty()) {
    return Fail(
        ErrorKind::kInvalid,
        fmt::format("the parameter \"{}\" is missing: it is the version to compare {}, as in "
                    "?from=1.0.0&to=1.1.0",
                    name, name == "from" ? "from" : "with"));
  }
  Result<Version> version = Version::ParseLookup(*text);
  if (version) return version;
  return Fail(ErrorKind::kInvalid,
              fmt::format("the parameter \"{}\" is no version: {}", name, version.error().message));
}

Result<ComparedVersions> ReadComparedVersions(const http::Request& request) {
  ASSIGN_OR_RETURN(Version from, ReadComparedVersion(request, "from"));
  ASSIGN_OR_RETURN(Version to, ReadComparedVersion(request, "to"));
  return ComparedVersions{std::move(from), std::move(to)};
}

Task<Rendering> RenderModuleDiff(Call& call) {
  ASSIGN_OR_CO_RETURN(ModuleAddress address, call.ModuleFromPath());
  ASSIGN_OR_CO_RETURN(ComparedVersions versions, ReadComparedVersions(call.request()));
  Rendering rendering{.topic = ModuleTopic(address)};
  ASSIGN_OR_CO_RETURN(service::SharedComparison comparison,
                      co_await call.services.comparison.Compare(
                          std::move(address), std::move(versions.from), std::move(versions.to)));
  rendering.weight = comparison->changes.size();
  rendering.encode = [comparison = std::move(comparison)](const Links& /*links*/) {
    return wire::EncodeComparison(*comparison);
  };
  co_return rendering;
}

}  // namespace

Task<http::Response> GetModuleDiff(Call& call) {
  ASSIGN_OR_CO_RETURN(ComparedVersions versions, ReadComparedVersions(call.request()));
  const std::string variant = versions.Variant();
  co_return co_await CachedDocument(call, variant, RenderModuleDiff);
}

std::optional<http::Response> KeptModuleDiff(const http::Exchange& exchange, Services& services) {
  Result<ComparedVersions> versions = ReadComparedVersions(exchange.request);
  if (!versions) return std::nullopt;
  return KeptDocument(exchange, services, versions->Variant());
}

}  // namespace koya::api
