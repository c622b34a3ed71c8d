#include "web/admin_chosen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "web/admin_parts.h"
#include "web/form_parts.h"
#include "web/template_engine.h"
#include "web/words.h"

namespace koya::web {
namespace {

std::string CommandOf(const AdminChosenPage& page) {
  switch (page.deed) {
    case ChosenDeed::kDisable:
      return "koya user disable NAME";
    case ChosenDeed::kEnable:
      return "koya user enable NAME";
    case ChosenDeed::kAddToGroup:
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

std::string_view ChosenDeedName(ChosenDeed deed) {
  switch (deed) {
    case ChosenDeed::kDisable:
      return "disable";
    case ChosenDeed::kEnable:
      return "enable";
    case ChosenDeed::kAddToGroup:
      return "add";
  }
  return {};
}

std::optional<ChosenDeed> ParseChosenDeed(std::string_view text) {
  for (ChosenDeed deed : kChosenDeeds) {
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
      .Text("chosen_group", page.deed == ChosenDeed::kAddToGroup ? page.group : "")
      .Flag("is_disable", page.deed == ChosenDeed::kDisable)
      .Flag("is_enable", page.deed == ChosenDeed::kEnable)
      .Flag("is_add", page.deed == ChosenDeed::kAddToGroup)
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
