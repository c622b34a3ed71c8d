#include "web/modules/version_forms.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "web/common/page_paths.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"

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
  view.Set("form_address", name.address)
      .Set("form_version", name.version)
      .Set("is_module", name.is_module)
      .Set("title_version", TitleText(fmt::format("{} {}", name.address, name.version)))
      .Set("back", VersionListPath(name));
  return view;
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

KOYA_VIEW(VersionCaller, address, version, constraint, instead);
KOYA_VIEW(WithdrawPage, is_only, is_counted, is_partial, days, fetches, all_fetches, consumers,
          people, names, more_names, more_callers, unknown, unknown_more);

std::string RenderDeprecate(const PageFrame& frame, const DeprecatePage& page) {
  View view = VersionFormView(frame, page.name);
  view.Set("action", VersionFormPath(page.name, "deprecate"))
      .Set("current", page.current)
      .Set("f_message", FieldView(frame.language, page.errors,
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
  view.Of(page)
      .List("callers", page.callers,
            [](const VersionCaller& caller) {
              return View().Of(caller).Set("path", ModulePath(caller.address));
            })
      .Set("action", VersionFormPath(page.name, "withdraw"))
      .Set("deprecate_path", VersionFormPath(page.name, "deprecate"))
      .Set("what", page.name.version)
      .Set("f_reason", FieldView(language, page.errors,
                                 {.name = "reason",
                                  .value = page.reason,
                                  .most = kLongestRemark,
                                  .is_required = true}))
      .Set("f_successor", FieldView(language, page.errors,
                                    {.name = "successor", .value = page.successor, .most = 128}))
      .Set("f_typed",
           FieldView(
               language, page.errors,
               {.name = "typed", .value = page.typed, .is_required = true, .has_hint = false}));
  AddFormErrors(view, language, page.errors);
  AddCommand(view,
             fmt::format("koya withdraw {} {} --reason {}{}", page.name.address, page.name.version,
                         RemarkWord(page.reason),
                         page.successor.empty() ? std::string()
                                                : " --successor " + ShellWord(page.successor)));
  return RenderTemplate("withdraw", language, view);
}

std::string RenderRestore(const PageFrame& frame, const RestorePage& page) {
  View view = VersionFormView(frame, page.name);
  view.Set("action", VersionFormPath(page.name, "restore"))
      .Set("f_reason", FieldView(frame.language, page.errors,
                                 {.name = "reason",
                                  .value = page.reason,
                                  .most = kLongestRemark,
                                  .is_required = true,
                                  .has_hint = false}));
  AddFormErrors(view, frame.language, page.errors);
  AddCommand(view, fmt::format("koya restore {} {} --reason {}", page.name.address,
                               page.name.version, RemarkWord(page.reason)));
  return RenderTemplate("restore", frame.language, view);
}

}  // namespace koya::web
