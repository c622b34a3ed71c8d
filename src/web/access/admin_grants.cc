#include "web/access/admin_grants.h"

#include <algorithm>
#include <utility>

#include "web/common/admin_parts.h"
#include "web/common/package_paths.h"
#include "web/common/refusal.h"
#include "web/common/template_engine.h"

namespace koya::web {
KOYA_VIEW(AdminGrantsPage::Row, ns, title, visibility);
KOYA_VIEW(WhyQuestion, who, kind, deed, ns);
KOYA_VIEW(AdminWhyPage::Answer, may, reason, name, ns, has_namespace, visibility, grants);

namespace {

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

View RoleCellView(const AdminGrantsPage::Row& row, const std::string& group) {
  auto held = std::ranges::find_if(row.grants, [&group](const GrantRecord& grant) {
    return grant.kind == GranteeKind::kGroup && grant.grantee == group;
  });
  return View().Set("role", held == row.grants.end() ? std::nullopt : std::optional(held->role));
}

View NamespaceRow(const AdminGrantsPage::Row& row, const std::vector<std::string>& columns) {
  std::vector<GrantRecord> others;
  std::size_t more = 0;
  for (const GrantRecord& grant : row.grants) {
    if (grant.kind == GranteeKind::kGroup &&
        std::ranges::find(columns, grant.grantee) != columns.end()) {
      continue;
    }
    if (others.size() == AdminGrantsPage::kMostOthers) {
      ++more;
    } else {
      others.push_back(grant);
    }
  }
  return View()
      .Of(row)
      .Set("path", NamespacePath(row.ns) + "/people")
      .List("cells", columns, [&row](const auto& group) { return RoleCellView(row, group); })
      .Set("others", others)
      .Set("more_others", more);
}

void AddGrantForm(View& view, const PageFrame& frame, const AdminGrantsPage& page) {
  auto field = [&](std::string_view name, std::string_view value, bool is_required) {
    return FieldView(
        frame.language, page.errors,
        {.name = name, .value = value, .most = 128, .is_required = is_required, .has_hint = false});
  };
  view.Set("f_ns", field("ns", page.ns, true))
      .Set("f_kind", field("kind", page.kind, false))
      .Set("f_grantee", field("grantee", page.grantee, true))
      .Set("f_role", field("role", page.role, false))
      .Set("kind", page.kind.empty() ? "group" : page.kind)
      .Set("role", page.role.empty() ? "reader" : page.role);
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view,
             "koya grant add NAMESPACE ROLE --group NAME\n"
             "koya grant remove NAMESPACE --group NAME");
}

}  // namespace

std::string RenderAdminGrants(const PageFrame& frame, const AdminGrantsPage& page) {
  const std::vector<std::string> columns = ColumnsOf(page);
  View view = AdminView(frame, AdminTab::kGrants, "koya grant list NAMESPACE");
  view.Set("asked", WhyQuestion());
  AddGrantForm(view, frame, page);
  std::string path = AdminPath(AdminTab::kGrants);
  if (!page.query.empty()) path = PathWith(path, "q", page.query);
  view.Set("query", page.query)
      .Set("columns", columns)
      .Set("found_nothing", page.rows.empty() && !page.query.empty())
      .Set("has_nothing", page.rows.empty() && page.query.empty())
      .List("rows", page.rows, [&columns](const auto& row) { return NamespaceRow(row, columns); });
  AddPager(view, page.part, path);
  return RenderTemplate("admin_grants", frame.language, view);
}

std::string RenderAdminWhy(const PageFrame& frame, const AdminWhyPage& page) {
  View view = AdminView(frame, AdminTab::kGrants, "koya grant list NAMESPACE");
  AddRefusal(view, frame.language, page.problem);
  std::optional<AdminWhyPage::Answer> answer = page.answer;
  if (answer && answer->grants.size() > AdminWhyPage::kMostGrants) {
    answer->grants.resize(AdminWhyPage::kMostGrants);
  }
  view.Set("asked", page.question).Set("answer", answer);
  return RenderTemplate("admin_why", frame.language, view);
}

}  // namespace koya::web
