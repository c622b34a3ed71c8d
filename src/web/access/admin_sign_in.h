// Renders the administrator's pages of sign-in providers and their tests.
//
// Each page is a struct and a function that renders it. Texts may be anything: they are escaped,
// isolated and made well-formed. Pure and thread-safe.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "domain/identity_record.h"
#include "web/common/form_parts.h"
#include "web/common/page_frame.h"
#include "web/common/refusal.h"

namespace koya::web {

// GET /-/admin/sign-in, and POST: a new one. REQUIRES: frame.csrf.
struct AdminProvidersPage {
  std::vector<IdentityProviderRecord> providers = {};  // IdentityProviders::kMostProviders at most
  // Fields of the form, as typed; client_secret, which is never shown again, is another. `groups`
  // has a line THEIRS=OURS for each mapped group.
  std::string name = {}, issuer = {}, client_id = {}, groups_claim = {}, groups = {};
  FormErrors errors = {};
};
std::string RenderAdminProviders(const PageFrame& frame, const AdminProvidersPage& page);

// GET /-/admin/sign-in/{name}; POST to the same path tests the provider and enables a good one;
// with the field do=disable, disables it. REQUIRES: frame.csrf.
struct AdminProviderPage {
  struct Finding {
    bool good = false;
    std::string text;  // in English
  };
  static constexpr std::size_t kMostMappings = 50;

  IdentityProviderRecord provider;  // kMostMappings of its groups are shown
  std::string callback;             // where it sends users back to
  bool is_tested = false;
  std::vector<Finding> findings;
};
std::string RenderAdminProvider(const PageFrame& frame, const AdminProviderPage& page);

// Result of a trial sign-in, which creates no session.
struct AdminTrialPage {
  static constexpr std::size_t kMostGroups = 50;

  std::string provider;
  Refusal problem;  // why it failed; empty: it succeeded
  std::string wanted_name;
  std::vector<std::pair<std::string, std::string>> claims;
  std::vector<std::string> theirs;  // the provider's groups, kMostGroups at most
  std::vector<std::string> groups;  // resulting groups here, kMostGroups at most
  bool has_groups_claim = false;
};
std::string RenderAdminTrial(const PageFrame& frame, const AdminTrialPage& page);

}  // namespace koya::web
