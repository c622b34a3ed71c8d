// Who has which role where, and why somebody may do something, for administrators.
//
// Each page is a struct and a function that renders it. Texts may be anything: they are escaped,
// isolated and made well-formed. Pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "domain/namespace_record.h"
#include "domain/visibility.h"
#include "web/form_parts.h"
#include "web/page_frame.h"
#include "web/refusal.h"
#include "web/view_parts.h"

namespace koya::web {

// What may be asked of somebody's rights: the fields of the form.
struct WhyQuestion {
  enum class Kind { kUser, kService, kStranger };
  enum class Deed { kRead, kPublish, kOwn, kEverything };

  std::string who;  // as typed
  Kind kind = Kind::kUser;
  Deed deed = Deed::kRead;
  std::string ns;  // as typed
};

// GET /-/admin/grants?q=&page=, and POST: fields ns, kind, grantee, role. REQUIRES: frame.csrf.
struct AdminGrantsPage {
  static constexpr std::size_t kMostNamespaces = 20;
  static constexpr std::size_t kMostColumns = 6;  // groups
  static constexpr std::size_t kMostOthers = 5;   // users and services of a namespace

  struct Row {
    std::string ns;
    std::string title = {};  // as its owners write it; "": none
    Visibility visibility = Visibility::kPrivate;
    std::vector<GrantRecord> grants;  // all of the namespace
  };

  std::string query;      // a part of the namespaces' names
  std::vector<Row> rows;  // kMostNamespaces at most
  ListPart part;
  // Of the form that gives a role, as typed: POST to the same path.
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
    std::string name;  // as the account is called
    std::string ns;    // as the namespace is called
    bool has_namespace = true;
    Visibility visibility = Visibility::kPrivate;
    std::vector<GrantRecord> grants;  // by which it is so, or that are not enough
  };
  static constexpr std::size_t kMostGrants = 20;

  WhyQuestion question;
  Refusal problem;  // with the question; empty: nothing
  std::optional<Answer> answer;
};
std::string RenderAdminWhy(const PageFrame& frame, const AdminWhyPage& page);

}  // namespace koya::web
