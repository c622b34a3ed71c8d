// Data of the pages of a provider.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/namespace_record.h"
#include "domain/provider_docs_record.h"
#include "domain/provider_record.h"
#include "domain/signing_key_record.h"
#include "web/common/view.h"

namespace koya::http {
struct Response;
}

namespace koya::web {
struct ProviderHead;
struct ProviderPage;
struct ShownKey;
}  // namespace koya::web

namespace koya {
struct DocName;
}

namespace koya::service {
struct DocEntry;
}

namespace koya::web {
struct DocIndexEntry;
struct ProviderDocsPage;
}  // namespace koya::web

namespace koya::api {

struct Call;
struct Services;

// A provider published here, and one version of it.
struct ProviderView {
  ProviderAddress address;
  std::vector<ReleaseSummary> releases;  // newest first
  Version latest;
  ProviderRelease release;  // the version that is shown
  DocsSummary docs;
  std::string description;
  std::vector<SigningKeyRecord> keys;  // of the namespace
  NamespaceOwners owners = {};         // of the namespace; empty for callers who may not know
  std::optional<Visibility> visibility = {};  // VisibilityBadge
  web::VersionRights rights = {};
  // nullptr: the key is no longer known.
  const SigningKeyRecord* KeyOf(const std::string& fingerprint) const;
  const SigningKeyRecord* SignedBy() const;  // the version that is shown; likewise
};

// The provider in {namespace} and {type} or, where the pattern ends with it, `type` without the
// ending of a twin. Fails: kNotFound.
Result<ProviderAddress> ProviderOfPage(const Call& call, std::string_view type);

// Parses a version; nullopt for "latest" or "". Fails: kNotFound: `text` cannot be a version.
Result<std::optional<Version>> VersionOfPage(std::string_view text);

// `version`: nullopt for the latest. Fails: kNotFound: the provider, or that version, does not
// exist.
Task<ProviderView> ReadProviderView(Call& call, ProviderAddress address,
                                    std::optional<Version> version);

// Without the number of fetches.
web::ProviderHead HeadOf(const ProviderView& view, UnixSeconds now);
web::ShownKey ShownKeyOf(const SigningKeyRecord& key, const std::vector<ReleaseSummary>& releases);
// The overview page.
web::ProviderPage OverviewOf(const Services& services, const ProviderView& view);

// The constraint that selects this version in a configuration: for the newest it allows later
// versions, too.
std::string ConstraintFor(const Version& version, bool is_latest);

// The few versions that menus and matrices show of many: the newest of each minor number, and
// `shown`. `versions`: newest first; returns indexes into it.
std::vector<std::size_t> FewOf(const std::vector<Version>& versions, const Version& shown,
                               std::size_t most);

// The page for a version `wanted` that the provider does not have: 404, or 410 if it was withdrawn.
// Fails: kNotFound: the provider is not here.
Task<http::Response> AnswerMissingVersion(Call& call, ProviderAddress address, std::string wanted);

// ---- documentation pages, of providers that are published here and of mirrored ones

struct Call;

// Query of a documentation page.
struct DocsQuestion {
  std::string filter;
  std::string group;

  bool IsAboutList() const { return !filter.empty() || !group.empty(); }
};
// Fails: kInvalid.
Result<DocsQuestion> ReadDocsQuestion(const Call& call);

std::vector<web::DocIndexEntry> EntriesOf(std::vector<service::DocEntry> index);

// "/docs/resources/thing": the part after the version in the path of a page.
std::string EndOf(const DocName& name);

// The name by which modules use the subject of a page: "demo_thing". `item`: its name in the
// schema, if known; `type`: of the provider. "" for subjects that modules do not use by name.
std::string UsedTypeOf(const DocName& name, std::string item, std::string_view type);

// Adds the modules published here that use `used_type`, in themselves or in a submodule, and that
// the reader may know of, the most recently published first. Adds none if the search fails: the
// page does without.
Task<void> FillUsers(Call& call, std::string used_type, web::ProviderDocsPage& page);

// The name of the page at {kind} and `name`; below "cdktf" that is the overview of a language.
DocName DocNameOf(const Call& call, std::string_view name);

}  // namespace koya::api
