#include "api/common/call.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/clock.h"
#include "base/encoding.h"
#include "base/text.h"
#include "domain/host_name.h"
#include "domain/module_address.h"
#include "domain/provider_address.h"
#include "domain/version.h"
#include "service/access/namespaces.h"
#include "service/providers/provider_comparison.h"
#include "service/sign_in/first_run.h"

namespace koya::api {
namespace {

// The same failure as a look-up that finds nothing: reading asks "is it there?".
Failure AsNotFound(Error error) {
  return Fail(ErrorKind::kNotFound, std::move(error.message), std::move(error.detail));
}

// The position of `name` among the {names} of a pattern. REQUIRES: the pattern has it.
std::size_t PositionOf(std::string_view pattern, PathName name) {
  std::size_t position = 0;
  for (std::size_t at = pattern.find('{'); at != pattern.npos; at = pattern.find('{', at + 1)) {
    std::string_view found = pattern.substr(at + 1, pattern.find('}', at) - at - 1);
    if (found.ends_with("...")) found.remove_suffix(3);
    if (found == name.text()) return position;
    ++position;
  }
  throw std::logic_error(fmt::format("the route {} has no {{{}}}", pattern, name.text()));
}

}  // namespace

service::Reading Call::BeginReading() const {
  auto has_left = [client = exchange.client] { return http::HasLeft(client); };
  return {services.readers, exchange.request.remote, std::move(has_left)};
}

std::string_view Services::host() const {
  std::string_view rest = url;
  return rest.substr(rest.find("://") + 3);
}

std::string Services::SiteName() const {
  if (!site.name.empty()) return site.name;
  std::string chosen = sign_in.first_run.SiteName();
  return chosen.empty() ? std::string(host()) : chosen;
}

bool Services::IsOwn(const HostName& name) const {
  return std::ranges::find(own_names, name) != own_names.end();
}

std::vector<HostName> Services::Names() const {
  std::vector<HostName> names = own_names;
  Result<HostName> here = HostName::ParseWire(host());
  if (here && std::ranges::find(names, *here) == names.end()) names.push_back(*std::move(here));
  return names;
}

std::string_view Call::path(PathName name) const {
  return exchange.parameters[PositionOf(pattern, name)];
}

ReadableNamespaces Call::Readable() const {
  ReadableNamespaces readable = principal.Readable(services.rights.namespaces.unrecorded());
  readable.mirrored = principal.MayRead("", services.access.mirror);
  return readable;
}

Result<ModuleAddress> Call::ModuleFromPath() const {
  auto address = ModuleAddress::FromParts(path("namespace"), path("name"), path("system"));
  if (!address) return AsNotFound(std::move(address).error());
  return address;
}

Result<ProviderAddress> Call::ProviderFromPath() const {
  auto address = ProviderAddress::FromParts(path("namespace"), path("type"));
  if (!address) return AsNotFound(std::move(address).error());
  return address;
}

Result<Version> Call::VersionFromPath() const {
  auto version = Version::ParseLookup(path("version"));
  if (!version) return AsNotFound(std::move(version).error());
  return version;
}

OfflineRules::Held OfflineRules::held() const {
  const std::chrono::nanoseconds silence = silent_for();
  if (silence == std::chrono::nanoseconds::zero()) return Held::kConfirmed;
  return silence <= serve_stale ? Held::kMarked : Held::kTooOld;
}

Task<std::string> ReadSmallBody(ByteSource& body, std::uint64_t most) {
  std::string text;
  while (true) {
    ASSIGN_OR_CO_RETURN(std::span<const std::byte> bytes, co_await body.Read());
    if (bytes.empty()) co_return text;
    if (text.size() + bytes.size() > most) {
      co_return FailLimit(ErrorKind::kTooLarge, "fixed.request_document_bytes",
                          fmt::format("the request's body is larger than {}", FormatSize(most)));
    }
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
}

Result<std::string> ReadBreakGlass(const Call& call) {
  constexpr std::size_t kLongestReason = 256;  // as the audit log keeps texts
  std::string reason = PercentDecode(call.request().Get("Koya-Break-Glass"));
  if (reason.size() <= kLongestReason && IsPlainText(reason)) return reason;
  return FailInvalid(
      "the reason to break the glass is plain text of at most {} bytes (Koya-Break-Glass, "
      "percent-encoded)",
      kLongestReason);
}

}  // namespace koya::api
