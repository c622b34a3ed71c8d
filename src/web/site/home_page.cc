#include "web/site/home_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "markup/fragment.h"
#include "web/common/page_paths.h"
#include "web/common/template_engine.h"
#include "web/common/view.h"
#include "web/site/search_page.h"
#include "web/site/setup_page.h"

namespace koya::web {
KOYA_VIEW(HomeUpstream, host, is_fresh);
KOYA_VIEW(HomePage, tagline, is_anonymous, is_new, hands_out_koya, now, examples,
          namespaces_are_own, has_more_namespaces, upstreams);

namespace {

std::vector<View> FetchedViews(const HomePage& page) {
  std::uint64_t most = 1;
  for (const FetchedPackage& each : page.fetched_most) most = std::max(most, each.fetches);
  std::vector<View> views;
  for (const FetchedPackage& each : page.fetched_most) {
    views.push_back(
        View()
            .Set("path", each.is_provider ? ProviderPath(each.address) : ModulePath(each.address))
            .Set("address", each.address)
            .Set("fetches", each.fetches)
            .Set("share", 100 * each.fetches / most));
  }
  return views;
}

// What ends `at`: how long is left, or that nothing is.
View EndView(const PageFrame& frame, UnixSeconds at, UnixSeconds now) {
  // Of whatever waits here something is left to be said.
  constexpr std::chrono::days kAlways{400};
  return View()
      .Set("key_left", LeftText(frame.language, at, now, kAlways))
      .Set("has_ended", at <= now);
}

void AddWaiting(const PageFrame& frame, const HomePage& page, View& view) {
  const HomeWaiting& waiting = page.waiting;
  view.Set("has_waiting", !waiting.tokens.empty() || !waiting.keys.empty())
      .List("waiting_tokens", waiting.tokens,
            [&](const TokenRecord& token) {
              return EndView(frame, token.expires_at.value_or(0), page.now)
                  .Set("waiting_name", token.name);
            })
      .Set("has_more_tokens", waiting.has_more_tokens)
      .List("waiting_keys", waiting.keys,
            [&](const EndingKey& key) {
              return EndView(frame, key.expires_at, page.now)
                  .Set("waiting_key", key.key_id)
                  .Set("waiting_ns", key.ns);
            })
      .Set("has_more_keys", waiting.has_more_keys);
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
  const std::string install =
      page.hands_out_koya ? fmt::format("{}\n", InstallCommand(page.url)) : std::string();
  view.Set("step_login",
           CommandView("first-login", "shell", fmt::format("{}koya login {}", install, page.url)))
      .Set("step_publish",
           CommandView("first-publish", "shell",
                       fmt::format("mkdir hello\n"
                                   "echo 'output \"hello\" {{ value = \"world\" }}' > "
                                   "hello/main.tf\n"
                                   "koya publish module hello demo/hello/local 1.0.0 --server {}",
                                   page.url)))
      .Set("step_use", CodeView("first-use", "main.tf",
                                markup::Fragment::Hcl(fmt::format(
                                    "module \"hello\" {{\n  source  = \"{}/demo/hello/local\"\n"
                                    "  version = \"1.0.0\"\n}}\n",
                                    page.host))));
}

}  // namespace

std::string RenderHome(const PageFrame& frame, const HomePage& page) {
  const bool is_closed = page.is_closed && !page.is_new;
  const bool in_use = !page.is_new && !is_closed;
  const bool is_empty = in_use && !page.is_away && page.recent.empty();
  View view = FrameView(frame, is_closed ? SignInLink::kHidden : SignInLink::kShown).Of(page);
  view.Set("is_closed", is_closed)
      .Set("is_in_use", in_use)
      .Set("is_empty", is_empty)
      .Set("is_filled", in_use && !is_empty && !page.is_away)
      .List("recent", page.recent,
            [](const HomePackage& each) {
              return PackageRow(each.hit, each.step, {}, {}, {}, each.publisher);
            })
      .List("fetched", FetchedViews(page))
      .List("namespaces", page.namespaces,
            [](const NamespaceRecord& ns) {
              return View().Set("name", ns.name).Set("title", ns.words.title);
            })
      .Set("login", CommandView("client-login", "shell", "tofu login " + page.host))
      .Set("mirror", ClientFile(page));
  AddFirstSteps(page, view);
  AddWaiting(frame, page, view);
  return RenderTemplate("home", frame.language, view);
}

}  // namespace koya::web
