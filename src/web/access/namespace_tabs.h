// Renders the owners' pages of a namespace: people and groups, signing keys, trusted CI, settings,
// and activity. All readers of the namespace may see the keys. Each page is a struct and a function
// that renders it; texts may be anything. Pure and thread-safe. REQUIRES of pages with a form:
// frame.csrf.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "domain/access.h"
#include "domain/audit_record.h"
#include "domain/credential_record.h"
#include "domain/identity_record.h"
#include "domain/namespace_record.h"
#include "domain/signing_key_record.h"
#include "domain/version_step.h"
#include "web/common/form_parts.h"
#include "web/common/page_frame.h"
#include "web/common/view.h"

namespace koya::web {

// ---- the head of all pages of a namespace: its name and title, its visibility, and links to its
// other pages

enum class NamespaceTab { kPackages, kKeys, kPeople, kPublishing, kSettings, kUsage, kActivity };

struct NamespaceHead {
  std::string name;  // as it is shown
  Visibility visibility = Visibility::kPublic;
  bool is_owner = false;        // the reader; pages of owners are hidden from others
  std::string title = {};       // written by its owners; "": none
  NamespaceOwners owners = {};  // empty where they are hidden: see ADR 74
};
void AddNamespaceHead(View& view, const NamespaceHead& head, NamespaceTab tab);

// "/namespaces/acme/people", "/namespaces/acme/keys/FINGERPRINT/remove".
std::string NamespaceTabPath(std::string_view ns, std::string_view rest);

// ---- the pages

// GET and POST /namespaces/NS/people; fields kind, grantee, role.
struct PeoplePage {
  NamespaceHead head;
  std::vector<GrantRecord> grants = {};
  std::size_t left_out = 0;
  std::string kind = {};     // as typed before, like the next two: a GranteeKindName
  std::string grantee = {};  // its name
  std::string role = {};     // a RoleName
  FormErrors errors = {};
};
std::string RenderPeople(const PageFrame& frame, const PeoplePage& page);

// GET and POST /namespaces/NS/keys; field key.
struct NamespaceKeysPage {
  NamespaceHead head;
  std::vector<SigningKeyRecord> keys = {};  // active ones first
  std::size_t left_out = 0;
  std::string key = {};  // as typed before
  FormErrors errors = {};
  UnixSeconds now = 0;
};
std::string RenderNamespaceKeys(const PageFrame& frame, const NamespaceKeysPage& page);

// GET and POST /namespaces/NS/publishing; fields forge (github, gitlab, other), project, ref,
// environment, issuer, claims, own_issuer ("yes").
struct ShownTrust {
  TrustRecord record;
  bool any_ref = false;  // jobs on any branch and tag, in any environment
};
struct PublishingPage {
  NamespaceHead head;
  PublishRule rule = PublishRule::kAny;
  std::vector<ShownTrust> trust = {};
  std::vector<TokenRecord> tokens = {};  // of jobs, not expired
  std::string forge = {};                // as typed before, like all that follow
  std::string project = {};
  std::string ref = {};
  std::string environment = {};
  std::string issuer = {};
  std::string claims = {};  // one a line
  bool own_issuer = false;
  FormErrors errors = {};
};
std::string RenderPublishing(const PageFrame& frame, const PublishingPage& page);
// Short name of a trusted party: the project, else the first rule.
std::string TrustedName(const TrustRecord& trust);

// GET and POST /namespaces/NS/settings; fields title, description, visibility, semver,
// publish.
struct NamespaceSettingsPage {
  NamespaceHead head;
  std::string visibility = {};  // as typed, or the current one: a VisibilityName
  std::string semver = {};      // a SemverRuleName, or "default"
  std::string publish = {};     // a PublishRuleName
  std::string title = {};       // likewise, and the next
  std::string description = {};
  UnixSeconds created_at = 0;
  std::string created_by = {};
  FormErrors errors = {};
};
std::string RenderNamespaceSettings(const PageFrame& frame, const NamespaceSettingsPage& page);

// GET /namespaces/NS/activity.
struct ActivityPage {
  NamespaceHead head;
  std::vector<AuditRecord> entries = {};  // newest first
  std::optional<AuditKind> kind = {};     // the filter; nullopt: all
  std::string older = {};                 // the path to older entries; "": none
  bool is_beginning = true;               // false: newer entries are left out
};
std::string RenderActivity(const PageFrame& frame, const ActivityPage& page);

// GET /namespaces/NS/usage: how far the consumers of its packages are behind.
struct NamespaceUsagePage {
  static constexpr std::uint64_t kSize = 50;

  struct Row {
    std::string name;     // of the consumer
    std::string sent_by;  // the principal, if `name` is its label
    std::string address;  // of the package
    std::string package_path;
    std::string version;  // the newest that the consumer fetched
    std::string latest;
    std::uint64_t behind = 0;       // releases
    std::uint64_t days_behind = 0;  // since the first release that the consumer lacks
  };
  NamespaceHead head;
  std::uint64_t days = 30;
  bool is_counted = true;
  UnixSeconds counted_since = 0;  // 0: nothing was counted
  bool is_partial = false;
  std::uint64_t behind_median = 0;
  std::uint64_t behind_p90 = 0;
  std::uint64_t days_median = 0;
  std::uint64_t days_p90 = 0;
  std::vector<Row> rows = {};  // of this part, furthest behind first
  ListPart part = {.size = kSize};
};
std::string RenderNamespaceUsage(const PageFrame& frame, const NamespaceUsagePage& page);

}  // namespace koya::web
