#include <algorithm>
#include <utility>

#include "api/common/admin_answer.h"
#include "api/common/paging.h"
#include "base/text.h"
#include "domain/account_record.h"
#include "domain/name_rules.h"
#include "service/access/access_explanation.h"
#include "service/access/namespace_admin.h"
#include "web/access/admin_grants.h"

namespace koya::api {
namespace {

using service::AccessExplanation;
using web::AdminWhyPage;
using web::WhyQuestion;

// Keeps the namespaces whose names contain `query`, in any letter case.
void KeepNamed(std::vector<NamespaceRecord>& namespaces, std::string_view query) {
  const std::string wanted = AsciiLower(query);
  std::erase_if(namespaces, [&wanted](const NamespaceRecord& each) {
    return !AsciiLower(each.name).contains(wanted);
  });
}

Task<std::vector<web::AdminGrantsPage::Row>> ReadGrantRows(
    Call& call, std::vector<NamespaceRecord> namespaces) {
  std::vector<web::AdminGrantsPage::Row> rows;
  for (NamespaceRecord& each : namespaces) {
    web::AdminGrantsPage::Row row{.ns = each.name,
                                  .title = std::move(each.words.title),
                                  .visibility = each.visibility,
                                  .grants = {}};
    ASSIGN_OR_CO_RETURN(row.grants, co_await call.services.rights.namespace_admin.ListGrants(
                                        call.principal, std::move(each.name)));
    rows.push_back(std::move(row));
  }
  co_return rows;
}

Task<std::string> ShowGrants(AdminPage& page) {
  web::AdminGrantsPage shown{.ns = page.form.Get("ns"),
                             .kind = page.form.Get("kind"),
                             .grantee = page.form.Get("grantee"),
                             .role = page.form.Get("role"),
                             .errors = page.errors};
  ASSIGN_OR_CO_RETURN(shown.query, TypedParameter(page.call, "q"));
  ASSIGN_OR_CO_RETURN(std::uint64_t number, ReadPageNumber(page.call.request()));
  ASSIGN_OR_CO_RETURN(std::vector<NamespaceRecord> namespaces,
                      co_await page.services.rights.namespace_admin.List(page.by));
  KeepNamed(namespaces, shown.query);
  shown.part = KeepPart(namespaces, number, web::AdminGrantsPage::kMostNamespaces);
  ASSIGN_OR_CO_RETURN(shown.rows, co_await ReadGrantRows(page.call, std::move(namespaces)));
  co_return web::RenderAdminGrants(page.visit.Frame(), shown);
}

Task<Outcome> GiveAnyRole(AdminPage& page) {
  const std::optional<GranteeKind> kind = ChosenGrantee(page.form.Get("kind"));
  const std::optional<Role> role = ParseRole(page.form.Get("role"));
  if (!ParseNamespaceName(page.form.Get("ns"))) page.errors.Add("ns", "no_such_namespace");
  if (!kind) page.errors.Add("kind", "unknown_choice");
  if (page.form.Get("grantee").empty()) page.errors.Add("grantee", "required");
  if (!role) page.errors.Add("role", "unknown_choice");
  if (!page.errors.empty()) co_return kFormAgain;
  service::Grantee grantee{
      .ns = page.form.Get("ns"), .kind = *kind, .name = page.form.Get("grantee")};
  Result<GrantRecord> given =
      co_await page.services.rights.namespace_admin.PutGrant(page.by, std::move(grantee), *role);
  if (!given) co_return page.Reject("grantee", given.error());
  page.LogInNamespace(given->ns, "role granted", given->grantee);
  co_return page.Done(web::PathWith("/-/admin/grants", "q", given->ns), "role_given",
                      given->grantee);
}

// ---- why

Failure NoSuchChoice(std::string_view name, std::string_view choices) {
  return Fail(ErrorKind::kInvalid,
              "the parameter \"" + std::string(name) + "\" must be one of " + std::string(choices));
}

Result<WhyQuestion::Kind> ParseWhyKind(std::string_view text) {
  if (text.empty() || text == "user") return WhyQuestion::Kind::kUser;
  if (text == "service") return WhyQuestion::Kind::kService;
  if (text == "stranger") return WhyQuestion::Kind::kStranger;
  return NoSuchChoice("kind", "user, service and stranger");
}

Result<WhyQuestion::Permission> ParseDeed(std::string_view text) {
  if (text.empty() || text == "read") return WhyQuestion::Permission::kRead;
  if (text == "publish") return WhyQuestion::Permission::kPublish;
  if (text == "own") return WhyQuestion::Permission::kOwn;
  if (text == "everything") return WhyQuestion::Permission::kEverything;
  return NoSuchChoice("may", "read, publish, own and everything");
}

Result<WhyQuestion> ReadWhyQuestion(const Call& call) {
  WhyQuestion question;
  ASSIGN_OR_RETURN(std::string kind, TypedParameter(call, "kind"));
  ASSIGN_OR_RETURN(std::string deed, TypedParameter(call, "may"));
  ASSIGN_OR_RETURN(question.who, TypedParameter(call, "who"));
  ASSIGN_OR_RETURN(question.ns, TypedParameter(call, "ns"));
  ASSIGN_OR_RETURN(question.kind, ParseWhyKind(kind));
  ASSIGN_OR_RETURN(question.deed, ParseDeed(deed));
  return question;
}

service::Permission DeedOf(WhyQuestion::Permission deed) {
  switch (deed) {
    case WhyQuestion::Permission::kRead:
      return service::Permission::kRead;
    case WhyQuestion::Permission::kPublish:
      return service::Permission::kPublish;
    case WhyQuestion::Permission::kOwn:
      return service::Permission::kOwn;
    case WhyQuestion::Permission::kEverything:
      break;
  }
  return service::Permission::kEverything;
}

service::AccessQuestion AccessQuestionOf(const WhyQuestion& asked) {
  service::AccessQuestion question{.who = std::nullopt, .deed = DeedOf(asked.deed), .ns = asked.ns};
  if (asked.kind != WhyQuestion::Kind::kStranger) {
    const bool of_user = asked.kind == WhyQuestion::Kind::kUser;
    question.who = service::AccessQuestion::Who{
        .kind = of_user ? AccountKind::kUser : AccountKind::kService, .name = asked.who};
  }
  return question;
}

AdminWhyPage::Reason ReasonOf(AccessExplanation::Reason reason) {
  switch (reason) {
    case AccessExplanation::Reason::kDisabled:
      return AdminWhyPage::Reason::kDisabled;
    case AccessExplanation::Reason::kAdministrator:
      return AdminWhyPage::Reason::kAdministrator;
    case AccessExplanation::Reason::kPublic:
      return AdminWhyPage::Reason::kPublic;
    case AccessExplanation::Reason::kInternal:
      return AdminWhyPage::Reason::kInternal;
    case AccessExplanation::Reason::kGrant:
      return AdminWhyPage::Reason::kGrant;
    case AccessExplanation::Reason::kTooLittle:
      return AdminWhyPage::Reason::kTooLittle;
    case AccessExplanation::Reason::kNothing:
      return AdminWhyPage::Reason::kNothing;
    case AccessExplanation::Reason::kStranger:
      return AdminWhyPage::Reason::kStranger;
    case AccessExplanation::Reason::kNotEverything:
      break;
  }
  return AdminWhyPage::Reason::kNotEverything;
}

AdminWhyPage::Answer WhyAnswerOf(AccessExplanation told) {
  return {.may = told.may,
          .reason = ReasonOf(told.reason),
          .name = std::move(told.name),
          .ns = std::move(told.ns),
          .has_namespace = told.has_namespace,
          .visibility = told.visibility,
          .grants = std::move(told.grants)};
}

bool IsOfTheQuestion(ErrorKind kind) {
  return kind == ErrorKind::kInvalid || kind == ErrorKind::kNotFound;
}

Task<http::Response> ShowWhy(Call& call, PageAnswer& page) {
  web::AdminWhyPage shown;
  Result<WhyQuestion> question = ReadWhyQuestion(call);
  unsigned status = 200;
  if (!question) {
    shown.problem = web::Refusal::Of(question.error());
    status = 400;
  } else {
    shown.question = *std::move(question);
    service::AccessQuestion asked = AccessQuestionOf(shown.question);
    Result<AccessExplanation> told =
        co_await call.services.rights.explainer.Explain(call.principal, std::move(asked));
    if (told) {
      shown.answer = WhyAnswerOf(*std::move(told));
    } else if (IsOfTheQuestion(told.error().kind)) {
      shown.problem = web::Refusal::Of(told.error());
      status = 400;
    } else {
      co_return Failure(std::move(told).error());
    }
  }
  co_return co_await page.SendUnkept(web::RenderAdminWhy(page.frame, shown), status);
}

}  // namespace

// Who may do what.
std::span<const Route> AdminGrantsPageRoutes() {
  static constexpr Route kRoutes[] = {
      AdminRow<ShowGrants>("/-/admin/grants", "Show who has which role in which namespace"),
      FormRow<ShowGrants, GiveAnyRole>("/-/admin/grants", "Grant a role in a namespace"),
      AdminRow<ShowWhy>("/-/admin/grants/why", "Explain why an account has access or not"),
  };
  return kRoutes;
}

}  // namespace koya::api
