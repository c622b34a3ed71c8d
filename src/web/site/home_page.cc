#include "web/site/home_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "inspect/documents.h"
#include "markup/fragment.h"
#include "web/common/addresses.h"
#include "web/common/namespace_head.h"
#include "web/common/package_paths.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/view_parts.h"
#include "web/site/search_page.h"
#include "web/site/setup_texts.h"

namespace koya::web {
namespace {

std::vector<View> FetchedViews(const HomePage& page) {
  std::uint64_t most = 1;
  for (const FetchedPackage& each : page.fetched_most) most = std::max(most, each.fetches);
  std::vector<View> views;
  for (const FetchedPackage& each : page.fetched_most) {
    views.push_back(View()
                        .Text("fetched_path", each.is_provider ? ProviderPath(each.address)
                                                               : ModulePath(each.address))
                        .Text("fetched_address", each.address)
                        .Text("fetches", NumberText(each.fetches))
                        .Text("share", fmt::to_string(100 * each.fetches / most)));
  }
  return views;
}

std::vector<View> NamespaceViews(const HomePage& page) {
  std::vector<View> views;
  for (const HomeNamespace& each : page.namespaces) {
    views.push_back(View()
                        .Text("namespace_name", each.name)
                        .Text("namespace_path", NamespacePath(each.name))
                        .Text("namespace_title", each.title)
                        .Text("namespace_lang", inspect::GuessLanguage(each.title)));
  }
  return views;
}

std::vector<View> UpstreamViews(const HomePage& page) {
  std::vector<View> views;
  for (const HomeUpstream& each : page.upstreams) {
    views.push_back(View().Text("upstream_host", each.host).Flag("is_fresh", each.is_fresh));
  }
  return views;
}

std::vector<View> ExampleViews(const HomePage& page) {
  std::vector<View> views;
  for (const std::string& each : page.examples) {
    views.push_back(View().Text("example", each).Text("example_path", SearchPath({.text = each})));
  }
  return views;
}

// What ends `at`: how long is left, or that nothing is.
void AddEnd(View& view, const PageFrame& frame, UnixSeconds at, UnixSeconds now) {
  // Of whatever waits here something is left to be said.
  constexpr std::chrono::days kAlways{400};
  view.Text("key_left", LeftText(frame.language, at, now, kAlways)).Flag("has_ended", at <= now);
}

std::vector<View> WaitingTokenViews(const PageFrame& frame, const HomeWaiting& waiting) {
  std::vector<View> views;
  for (const HomeWaiting::Token& each : waiting.tokens) {
    View view;
    view.Text("waiting_name", each.name);
    AddEnd(view, frame, each.ends_at, waiting.now);
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<View> WaitingKeyViews(const PageFrame& frame, const HomeWaiting& waiting) {
  std::vector<View> views;
  for (const HomeWaiting::Key& each : waiting.keys) {
    View view;
    view.Text("waiting_key", each.id)
        .Text("waiting_ns", each.ns)
        .Text("waiting_path", NamespaceTabPath(each.ns, "keys"));
    AddEnd(view, frame, each.ends_at, waiting.now);
    views.push_back(std::move(view));
  }
  return views;
}

void AddWaiting(const PageFrame& frame, const HomeWaiting& waiting, View& view) {
  view.Flag("has_waiting", !waiting.tokens.empty() || !waiting.keys.empty())
      .List("waiting_tokens", WaitingTokenViews(frame, waiting))
      .Flag("has_more_tokens", waiting.has_more_tokens)
      .List("waiting_keys", WaitingKeyViews(frame, waiting))
      .Flag("has_more_keys", waiting.has_more_keys);
}

View CommandView(std::string_view id, std::string_view caption, std::string_view text) {
  return CodeView(id, caption, markup::Fragment::Code(text));
}

// What a client's configuration needs to have all that comes through here: the set-up page's own
// file.
std::optional<View> ClientFile(const HomePage& page) {
  if (page.registries.empty()) return std::nullopt;
  const SetupPage setup{.choice = {.purpose = SetupPurpose::kAll, .hosts = page.registries},
                        .url = page.url,
                        .host = std::nullopt};
  const Result<std::string> file = SetupFile(setup);
  if (!file) return std::nullopt;
  return CodeView("client-mirror", SetupFileName(setup.choice),
                  markup::Fragment::Hcl(WithoutRemarks(*file)));
}

// Three commands that make something of an empty registry, as they stand.
void AddFirstSteps(const HomePage& page, View& view) {
  view.Maybe("step_login", CommandView("first-login", "shell", "koya login " + page.url))
      .Maybe("step_publish",
             CommandView("first-publish", "shell",
                         fmt::format("mkdir hello\n"
                                     "echo 'output \"hello\" {{ value = \"world\" }}' > "
                                     "hello/main.tf\n"
                                     "koya publish module hello demo/hello/local 1.0.0 --server {}",
                                     page.url)))
      .Maybe("step_use", CodeView("first-use", "main.tf",
                                  markup::Fragment::Hcl(fmt::format(
                                      "module \"hello\" {{\n  source  = \"{}/demo/hello/local\"\n"
                                      "  version = \"1.0.0\"\n}}\n",
                                      page.host))));
}

}  // namespace

std::string RenderHome(const PageFrame& frame, const HomePage& page) {
  const bool is_closed = page.is_closed && !page.is_new;
  const bool in_use = !page.is_new && !is_closed;
  View view = FrameView(frame, is_closed ? SignInLink::kHidden : SignInLink::kShown);
  std::vector<View> recent;
  for (const HomePackage& each : page.recent) {
    recent.push_back(PackageRow(frame, each.hit, each.step));
  }
  const bool is_empty = in_use && !page.is_away && recent.empty();
  view.Text("tagline", page.tagline)
      .Flag("is_new", page.is_new)
      .Flag("is_closed", is_closed)
      .Flag("is_in_use", in_use)
      .Flag("is_empty", is_empty)
      .Flag("is_filled", in_use && !is_empty && !page.is_away)
      .Flag("is_stranger", page.is_anonymous)
      .Flag("is_begun", in_use && !is_empty && page.is_anonymous)
      .Text("first_run_path", kFirstRunAddress)
      .Text("modules_path", kModulesAddress)
      .Text("all_path", SearchPath({.text = "kind:module,provider"}))
      .Flag("has_examples", in_use && !page.examples.empty())
      .List("examples", ExampleViews(page))
      .List("recent", std::move(recent))
      .Flag("has_fetched", !page.fetched_most.empty())
      .List("fetched", FetchedViews(page))
      .Flag("has_namespaces", !page.namespaces.empty())
      .Flag("namespaces_are_own", page.namespaces_are_own)
      .List("namespaces", NamespaceViews(page))
      .Flag("has_more_namespaces", page.has_more_namespaces)
      .Flag("has_upstreams", !page.upstreams.empty())
      .List("upstreams", UpstreamViews(page))
      .Maybe("login", CommandView("client-login", "shell", "tofu login " + page.host))
      .Maybe("mirror", ClientFile(page));
  AddFirstSteps(page, view);
  AddWaiting(frame, page.waiting, view);
  return RenderTemplate("home", frame.language, view);
}

}  // namespace koya::web
