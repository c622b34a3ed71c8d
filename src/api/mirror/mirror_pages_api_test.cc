// Pages of the mirror, and of providers of other registries.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/common/api_fixture_fake.h"
#include "api/common/browser_fake.h"
#include "wire/inventory.h"
#include "wire/mirror_reports.h"
#include "wire/providers.h"

namespace koya::api {
namespace {

constexpr const char* kMirrorPages[] = {
    "/-/mirror",
    "/-/mirror/packages",
    "/-/mirror/upstreams",
    "/-/mirror/upstreams/registry.example.org",
    "/-/mirror/policy",
    "/-/mirror/policy/held",
    "/-/mirror/keys/registry.example.org/acme",
    "/-/mirror/explain",
    "/-/mirror/explain?address=acme/demo&version=1.0.0",
    "/-/mirror/providers/registry.example.org/acme/demo",
    "/-/mirror/providers/registry.example.org/acme/demo/1.0.0",
    "/-/mirror/providers/registry.example.org/acme/demo/versions",
    "/-/mirror/providers/registry.example.org/acme/demo/usage"};

class MirrorPagesTest : public ::testing::Test {
 protected:
  // A client asks for the package of a version.
  void Fetch() {
    ASSERT_EQ(api.Get("/mirror/registry.example.org/acme/demo/1.0.0.json").status, 200U);
    ASSERT_EQ(api.Get("/mirror/registry.example.org/acme/demo/1.0.0/"
                      "terraform-provider-demo_1.0.0_linux_amd64.zip")
                  .status,
              200U);
  }
  Reply Open(const std::string& target) { return FakeBrowser(api).Open(target); }
  // From now on registries fail.
  void Break() {
    api.clock.now += 3600;
    api.upstream.failure = Error{ErrorKind::kBadUpstream, "connection <refused>", {}};
  }

  ApiFixture api;
};

TEST_F(MirrorPagesTest, EveryPageAnswersInEveryLanguage) {
  Fetch();
  for (const char* path : kMirrorPages) {
    for (const char* language : {"en", "ja", "zh"}) {
      const char join = std::string_view(path).contains('?') ? '&' : '?';
      Reply page = Open(fmt::format("{}{}lang={}", path, join, language));
      EXPECT_EQ(page.status, 200U) << path << "\n" << page.body;
      EXPECT_TRUE(page.body.contains(fmt::format("<html lang=\"{}", language))) << path;
      EXPECT_LT(page.body.size(), 20'000U) << path;
    }
  }
}

TEST_F(MirrorPagesTest, TheStatusIsWhatThisServerKnows) {
  Reply before = Open("/-/mirror");
  EXPECT_TRUE(before.body.contains("No requests have gone to other registries")) << before.body;
  EXPECT_FALSE(before.body.contains("<rect")) << "no series, no picture";
  Fetch();
  api.clock.now += 10;
  Reply well = Open("/-/mirror");
  EXPECT_TRUE(well.body.contains("Every contacted registry has responded.")) << well.body;
  EXPECT_TRUE(well.body.contains("Providers: <bdi>1</bdi>.")) << well.body;
  for (const char* list : {"/-/mirror", "/-/mirror/upstreams"}) {
    EXPECT_TRUE(Open(list).body.contains("href=\"/-/mirror/upstreams/registry.example.org\""))
        << list;
  }
  Break();
  ASSERT_EQ(api.Get("/mirror/registry.example.org/acme/demo/index.json").status, 200U);
  Reply failing = Open("/-/mirror");
  EXPECT_TRUE(failing.body.contains("<bdi>registry.example.org</bdi> has not responded since"))
      << failing.body;
  EXPECT_TRUE(failing.body.contains("connection &lt;refused&gt;")) << failing.body;
  EXPECT_TRUE(Open("/-/mirror/upstreams").body.contains("connection &lt;refused&gt;"));
}

TEST_F(MirrorPagesTest, OneUpstreamSaysWhatIsKnownOfIt) {
  const std::string path = "/-/mirror/upstreams/registry.example.org";
  Reply before = Open(path);
  ASSERT_EQ(before.status, 200U) << before.body;
  EXPECT_TRUE(before.body.contains("No packages of this registry are stored yet.")) << before.body;
  EXPECT_FALSE(before.body.contains("id=\"hours\"")) << "it was not asked";
  Fetch();
  api.clock.now += 10;
  Reply well = Open(path);
  EXPECT_TRUE(well.body.contains("href=\"/-/mirror/providers/registry.example.org/acme/demo\""))
      << well.body;
  EXPECT_TRUE(well.body.contains("id=\"hours\"")) << well.body;
  EXPECT_TRUE(well.body.contains("href=\"/-/mirror/packages?q=registry.example.org\""));
  Break();
  ASSERT_EQ(api.Get("/mirror/registry.example.org/acme/demo/index.json").status, 200U);
  Reply failing = Open(path);
  EXPECT_TRUE(failing.body.contains("connection &lt;refused&gt;")) << failing.body;
  EXPECT_TRUE(failing.body.contains(">acme/demo</bdi>")) << "what is stored stays";
}

TEST_F(MirrorPagesTest, AHostThatNothingIsPulledFromHasNoPage) {
  Fetch();
  for (const char* host :
       {"other.example.org", "example.org", "registry.example.org:444", "%3Cb%3E"}) {
    const std::string path = fmt::format("/-/mirror/upstreams/{}", host);
    EXPECT_EQ(Open(path).status, 404U) << path;
  }
  EXPECT_EQ(Open("/-/mirror/upstreams/REGISTRY.example.org").status, 200U);
}

TEST_F(MirrorPagesTest, PagesFetchNothing) {
  Fetch();
  Break();
  const int asked = api.upstream.asked_versions + api.upstream.asked_downloads;
  for (const char* path : kMirrorPages) EXPECT_EQ(Open(path).status, 200U) << path;
  EXPECT_EQ(Open("/-/mirror/providers/registry.example.org/acme/unseen").status, 404U);
  EXPECT_EQ(Open("/-/mirror/providers/other.example.org/acme/demo").status, 404U);
  EXPECT_EQ(api.upstream.asked_versions + api.upstream.asked_downloads, asked);
}

TEST_F(MirrorPagesTest, PackagesAreFoundAndJudged) {
  Fetch();
  Reply all = Open("/-/mirror/packages");
  EXPECT_TRUE(all.body.contains("href=\"/-/mirror/providers/registry.example.org/acme/demo\""))
      << all.body;
  EXPECT_TRUE(all.body.contains(">allowed<")) << all.body;
  EXPECT_TRUE(Open("/-/mirror/packages?q=ACME").body.contains("acme/demo</bdi>"));
  EXPECT_TRUE(Open("/-/mirror/packages?q=nothing").body.contains("No stored packages match."));
  EXPECT_TRUE(Open("/-/mirror/packages?state=fresh").body.contains("acme/demo</bdi>"));
  EXPECT_FALSE(Open("/-/mirror/packages?state=stale").body.contains("acme/demo</bdi>"));
  api.clock.now += 86'400;
  EXPECT_TRUE(Open("/-/mirror/packages?state=stale").body.contains("acme/demo</bdi>"));
  EXPECT_TRUE(Open("/-/mirror/packages?kind=modules").body.contains("No modules of other"));
  api.Deny("*/acme/*");
  Reply denied = Open("/-/mirror/packages?q=demo");
  EXPECT_TRUE(denied.body.contains(">denied<")) << denied.body;
  EXPECT_TRUE(denied.body.contains("*/acme/*")) << denied.body;
  EXPECT_TRUE(denied.body.contains("href=\"/-/mirror/policy#deny\"")) << denied.body;
  EXPECT_TRUE(Open("/-/mirror/policy").body.contains("<h2 id=\"deny\">"));
}

TEST_F(MirrorPagesTest, ThePolicyIsShown) {
  EXPECT_TRUE(Open("/-/mirror/policy").body.contains("nothing is denied"));
  api.Deny("*/<b>/*");
  api.clock.now += 60;
  Reply page = Open("/-/mirror/policy");
  EXPECT_TRUE(page.body.contains("*/&lt;b&gt;/*")) << page.body;
  EXPECT_TRUE(page.body.contains("registry.example.org"));
}

TEST_F(MirrorPagesTest, ExplainsWithTheClientsSentence) {
  api.Deny("*/acme/*");
  auto client = wire::Decode<wire::ProviderVersions>(
      api.Get("/origin/registry.example.org/v1/providers/acme/demo/versions").body);
  ASSERT_TRUE(client);
  ASSERT_EQ(client->warnings.size(), 1U);
  Reply json = api.Get("/-/mirror/explain.json");
  EXPECT_EQ(json.status, 400U) << "it does not say of what";
  Question question;
  question.path = "/-/mirror/explain.json";
  question.query = "address=acme/demo&version=1.0.0";
  json = api.Ask(question);
  ASSERT_EQ(json.status, 200U) << json.body;
  auto told = wire::Decode<wire::MirrorExplanation>(json.body);
  ASSERT_TRUE(told) << json.body;
  EXPECT_FALSE(told->given);
  EXPECT_EQ(told->policy, "denied");
  EXPECT_EQ(told->rule, "*/acme/*");
  EXPECT_TRUE(client->warnings[0].contains(told->text)) << client->warnings[0];
  EXPECT_TRUE(told->text.contains("is not mirrored here: the rule policy.deny")) << told->text;
  Reply page = Open("/-/mirror/explain?address=acme/demo");
  EXPECT_TRUE(page.body.contains("Clients get this error instead:")) << page.body;
  EXPECT_TRUE(page.body.contains("the rule policy.deny")) << page.body;
}

TEST_F(MirrorPagesTest, NothingThatWasNeverSeenIsSaidToBeGiven) {
  struct Row {
    const char* query;
    const char* states;
  };
  Fetch();
  api.SettleMirror();  // sent files are stored a moment later
  for (const Row& row :
       {Row{"address=acme/demo&version=1.0.0", "origin available mirror available "},
        Row{"address=acme/demo", "origin available mirror available "},
        Row{"address=acme/demo&version=1.1.0", "origin allowed mirror allowed "},
        Row{"address=nobody/nothing&version=99.0.0", "origin allowed mirror allowed "},
        Row{"address=nobody/nothing", "origin allowed mirror allowed "},
        Row{"address=acme/vpc/aws&version=1.0.0", "origin allowed "},
        Row{"address=other.example/acme/demo", "origin blocked mirror blocked "}}) {
    Question question;
    question.path = "/-/mirror/explain.json";
    question.query = row.query;
    auto explained = wire::Decode<wire::MirrorExplanation>(api.Ask(question).body);
    ASSERT_TRUE(explained) << row.query;
    std::string states;
    for (const wire::MirrorWay& way : explained->ways) states += way.way + ' ' + way.state + ' ';
    EXPECT_EQ(states, row.states) << row.query;
    const bool available = states.contains("available");
    EXPECT_EQ(explained->given, available) << row.query;
    EXPECT_EQ(explained->text.empty(), !states.contains("blocked")) << row.query;
    Reply page = Open(fmt::format("/-/mirror/explain?{}", row.query));
    EXPECT_EQ(page.body.contains("Stored here"), available) << page.body;
    EXPECT_EQ(page.body.contains("clients get it only if"), states.contains("allowed"))
        << page.body;
  }
}

TEST_F(MirrorPagesTest, AProviderOfAnotherRegistryHasAPage) {
  Fetch();
  Reply page = Open("/-/mirror/providers/registry.example.org/acme/demo");
  EXPECT_TRUE(page.body.contains("version = <span class=\"s\">&quot;1.1.0&quot;</span>") ||
              page.body.contains("1.1.0"))
      << page.body;
  EXPECT_TRUE(page.body.contains("is not stored here yet")) << "the newest was not asked for";
  Reply pinned = Open("/-/mirror/providers/registry.example.org/acme/demo/1.0.0");
  EXPECT_TRUE(pinned.body.contains("zh:")) << pinned.body;
  EXPECT_TRUE(pinned.body.contains("signature verified")) << pinned.body;
  EXPECT_TRUE(pinned.body.contains("registry.example.org/acme/demo")) << pinned.body;
  EXPECT_EQ(Open("/-/mirror/providers/registry.example.org/acme/demo/9.9.9").status, 404U);
  Reply markdown = Open("/-/mirror/providers/registry.example.org/acme/demo/1.0.0.md");
  EXPECT_TRUE(markdown.body.starts_with("# acme/demo 1.0.0\n")) << markdown.body;
}

TEST_F(MirrorPagesTest, TheKeysOfANamespaceHaveAPageAndADocument) {
  const std::string page = "/-/mirror/keys/registry.example.org/acme";
  EXPECT_EQ(Open(page).status, 404U) << "nothing is pinned";
  Fetch();
  const std::string provider = "/-/mirror/providers/registry.example.org/acme/demo";
  EXPECT_TRUE(Open(provider).body.contains("href=\"" + page + "\"")) << Open(provider).body;
  const Reply json = api.Get("/api/v1/mirror/keys/registry.example.org/acme");
  ASSERT_EQ(json.status, 200U) << json.body;
  const auto history = wire::Decode<wire::NamespaceSigners>(json.body).value();
  ASSERT_EQ(history.keys.size(), 1U) << json.body;
  const wire::NamespaceSigner& key = history.keys[0];
  EXPECT_TRUE(key.has_signature);
  EXPECT_FALSE(key.is_known) << "no policy was ever set: nothing is admitted";
  EXPECT_EQ(key.releases, 1U);
  EXPECT_EQ(key.first_seen, key.last_seen);
  ASSERT_EQ(key.newest.size(), 1U);
  EXPECT_EQ(key.newest[0].version, "1.0.0");
  const std::string body = Open(page).body;
  EXPECT_TRUE(body.contains("href=\"" + provider + "/1.0.0\"")) << body;
  EXPECT_TRUE(body.contains(key.fingerprint)) << body;
  for (const char* wrong : {"registry.example.org/nothing", "-/acme", "registry.example.org/%FF"}) {
    EXPECT_EQ(api.Get(fmt::format("/api/v1/mirror/keys/{}", wrong)).status, 404U) << wrong;
  }
}

TEST_F(MirrorPagesTest, AbsurdQuestionsGetAPageWithTheRightStatus) {
  const std::string long_text(5000, 'x');
  struct Row {
    std::string target;
    unsigned status;
  };
  for (const Row& row : {
           Row{"/-/mirror/packages?page=-1", 400},
           Row{"/-/mirror/packages?page=1000000000", 200},
           Row{"/-/mirror/packages?page=1000000001", 400},
           Row{"/-/mirror/packages?kind=secrets", 400},
           Row{"/-/mirror/packages?state=%3Cb%3E", 400},
           Row{"/-/mirror/packages?verdict=%3Cb%3E", 400},
           Row{"/-/mirror/packages?verdict=denied&page=1000000000", 200},
           Row{"/-/mirror/packages?q=" + long_text, 400},
           Row{"/-/mirror/packages?q=%27%20OR%201=1", 200},
           Row{"/-/mirror/packages?q=%FF", 400},
           Row{"/-/mirror/policy/held?page=0", 400},
           Row{"/-/mirror/keys/registry.example.org/nothing", 404},
           Row{"/-/mirror/keys/-/acme", 404},
           Row{"/-/mirror/keys/registry.example.org/%3Cb%3E", 404},
           Row{"/-/mirror/policy/held?page=1000000000", 200},
           Row{"/-/mirror/explain?address=%3Cscript%3E", 400},
           Row{"/-/mirror/explain?address=a/b&version=latest", 400},
           Row{"/-/mirror/explain?address=" + long_text, 400},
           Row{"/-/mirror/explain?address=http://a/b/c", 400},
           Row{"/-/mirror/explain?address=registry.example.com/acme/demo", 400},
           Row{"/-/mirror/providers/-/acme/demo", 404},
           Row{"/-/mirror/providers/registry.example.org/acme/\xFF", 404},
           Row{"/-/mirror/decisions", 404},
           Row{"/-/mirror/bundles", 404},
       }) {
    Reply reply = Open(row.target);
    EXPECT_EQ(reply.status, row.status) << row.target.substr(0, 100) << "\n" << reply.body;
    EXPECT_TRUE(reply.body.starts_with("<!doctype html>")) << row.target.substr(0, 100);
    EXPECT_FALSE(reply.body.contains("<script>")) << row.target.substr(0, 100);
  }
}

TEST_F(MirrorPagesTest, DocumentationComesWhenSomebodyReadsIt) {
  const std::string page = "/-/mirror/providers/registry.example.org/acme/demo/1.0.0";
  Fetch();
  EXPECT_FALSE(Open(page).body.contains("/1.0.0/docs\"")) << "docs are not mirrored";
  Reply off = Open(page + "/docs");
  EXPECT_EQ(off.status, 404U);
  EXPECT_TRUE(off.body.contains("mirror.docs")) << off.body;
  api.mirror_docs = true;
  api.SettleMirror();
  api.clock.now += 60;
  EXPECT_TRUE(Open(page).body.contains(page + "/docs\"")) << Open(page).body;
  EXPECT_EQ(api.upstream_docs.asked_lists, 0) << "nobody has read them";
  Reply overview = Open(page + "/docs");
  ASSERT_EQ(overview.status, 200U) << overview.body;
  EXPECT_TRUE(overview.body.contains(page + "/docs/resources/thing")) << overview.body;
  Reply thing = Open(page + "/docs/resources/thing");
  EXPECT_EQ(thing.status, 200U);
  EXPECT_FALSE(thing.body.contains("<script>")) << thing.body;
  EXPECT_EQ(Open(page + "/docs/cdktf/python/resources/thing").status, 200U);
  Reply missing = Open(page + "/docs/resources/none");
  EXPECT_EQ(missing.status, 404U);
  EXPECT_TRUE(missing.body.contains("is not in this version")) << missing.body;
  EXPECT_TRUE(missing.body.contains("This is the first page")) << missing.body;
  EXPECT_EQ(Open(page + "/docs?filter=%zz").status, 400U);
}

class HiddenMirrorPagesTest : public MirrorPagesTest {};

TEST_F(HiddenMirrorPagesTest, WhoMayNotKnowOfTheMirrorIsToldNothing) {
  Fetch();
  api.access.mirror = Visibility::kInternal;
  api.SettleMirror();
  api.AddUser("eve", "correct horse battery");
  FakeBrowser eve(api);
  ASSERT_EQ(eve.SignIn("eve", "correct horse battery").status, 303U);
  for (const char* path : kMirrorPages) {
    EXPECT_EQ(Open(path).status, 404U) << path;
    EXPECT_EQ(eve.Open(path).status, 200U) << path;
    EXPECT_EQ(Open(path).status, 404U) << path;
  }
  api.access.mirror = Visibility::kPrivate;
  api.SettleMirror();
  for (const char* path : kMirrorPages) EXPECT_EQ(eve.Open(path).status, 404U) << path;
}

}  // namespace
}  // namespace koya::api
