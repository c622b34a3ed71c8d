// Renders the administrator's pages of grants: the roles in each namespace, and why a caller has a
// permission.
//
// Each page is a struct and a function that renders it. Texts may be anything: they are escaped,
// isolated and made well-formed. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/access.h"
#include "domain/namespace_record.h"
#include "web/common/form_parts.h"
#include "web/common/page_frame.h"
#include "web/common/refusal.h"
#include "web/common/view.h"

namespace koya::web {

// A question about a caller's permissions: the fields of the form.
struct WhyQuestion {
  enum class Kind { kUser, kService, kStranger };
  enum class Permission { kRead, kPublish, kOwn, kEverything };

  std::string who;  // as typed
  Kind kind = Kind::kUser;
  Permission deed = Permission::kRead;
  std::string ns;  // as typed
};

// GET /-/admin/grants?q=&page=, and POST: fields ns, kind, grantee, role. REQUIRES: frame.csrf.
struct AdminGrantsPage {
  static constexpr std::size_t kMostNamespaces = 20;
  static constexpr std::size_t kMostGrants = 24;  // of a namespace; its page People has all

  struct Row {
    std::string ns;
    std::string title = {};  // written by its owners; "": none
    Visibility visibility = Visibility::kPrivate;
    std::vector<GrantRecord> grants;  // all of the namespace
  };

  std::string query;      // a substring of namespace names
  std::vector<Row> rows;  // kMostNamespaces at most
  ListPart part;
  // Fields of the form that grants a role, as typed: POST to the same path.
  std::string ns, kind, grantee, role;
  FormErrors errors;
};
std::string RenderAdminGrants(const PageFrame& frame, const AdminGrantsPage& page);

// /-/admin/grants/why?who=&kind=&may=&ns=
struct AdminWhyPage {
  enum class Reason {
    kDisabled,
    kAdministrator,
    kPublic,
    kInternal,
    kGrant,
    kTooLittle,
    kNothing,
    kStranger,
    kNotEverything,
  };
  struct Answer {
    bool may = false;
    Reason reason = Reason::kNothing;
    std::string name;  // the account's name
    std::string ns;    // the namespace's name
    bool has_namespace = true;
    Visibility visibility = Visibility::kPrivate;
    std::vector<GrantRecord> grants;  // those that permit it, or do not suffice
  };
  static constexpr std::size_t kMostGrants = 20;

  WhyQuestion question;
  Refusal problem;  // with the question; empty: nothing
  std::optional<Answer> answer;
};
std::string RenderAdminWhy(const PageFrame& frame, const AdminWhyPage& page);

}  // namespace koya::web
