// What pages of a provider that is published here are filled with.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/namespace_owners.h"
#include "domain/provider_docs_record.h"
#include "domain/provider_record.h"
#include "domain/signing_key_record.h"

namespace koya::http {
struct Response;
}
namespace koya::web {
struct ProviderHead;
struct ProviderPage;
struct ShownKey;
}  // namespace koya::web

namespace koya::api {

struct Call;
struct Services;

// A provider as it is here, and one version of it.
struct ProviderView {
  ProviderAddress address;
  std::vector<ReleaseSummary> releases;  // newest first
  Version latest;
  ProviderRelease release;  // the version that is shown
  DocsSummary docs;
  std::string description;
  std::vector<SigningKeyRecord> keys;  // of the namespace
  NamespaceOwners owners = {};         // of it; nobody, for who may not know
  // nullptr: it is not known any more
  const SigningKeyRecord* KeyOf(const std::string& fingerprint) const;
  const SigningKeyRecord* SignedBy() const;  // the version that is shown; likewise
};

// {namespace}, and {type} or, where the pattern ends with it, `type` without the ending of a twin.
// Fails: kNotFound.
Result<ProviderAddress> ProviderOfPage(const Call& call, std::string_view type);

// The version that "latest", a version or nothing names. Fails: kNotFound: no version is spelled
// so.
Result<std::optional<Version>> VersionOfPage(std::string_view text);

// `version`: nothing for the latest. Fails: kNotFound: the provider, or that version, is not here.
Task<ProviderView> ReadProviderView(Call& call, ProviderAddress address,
                                    std::optional<Version> version);

// Without the number of fetches.
web::ProviderHead HeadOf(const ProviderView& view, UnixSeconds now);
web::ShownKey ShownKeyOf(const SigningKeyRecord& key, const std::vector<ReleaseSummary>& releases);
// The overview.
web::ProviderPage OverviewOf(const Services& services, const ProviderView& view);

// What a configuration says to have this version: the newest takes what comes after it, too.
std::string ConstraintFor(const Version& version, bool is_latest);

// The few versions that menus and matrices show of many, the newest of each minor number, with
// `shown` among them. `versions`: newest first; places in it are returned.
std::vector<std::size_t> FewOf(const std::vector<Version>& versions, const Version& shown,
                               std::size_t most);

// What is answered when the provider is here and `wanted` is not one of its versions: a page with
// 404, or 410 for what was withdrawn. Fails: kNotFound: the provider is not here.
Task<http::Response> AnswerMissingVersion(Call& call, ProviderAddress address, std::string wanted);

}  // namespace koya::api
