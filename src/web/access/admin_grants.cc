#include "web/access/admin_grants.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "inspect/documents.h"
#include "web/common/admin_parts.h"
#include "web/common/package_paths.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"

namespace koya::web {
namespace {

using Reason = AdminWhyPage::Reason;

// The groups with the most roles on the page, by name; the others are only counted.
std::vector<std::string> ColumnsOf(const AdminGrantsPage& page) {
  std::vector<std::string> groups;
  for (const AdminGrantsPage::Row& row : page.rows) {
    for (const GrantRecord& grant : row.grants) {
      if (grant.kind == GranteeKind::kGroup) groups.push_back(grant.grantee);
    }
  }
  std::ranges::sort(groups);
  std::vector<std::pair<std::size_t, std::string>> counted;
  for (const std::string& group : groups) {
    if (counted.empty() || counted.back().second != group) counted.emplace_back(0, group);
    --counted.back().first;  // so that the most frequent are the first in order
  }
  std::ranges::sort(counted);
  if (counted.size() > AdminGrantsPage::kMostColumns) {
    counted.resize(AdminGrantsPage::kMostColumns);
  }
  groups.clear();
  for (auto& each : counted) groups.push_back(std::move(each.second));
  std::ranges::sort(groups);
  return groups;
}

View GrantView(const GrantRecord& grant) {
  View view;
  view.Text("grantee", grant.grantee)
      .Flag("to_user", grant.kind == GranteeKind::kUser)
      .Flag("to_group", grant.kind == GranteeKind::kGroup)
      .Flag("to_service", grant.kind == GranteeKind::kService)
      .Text("granted_by", grant.granted_by);
  AddRoleChip(view, grant.role);
  return view;
}

View RoleCellView(const AdminGrantsPage::Row& row, const std::string& group) {
  auto held = std::ranges::find_if(row.grants, [&group](const GrantRecord& grant) {
    return grant.kind == GranteeKind::kGroup && grant.grantee == group;
  });
  const bool has = held != row.grants.end();
  View view;
  view.Flag("has_role", has);
  AddRoleChip(view, has ? held->role : Role::kReader);
  return view;
}

View NamespaceRow(const AdminGrantsPage::Row& row, const std::vector<std::string>& columns) {
  std::vector<View> cells;
  for (const std::string& group : columns) cells.push_back(RoleCellView(row, group));
  std::vector<View> others;
  std::size_t more = 0;
  for (const GrantRecord& grant : row.grants) {
    if (grant.kind == GranteeKind::kGroup &&
        std::ranges::find(columns, grant.grantee) != columns.end()) {
      continue;
    }
    if (others.size() == AdminGrantsPage::kMostOthers) {
      ++more;
    } else {
      others.push_back(GrantView(grant));
    }
  }
  View view;
  view.Text("row_ns", row.ns)
      .Text("row_title", row.title)
      .Text("row_lang", inspect::GuessLanguage(row.title))
      .Text("row_path", NamespacePath(row.ns) + "/people")
      .List("cells", std::move(cells))
      .Flag("has_others", !others.empty())
      .List("others", std::move(others))
      .Text("more_others", more == 0 ? "" : NumberText(more));
  AddVisibilityChip(view, row.visibility);
  return view;
}

void AddGrantForm(View& view, const PageFrame& frame, const AdminGrantsPage& page) {
  auto field = [&](std::string_view name, std::string_view value, bool is_required) {
    return FieldView(
        frame.language, page.errors,
        {.name = name, .value = value, .most = 128, .is_required = is_required, .has_hint = false});
  };
  view.Maybe("f_ns", field("ns", page.ns, true))
      .Maybe("f_kind", field("kind", page.kind, false))
      .Maybe("f_grantee", field("grantee", page.grantee, true))
      .Maybe("f_role", field("role", page.role, false))
      .Flag("give_user", page.kind == "user")
      .Flag("give_group", page.kind == "group" || page.kind.empty())
      .Flag("give_service", page.kind == "service")
      .Flag("give_reader", page.role == "reader" || page.role.empty())
      .Flag("give_publisher", page.role == "publisher")
      .Flag("give_owner", page.role == "owner");
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view,
             "koya grant add NAMESPACE ROLE --group NAME\n"
             "koya grant remove NAMESPACE --group NAME");
}

void AddWhyQuestion(View& view, const WhyQuestion& question) {
  using Kind = WhyQuestion::Kind;
  using Permission = WhyQuestion::Permission;
  view.Text("why_path", "/-/admin/grants/why")
      .Text("asked_who", question.who)
      .Text("asked_ns", question.ns)
      .Flag("of_user", question.kind == Kind::kUser)
      .Flag("of_service", question.kind == Kind::kService)
      .Flag("of_stranger", question.kind == Kind::kStranger)
      .Flag("may_read", question.deed == Permission::kRead)
      .Flag("may_publish", question.deed == Permission::kPublish)
      .Flag("may_own", question.deed == Permission::kOwn)
      .Flag("may_everything", question.deed == Permission::kEverything);
}

View WhyAnswerView(const PageFrame& frame, const AdminWhyPage::Answer& answer) {
  std::vector<View> grants;
  for (const GrantRecord& grant : answer.grants) {
    if (grants.size() == AdminWhyPage::kMostGrants) break;
    View view = GrantView(grant);
    AddTime(view, "granted", frame.language, grant.granted_at);
    grants.push_back(std::move(view));
  }
  const auto is = [&answer](Reason reason) { return answer.reason == reason; };
  View view;
  view.Flag("is_yes", answer.may)
      .Flag("is_no", !answer.may)
      .Text("answer_name", answer.name)
      .Text("answer_ns", answer.ns)
      .Flag("is_nowhere", !answer.has_namespace)
      .Flag("by_disabled", is(Reason::kDisabled))
      .Flag("by_administrator", is(Reason::kAdministrator))
      .Flag("by_public", is(Reason::kPublic))
      .Flag("by_internal", is(Reason::kInternal))
      .Flag("by_grant", is(Reason::kGrant))
      .Flag("by_too_little", is(Reason::kTooLittle))
      .Flag("by_nothing", is(Reason::kNothing))
      .Flag("by_stranger", is(Reason::kStranger))
      .Flag("by_not_everything", is(Reason::kNotEverything))
      .Flag("has_grants", !grants.empty())
      .List("grants", std::move(grants));
  AddVisibilityChip(view, answer.visibility);
  return view;
}

}  // namespace

std::string RenderAdminGrants(const PageFrame& frame, const AdminGrantsPage& page) {
  const std::vector<std::string> columns = ColumnsOf(page);
  std::vector<View> heads;
  for (const std::string& group : columns) {
    heads.push_back(View()
                        .Text("column_group", group)
                        .Text("column_path", AdminPath(AdminTab::kGroups, group)));
  }
  std::vector<View> rows;
  for (const AdminGrantsPage::Row& row : page.rows) rows.push_back(NamespaceRow(row, columns));
  const bool has_rows = !rows.empty();
  View view = AdminView(frame, AdminTab::kGrants, "koya grant list NAMESPACE");
  AddWhyQuestion(view, {});
  AddGrantForm(view, frame, page);
  std::string path = AdminPath(AdminTab::kGrants);
  if (!page.query.empty()) path = PathWith(path, "q", page.query);
  view.Text("query", page.query)
      .List("columns", std::move(heads))
      .Flag("has_rows", has_rows)
      .Flag("found_nothing", !has_rows && !page.query.empty())
      .Flag("has_nothing", !has_rows && page.query.empty())
      .List("rows", std::move(rows));
  AddPager(view, page.part, path);
  return RenderTemplate("admin_grants", frame.language, view);
}

std::string RenderAdminWhy(const PageFrame& frame, const AdminWhyPage& page) {
  View view = AdminView(frame, AdminTab::kGrants, "koya grant list NAMESPACE");
  AddWhyQuestion(view, page.question);
  AddRefusal(view, frame.language, page.problem);
  view.Maybe("answer",
             page.answer ? std::optional(WhyAnswerView(frame, *page.answer)) : std::nullopt);
  return RenderTemplate("admin_why", frame.language, view);
}

}  // namespace koya::web
