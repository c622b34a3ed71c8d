// Addresses of the mirror's two faces, /mirror/ and /origin/.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "wire/attachment.h"

namespace koya {
struct UpstreamModule;
struct UpstreamModuleVersion;
struct UpstreamProvider;
struct UpstreamRelease;
class Version;
}  // namespace koya

namespace koya::web {
struct ShownHold;
}  // namespace koya::web

namespace koya::api {

struct Call;
struct Rendering;
struct Services;

// The provider in {hostname}, {namespace} and {type}; the host in Unicode or punycode. Fails:
// kNotFound: an address that cannot exist does not exist.
Result<UpstreamProvider> MirroredProviderFromPath(const Call& call);

// The module in {hostname}, {namespace}, {name} and {system}. Fails: likewise.
Result<UpstreamModule> MirroredModuleFromPath(const Call& call);

// The mark of each version of another registry that the policy stops; nullopt: it lets it through.
// Reads the catalog alone. Fails: as the catalog.
using ShownHolds = std::vector<std::optional<web::ShownHold>>;
Task<ShownHolds> FindHolds(Call& call, UpstreamProvider provider, std::vector<Version> versions);
// The same of one version; `address`: "registry.example.org/acme/demo". nullopt, too, for an
// address or a version that cannot be read.
Task<std::optional<web::ShownHold>> FindHold(Call& call, bool is_module, std::string address,
                                             std::string version);

// "https://HOST/mirror/registry.example.org/acme/demo/1.0.0/FILE", each part percent-encoded.
std::string MirrorFileUrl(std::string_view base_url, const UpstreamRelease& release,
                          std::string_view file);

// The attachments of a release as documents list them:
// "https://HOST/origin/registry.example.org/v1/providers/acme/demo/1.0.0/attachments/NAME".
std::vector<wire::Attachment> ListAttachments(std::string_view base_url,
                                              const UpstreamRelease& release);

// "https://HOST/origin/registry.example.org/v1/modules/acme/vpc/aws/1.0.0/acme-vpc-aws-1.0.0.tar.gz"
// with the checksum that clients verify.
std::string MirroredModuleLocation(std::string_view base_url, const UpstreamModuleVersion& version);

// Marks the response of a list with its age: cacheable until it must be checked again or the policy
// may let another version through, and with a warning when upstream fails (RFC 7234 §5.5.1).
struct ListAge {
  bool stale = false;
  UnixSeconds checked_at = 0;
  std::chrono::seconds freshness{0};
  std::optional<UnixSeconds> changes_at = {};  // time alone may change the list then
};
void MarkAge(const Services& services, const ListAge& age, Rendering& rendering);

}  // namespace koya::api
