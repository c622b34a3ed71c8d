#include "web/access/admin_chosen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "web/common/admin_parts.h"
#include "web/common/form_parts.h"
#include "web/common/template_engine.h"
#include "web/common/words.h"

namespace koya::web {
namespace {

std::string CommandOf(const AdminChosenPage& page) {
  switch (page.deed) {
    case BulkAction::kDisable:
      return "koya user disable NAME";
    case BulkAction::kEnable:
      return "koya user enable NAME";
    case BulkAction::kAddToGroup:
      return fmt::format("koya group add {} --user NAME", ShellWord(page.group));
  }
  return {};
}

std::vector<View> ChosenViews(const std::vector<std::string>& users) {
  std::vector<View> views;
  for (const std::string& user : users) {
    views.push_back(
        View().Text("chosen_name", user).Text("chosen_path", AdminPath(AdminTab::kUsers, user)));
  }
  return views;
}

View FailedView(Language language, const AdminChosenPage::Failed& failed) {
  RefusalText text = RefusalTextOf(language, failed.refusal);
  if (failed.is_last_administrator) {
    text = {.told = FilledWord(language, "form.last_administrator", {}), .english = {}};
  }
  return View()
      .Text("chosen_name", failed.user)
      .Text("chosen_path", AdminPath(AdminTab::kUsers, failed.user))
      .Text("chosen_problem", text.told)
      .Text("chosen_english", text.english);
}

}  // namespace

std::string_view ChosenDeedName(BulkAction deed) {
  switch (deed) {
    case BulkAction::kDisable:
      return "disable";
    case BulkAction::kEnable:
      return "enable";
    case BulkAction::kAddToGroup:
      return "add";
  }
  return {};
}

std::optional<BulkAction> ParseChosenDeed(std::string_view text) {
  for (BulkAction deed : kChosenDeeds) {
    if (text == ChosenDeedName(deed)) return deed;
  }
  return std::nullopt;
}

std::string RenderAdminChosen(const PageFrame& frame, const AdminChosenPage& page) {
  View view = AdminView(frame, AdminTab::kUsers, "");
  std::vector<View> failed;
  for (const AdminChosenPage::Failed& each : page.failed) {
    failed.push_back(FailedView(frame.language, each));
  }
  view.Text("chosen_address", kChosenUsersAddress)
      .Text("chosen", fmt::format("{}", fmt::join(page.users, ",")))
      .Text("deed", ChosenDeedName(page.deed))
      .Text("chosen_group", page.deed == BulkAction::kAddToGroup ? page.group : "")
      .Flag("is_disable", page.deed == BulkAction::kDisable)
      .Flag("is_enable", page.deed == BulkAction::kEnable)
      .Flag("is_add", page.deed == BulkAction::kAddToGroup)
      .Flag("asks", !page.users.empty())
      .List("users", ChosenViews(page.users))
      .Flag("has_failed", !failed.empty())
      .List("failed", std::move(failed))
      .Flag("has_done", !page.done.empty())
      .List("done", ChosenViews(page.done))
      .Flag("has_skipped", !page.skipped.empty())
      .List("skipped", ChosenViews(page.skipped));
  AddCommand(view, CommandOf(page));
  return RenderTemplate("admin_chosen", frame.language, view);
}

}  // namespace koya::web
