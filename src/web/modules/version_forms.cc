#include "web/modules/version_forms.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "inspect/documents.h"
#include "web/common/package_paths.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/view_parts.h"

namespace koya::web {
namespace {

constexpr unsigned kLongestRemark = 1000;  // as the services take them, in bytes

// What both pages begin with.
View VersionFormView(const PageFrame& frame, const VersionName& name) {
  PageFrame framed = frame;
  framed.current = name.is_module ? Section::kModules : Section::kProviders;
  framed.crumbs = {
      {name.ns, NamespacePath(name.ns)},
      {name.address, name.is_module ? ModulePath(name.address) : ProviderPath(name.address)}};
  View view = FrameView(framed);
  view.Text("form_address", name.address)
      .Text("form_version", name.version)
      .Flag("is_module", name.is_module)
      .Text("title_version", TitleText(fmt::format("{} {}", name.address, name.version)))
      .Text("back", VersionListPath(name));
  return view;
}

View CallerView(const VersionCaller& caller) {
  return View()
      .Text("caller_address", caller.address)
      .Text("caller_path", ModulePath(caller.address))
      .Text("caller_version", caller.version)
      .Text("caller_constraint", caller.constraint)
      .Text("caller_instead", caller.instead);
}

void AddConsumers(View& view, const WithdrawPage& page) {
  std::vector<View> names;
  names.reserve(page.names.size());
  for (const std::string& name : page.names) names.push_back(View().Text("consumer", name));
  view.Flag("is_counted", page.is_counted)
      .Flag("is_fetched", page.fetches > 0)
      .Flag("is_partial", page.is_partial)
      .Text("form_days", NumberText(page.days))
      .Text("form_fetches", NumberText(page.fetches))
      .Text("form_all", NumberText(page.all_fetches))
      .Text("form_consumers", NumberText(page.consumers))
      .Text("form_people", NumberText(page.people))
      .Flag("has_names", !names.empty())
      .List("names", std::move(names))
      .Text("more_names", page.more_names == 0 ? "" : NumberText(page.more_names));
}

void AddCallers(View& view, const WithdrawPage& page) {
  std::vector<View> callers;
  callers.reserve(page.callers.size());
  for (const VersionCaller& caller : page.callers) callers.push_back(CallerView(caller));
  view.Flag("has_callers", !callers.empty())
      .List("callers", std::move(callers))
      .Flag("has_more_callers", page.more_callers);
}

// "…" is the placeholder for a missing text.
std::string RemarkWord(std::string_view text) { return text.empty() ? "\"…\"" : ShellWord(text); }

}  // namespace

std::string VersionFormPath(const VersionName& name, std::string_view end) {
  return name.is_module ? ModulePath(name.address, name.version, end)
                        : ProviderPath(name.address, name.version, end);
}

std::string VersionListPath(const VersionName& name) {
  return name.is_module ? ModulePath(name.address, "latest", "versions")
                        : ProviderPath(name.address) + "/versions";
}

std::string RenderDeprecate(const PageFrame& frame, const DeprecatePage& page) {
  View view = VersionFormView(frame, page.name);
  view.Text("action", VersionFormPath(page.name, "deprecate"))
      .Text("current", page.current)
      .Text("current_lang", inspect::GuessLanguage(page.current))
      .Maybe("f_message", FieldView(frame.language, page.errors,
                                    {.name = "message",
                                     .value = page.message,
                                     .most = kLongestRemark,
                                     .is_required = true}));
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, fmt::format("koya deprecate {} {} --message {}", page.name.address,
                               page.name.version, RemarkWord(page.message)));
  return RenderTemplate("deprecate", frame.language, view);
}

std::string RenderWithdraw(const PageFrame& frame, const WithdrawPage& page) {
  View view = VersionFormView(frame, page.name);
  const Language language = frame.language;
  view.Text("action", VersionFormPath(page.name, "withdraw"))
      .Text("deprecate_path", VersionFormPath(page.name, "deprecate"))
      .Text("what", page.name.version)
      .Flag("is_only", page.is_only)
      .Maybe("f_reason", FieldView(language, page.errors,
                                   {.name = "reason",
                                    .value = page.reason,
                                    .most = kLongestRemark,
                                    .is_required = true}))
      .Maybe("f_successor", FieldView(language, page.errors,
                                      {.name = "successor", .value = page.successor, .most = 128}))
      .Maybe("f_typed",
             FieldView(
                 language, page.errors,
                 {.name = "typed", .value = page.typed, .is_required = true, .has_hint = false}));
  AddConsumers(view, page);
  AddCallers(view, page);
  AddFormErrors(view, language, page.errors);
  AddCommand(view,
             fmt::format("koya withdraw {} {} --reason {}{}", page.name.address, page.name.version,
                         RemarkWord(page.reason),
                         page.successor.empty() ? std::string()
                                                : " --successor " + ShellWord(page.successor)));
  return RenderTemplate("withdraw", language, view);
}

}  // namespace koya::web
