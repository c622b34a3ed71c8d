// Commands that list, show, deprecate and withdraw providers, and those for keys.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder_fake.h"
#include "cli/run_program_fake.h"
#include "cli/text/key_text.h"
#include "http/scripted_server_fake.h"
#include "wire/error_document.h"
#include "wire/modules.h"
#include "wire/namespaces.h"
#include "wire/provider_publishing.h"
#include "wire/providers.h"

namespace koya::cli {
namespace {

using http::ScriptedAnswer;
using http::ScriptedRequest;
using http::ScriptedServer;

ProgramRun Call(const ScriptedServer& server, std::vector<std::string> arguments,
                const std::string& input = {}) {
  return RunKoya(std::move(arguments), {{"KOYA_URL", server.url()}, {"KOYA_TOKEN", "koya_secret"}},
                 input);
}

ScriptedServer::Respond Always(ScriptedAnswer answer) {
  return [answer](const ScriptedRequest&) { return answer; };
}

bool Has(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

wire::ProviderDetails Provider(std::string type, std::string version) {
  return {.ns = "acme",
          .type = std::move(type),
          .version = std::move(version),
          .owner = "ci",
          .source = "registry.example.com/acme/demo",
          .published_at = "2026-11-21T16:41:10Z",
          .deprecation = "",
          .protocols = {"5.0", "6.0"},
          .platforms = {{"darwin", "arm64"}, {"linux", "amd64"}},
          .shasums_digest = "",
          .key_fingerprint = "",
          .versions = {}};
}

TEST(ListProvidersTest, ListsAllPages) {
  ScriptedServer server([](const ScriptedRequest& request) {
    wire::ProviderList page;
    bool first = request.target.ends_with("offset=0");
    page.providers = {first ? Provider("demo", "1.2.0") : Provider("デモ", "2.0.0")};
    page.providers.front().visibility = "private";
    if (first) page.next_offset = 100;
    return ScriptedAnswer::Json(200, EncodeProviderList(page));
  });
  ProgramRun run = Call(server, {"list", "providers"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "PROVIDER   LATEST  VISIBILITY  STATE  PUBLISHED\n"
            "acme/demo  1.2.0   private            2026-11-21T16:41:10Z\n"
            "acme/デモ    2.0.0   private            2026-11-21T16:41:10Z\n");
  run = Call(server, {"list", "providers", "--json", "--namespace", "acme"});
  auto list = wire::DecodeProviderList(run.out);
  ASSERT_TRUE(list) << run.out;
  EXPECT_EQ(list->providers.size(), 2u);
  EXPECT_EQ(server.requests()[2].target, "/v1/providers/acme?limit=100&offset=0");
}

TEST(ListProvidersTest, SaysWhenThereAreNone) {
  ScriptedServer server(Always(ScriptedAnswer::Json(200, wire::EncodeProviderList({}))));
  ProgramRun run = Call(server, {"list", "providers"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "koya: no providers\n");
}

TEST(ShowProviderTest, ShowsAVersionOrTheLatest) {
  wire::ProviderDetails provider = Provider("demo", "1.2.0");
  provider.deprecation = "use 2.0.0";
  provider.key_fingerprint = "0123ABCD";
  provider.shasums_digest = "sha256:00";
  provider.versions = {"2.0.0", "1.2.0"};
  // One that knows of nothing inside, as servers of before.
  ScriptedServer server([&](const ScriptedRequest& request) {
    if (request.target.starts_with("/api/")) return ScriptedAnswer::Json(404, "{}");
    return ScriptedAnswer::Json(200, wire::Encode(provider));
  });
  ProgramRun run = Call(server, {"show", "provider", "Acme/Demo"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(run.out,
            "acme/demo 1.2.0\n"
            "  deprecated   use 2.0.0\n"
            "  published by ci\n"
            "  published    2026-11-21T16:41:10Z\n"
            "  protocols    5.0, 6.0\n"
            "  platforms    darwin_arm64, linux_amd64\n"
            "  signed by    0123ABCD\n"
            "  SHA256SUMS   sha256:00\n"
            "  versions     2.0.0, 1.2.0\n"
            "\n"
            "terraform {\n"
            "  required_providers {\n"
            "    demo = {\n"
            "      source  = \"registry.example.com/acme/demo\"\n"
            "      version = \"1.2.0\"\n"
            "    }\n"
            "  }\n"
            "}\n");
  run = Call(server, {"show", "provider", "acme/demo", "v1.2.0+b", "--json"});
  EXPECT_EQ(run.out, wire::Encode(provider) + "\n");
  EXPECT_EQ(server.requests()[0].target, "/v1/providers/acme/demo");
  EXPECT_EQ(server.requests()[1].target, "/api/v1/providers/acme/demo/1.2.0");
  EXPECT_EQ(server.requests()[2].target, "/v1/providers/acme/demo/1.2.0%2Bb");
}

TEST(ShowProviderTest, ShowsWhatIsInside) {
  wire::ProviderInside inside{.address = "acme/demo", .version = "1.2.0"};
  inside.docs = {.is_signed = false,
                 .pages = {{"overview", 1}, {"resources", 12}},
                 .languages = {"python", "typescript"}};
  inside.schema = {.is_signed = true, .items = {{"resource", 12}}};
  for (int i = 0; i < 22; ++i) {
    inside.warnings.push_back({.file = "docs/a.md", .line = 3, .text = "odd\x1b"});
  }
  const wire::DocList docs{
      .docs = {
          {.kind = "resources", .name = "thing", .language = "hcl", .title = "demo_thing"},
          {.kind = "resources", .name = "old", .language = "go", .title = "", .deprecated = true}}};
  ScriptedServer server([&](const ScriptedRequest& request) {
    if (request.target.ends_with("/docs")) return ScriptedAnswer::Json(200, wire::Encode(docs));
    if (request.target.starts_with("/api/")) {
      return ScriptedAnswer::Json(200, wire::Encode(inside));
    }
    return ScriptedAnswer::Json(200, wire::Encode(Provider("demo", "1.2.0")));
  });
  ProgramRun run = Call(server, {"show", "provider", "acme/demo"});
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* words :
       {"  docs         1 overview, 12 resources (not signed)\n", "also in python, typescript\n",
        "  schema       12 resource\n", "  warning      docs/a.md:3: odd", "and 2 more\n"}) {
    EXPECT_TRUE(run.out.contains(words)) << words << "\n" << run.out;
  }
  EXPECT_FALSE(run.out.contains('\x1b')) << run.out;
  run = Call(server, {"show", "provider", "acme/demo", "--docs"});
  EXPECT_EQ(run.out,
            "resources\n"
            "  thing                          demo_thing\n"
            "resources (go)\n"
            "  old                             (deprecated)\n");
  run = Call(server, {"show", "provider", "acme/demo", "--docs", "--json"});
  EXPECT_EQ(run.out, wire::Encode(docs) + "\n");
}

TEST(ShowProviderTest, ListsDocsOfAMirroredProvider) {
  const wire::DocList docs{
      .docs = {{.kind = "overview", .name = "index", .language = "hcl", .title = "AWS"}}};
  ScriptedServer server(Always(ScriptedAnswer::Json(200, wire::Encode(docs))));
  const std::string address = "registry.opentofu.org/hashicorp/aws";
  ProgramRun run = Call(server, {"show", "provider", address, "v6.0.0", "--docs"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "overview\n  index                          AWS\n");
  ASSERT_EQ(server.requests().size(), 1U);
  EXPECT_EQ(server.requests()[0].target, "/api/v1/mirror/providers/" + address + "/6.0.0/docs");
  run = Call(server, {"show", "provider", address, "--docs"});
  EXPECT_NE(run.status, 0);
  EXPECT_TRUE(run.err.contains("VERSION --docs")) << run.err;
  run = Call(server, {"show", "provider", "https://x/acme/demo", "6.0.0", "--docs"});
  EXPECT_NE(run.status, 0);
  run = Call(server, {"show", "provider", "no host/acme/demo", "6.0.0", "--docs"});
  EXPECT_NE(run.status, 0);
  EXPECT_EQ(server.requests().size(), 1U) << "what cannot be is not asked for";
}

// Who would miss it is asked first.
std::vector<ScriptedRequest> Changes(const ScriptedServer& server) {
  std::vector<ScriptedRequest> changes = server.requests();
  std::erase_if(changes, [](const ScriptedRequest& each) { return each.method == "GET"; });
  return changes;
}

TEST(WithdrawTest, TellsProvidersFromModulesByTheirAddress) {
  ScriptedServer server(Always({204, {}, "", {}}));
  ProgramRun run = Call(server, {"withdraw", "acme/demo", "1.2.0", "--reason", "leaks", "--yes"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "Withdrew acme/demo 1.2.0\n");
  run = Call(server, {"withdraw", "acme/デモ", "1.2.0", "--reason", "leaks", "--yes", "--json"});
  EXPECT_EQ(run.out, "{\"address\":\"acme/デモ\",\"version\":\"1.2.0\",\"withdrawn\":true}\n");
  run = Call(server, {"withdraw", "acme/vpc/aws", "1.2.0", "--reason", "leaks", "--yes"});
  EXPECT_EQ(Changes(server).at(0).method, "DELETE");
  EXPECT_EQ(Changes(server).at(0).target, "/api/v1/providers/acme/demo/1.2.0");
  EXPECT_EQ(Changes(server).at(0).body,
            wire::Encode<wire::Withdrawal>({.reason = "leaks", .successor = {}}));
  EXPECT_EQ(Changes(server).at(1).target, "/api/v1/providers/acme/%E3%83%87%E3%83%A2/1.2.0");
  EXPECT_EQ(Changes(server).at(2).target, "/api/v1/modules/acme/vpc/aws/1.2.0");
}

TEST(DeprecateTest, SetsAndTakesBackAMessage) {
  ScriptedServer server(Always({204, {}, "", {}}));
  ProgramRun run = Call(server, {"deprecate", "acme/demo", "1.2.0", "--message", "use \"2\""});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "Deprecated acme/demo 1.2.0\n");
  run = Call(server, {"deprecate", "acme/demo", "1.2.0", "--undo"});
  EXPECT_EQ(run.out, "acme/demo 1.2.0 is no longer deprecated\n");
  EXPECT_EQ(Changes(server).at(0).method, "PUT");
  EXPECT_EQ(Changes(server).at(0).target, "/api/v1/providers/acme/demo/1.2.0/deprecation");
  EXPECT_EQ(Changes(server).at(0).body, wire::Encode(wire::Deprecation{"use \"2\""}));
  EXPECT_EQ(Changes(server).at(1).body, wire::Encode(wire::Deprecation{""}));
  run = Call(server, {"deprecate", "acme/demo", "1.2.0", "--message", "use \"2\"", "--json"});
  EXPECT_EQ(run.out,
            "{\"address\":\"acme/demo\",\"version\":\"1.2.0\",\"deprecated\":true,"
            "\"message\":\"use \\\"2\\\"\"}\n");
  run = Call(server, {"deprecate", "acme/demo", "1.2.0", "--undo", "--json"});
  EXPECT_TRUE(Has(run.out, "\"deprecated\":false,\"message\":null")) << run.out;
}

// ---- keys ----

constexpr std::string_view kPublic =
    "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nabc\n-----END PGP PUBLIC KEY BLOCK-----\n";
constexpr std::string_view kSecret =
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nhush\n-----END PGP PRIVATE KEY BLOCK-----\n";

wire::NamespaceKey Key(std::string key_id) {
  return {.key_id = key_id,
          .fingerprint = "000000000000000000000000" + key_id,
          .user_ids = {"Åcme <release@acme.test>", "Old \x1b[31m"},
          .algorithm = "Ed25519",
          .created = "2026-01-01T00:00:00Z",
          .expires = "2027-01-01T00:00:00Z",
          .expired = false,
          .added = "2026-01-02T00:00:00Z",
          .added_by = "ci",
          .removed = "",
          .server_made = false,
          .ascii_armor = "armor of " + key_id + "\n"};
}

std::vector<wire::NamespaceKey> FourKeys() {
  std::vector<wire::NamespaceKey> keys = {Key("AAAAAAAAAAAAAAAA"), Key("BBBBBBBBBBBBBBBB"),
                                          Key("CCCCCCCCCCCCCCCC"), Key("DDDDDDDDDDDDDDDD")};
  keys[1].expires.clear();
  keys[1].server_made = true;
  keys[2].expired = true;
  keys[3].removed = "2026-06-01T00:00:00Z";
  return keys;
}

TEST(KeyCommandTest, AddsKeysFromAFileAndFromStandardInput) {
  TempFolder folder;
  std::ofstream(folder / "key.asc") << kPublic;
  bool made = false;
  ScriptedServer server([&made](const ScriptedRequest& request) {
    if (request.method == "POST") {
      made = true;
      return ScriptedAnswer::Json(201, wire::Encode(wire::KeyList{{Key("AAAAAAAAAAAAAAAA")}}));
    }
    EXPECT_EQ(request.target, "/api/v1/namespaces/acme");
    if (!made) return ScriptedAnswer::Json(404, R"({"errors":["it is not there yet"]})");
    return ScriptedAnswer::Json(
        200, wire::Encode<wire::Namespace>({.name = "acme", .visibility = "internal"}));
  });
  ProgramRun run = Call(server, {"key", "add", "Acme", folder / "key.asc"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(Has(run.err, "koya: created the namespace \"acme\", which is internal")) << run.err;
  EXPECT_EQ(run.out,
            "Added the key AAAAAAAAAAAAAAAA to acme\n"
            "  fingerprint  000000000000000000000000AAAAAAAAAAAAAAAA\n"
            "  user ids     Åcme <release@acme.test>, Old \\x1b[31m\n"
            "  algorithm    Ed25519\n"
            "  expires      2027-01-01T00:00:00Z\n");
  run = Call(server, {"key", "add", "acme", "-", "--json"}, std::string(kPublic));
  EXPECT_EQ(run.out, wire::Encode(wire::KeyList{{Key("AAAAAAAAAAAAAAAA")}}) + "\n");
  EXPECT_EQ(run.err, "") << "it was there";
  for (ScriptedRequest& request : server.requests()) {
    if (request.method == "GET") continue;
    EXPECT_EQ(request.method, "POST");
    EXPECT_EQ(request.target, "/api/v1/namespaces/acme/keys");
    EXPECT_EQ(request.fields["content-type"], "application/pgp-keys");
    EXPECT_EQ(request.body, kPublic);
  }
}

TEST(KeyCommandTest, NeverSendsASecretKey) {
  TempFolder folder;
  std::ofstream(folder / "key.asc") << kPublic << kSecret;
  ScriptedServer server(Always({500, {}, "", {}}));
  ProgramRun run = Call(server, {"key", "add", "acme", folder / "key.asc"});
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(Has(run.err, "key.asc contains a SECRET key")) << run.err;
  EXPECT_TRUE(Has(run.err, "not sent anywhere")) << run.err;
  EXPECT_TRUE(Has(run.err, "gpg --armor --export KEY")) << run.err;
  EXPECT_FALSE(Has(run.err, "hush"));
  run = Call(server, {"key", "add", "acme", "-", "--json"}, std::string(kSecret));
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(Has(run.out, "standard input contains a SECRET key")) << run.out;
  run = Call(server, {"key", "add", "acme", folder / "gone.asc"});
  EXPECT_TRUE(Has(run.err, "cannot open ")) << run.err;
  EXPECT_TRUE(server.requests().empty());
}

TEST(KeyCommandTest, ListsKeysWithTheirState) {
  ScriptedServer server(Always(ScriptedAnswer::Json(200, wire::Encode(wire::KeyList{FourKeys()}))));
  ProgramRun run = Call(server, {"key", "list", "acme"});
  EXPECT_EQ(run.status, 0) << run.err;
  for (std::string_view words :
       {"KEY ID            ALGORITHM  EXPIRES     STATE               FINGERPRINT",
        "AAAAAAAAAAAAAAAA  Ed25519    2027-01-01  in use  ", "never       signs (--sign)",
        "2027-01-01  expired  ", "removed 2026-06-01  000000000000000000000000DDDDDDDDDDDDDDDD"}) {
    EXPECT_TRUE(Has(run.out, words)) << words << "\n" << run.out;
  }
  run = Call(server, {"key", "list", "acme", "--json"});
  EXPECT_EQ(run.out, wire::Encode(wire::KeyList{FourKeys()}) + "\n");
  ScriptedServer none(Always(ScriptedAnswer::Json(200, wire::Encode(wire::KeyList{{}}))));
  EXPECT_EQ(Call(none, {"key", "list", "acme"}).err, "koya: acme has no keys\n");
}

TEST(KeyCommandTest, RemovesAndRotates) {
  ScriptedServer server([](const ScriptedRequest& request) {
    if (request.method == "DELETE") return ScriptedAnswer{204, {}, "", {}};
    return ScriptedAnswer::Json(201, wire::Encode(wire::KeyList{{Key("BBBBBBBBBBBBBBBB")}}));
  });
  ProgramRun run = Call(server, {"key", "remove", "acme", "AAAA BBBB"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(Has(run.out, "it cannot sign new releases")) << run.out;
  run = Call(server, {"key", "remove", "acme", "AAAA", "--json"});
  EXPECT_EQ(run.out, "{\"namespace\":\"acme\",\"key_id\":\"AAAA\",\"removed\":true}\n");
  run = Call(server, {"key", "rotate", "acme"});
  EXPECT_TRUE(Has(run.out, "acme now signs with the new key BBBBBBBBBBBBBBBB")) << run.out;
  EXPECT_EQ(server.requests()[0].target, "/api/v1/namespaces/acme/keys/AAAA%20BBBB");
  EXPECT_EQ(server.requests()[3].target, "/api/v1/namespaces/acme/keys/rotate");
  EXPECT_EQ(server.requests()[3].method, "POST");
}

struct Export {
  std::vector<std::string> key_id;
  std::string_view out;
};

TEST(KeyCommandTest, ExportsWhatWasAskedFor) {
  ScriptedServer server(Always(ScriptedAnswer::Json(200, wire::Encode(wire::KeyList{FourKeys()}))));
  const std::vector<Export> kExports = {
      {{}, "armor of AAAAAAAAAAAAAAAA\narmor of BBBBBBBBBBBBBBBB\narmor of CCCCCCCCCCCCCCCC\n"},
      {{"0xdddd dddd"}, "armor of DDDDDDDDDDDDDDDD\n"},
      {{"000000000000000000000000BBBBBBBBBBBBBBBB"}, "armor of BBBBBBBBBBBBBBBB\n"},
  };
  for (const Export& each : kExports) {
    std::vector<std::string> arguments = {"key", "export", "acme"};
    arguments.insert(arguments.end(), each.key_id.begin(), each.key_id.end());
    ProgramRun run = Call(server, arguments);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, each.out);
  }
  for (std::string_view none : {"EEEEEEEEEEEEEEEE", "AAAA", "nonsense"}) {
    ProgramRun run = Call(server, {"key", "export", "acme", std::string(none)});
    EXPECT_EQ(run.status, 1) << none;
    EXPECT_EQ(run.out, "");
    EXPECT_TRUE(Has(run.err, "koya key list acme")) << run.err;
  }
  ScriptedServer empty(Always(ScriptedAnswer::Json(200, wire::Encode(wire::KeyList{{}}))));
  EXPECT_TRUE(Has(Call(empty, {"key", "export", "acme"}).err, "koya key add acme"));
}

struct KeyText {
  std::string_view name;
  std::string text;
  std::string_view words;  // "" when it is fit to be sent
};

TEST(KeyTextTest, TellsPublicKeysFromAllElse) {
  using namespace std::string_literals;
  const std::vector<KeyText> kTexts = {
      {"public", std::string(kPublic), ""},
      {"two, with words around", "hello\n" + std::string(kPublic) + "\n" + std::string(kPublic),
       ""},
      {"secret", std::string(kSecret), "SECRET"},
      {"secret behind public", std::string(kPublic) + std::string(kSecret), "SECRET"},
      {"old words", "-----BEGIN PGP SECRET KEY BLOCK-----", "SECRET"},
      {"binary, old format", "\x95\x00\x02xx"s, "SECRET"},
      {"binary, new format", "\xC5\x02xx"s, "SECRET"},
      {"binary, length to the end", "\x97xxxx"s, "SECRET"},
      {"binary subkey", "\x9D\x00\x02xx"s, "SECRET"},
      {"binary behind a public key", "\x99\x00\x02xx\xB4\x01u\x95\x00\x01x"s, "SECRET"},
      {"binary behind two octets of length", "\xC6\xC0\x00"s + std::string(192, 'x') + "\xC5\x01x",
       "SECRET"},
      {"binary behind four octets of length", "\xC6\xFF\x00\x00\x00\x02xx\xC7\x01x"s, "SECRET"},
      {"binary public key", "\x99\x00\x02xx"s, "gpg --armor"},
      {"cut off", "\x99\x00"s, "gpg --armor"},
      {"length beyond the end", "\x9A\xFF\xFF\xFF\xFF\x95\x00\x02xx"s, "gpg --armor"},
      {"in parts", "\xC6\xE1xxxx"s, "gpg --armor"},
      {"empty", "", "has no armored"},
      {"an ssh key", "ssh-ed25519 AAAA x@y", "has no armored"},
      {"a signature", "-----BEGIN PGP SIGNATURE-----", "has no armored"},
      {"too large", std::string(kPublic) + std::string(kMaxKeyText, 'x'), "is larger than"},
  };
  for (const KeyText& each : kTexts) {
    Status status = CheckPublicKeyText(each.text, "k.asc");
    EXPECT_EQ(status.has_value(), each.words.empty()) << each.name;
    if (!status) {
      EXPECT_EQ(status.error().kind, ErrorKind::kInvalid);
      EXPECT_TRUE(Has(status.error().message, each.words))
          << each.name << ": " << status.error().message;
      EXPECT_TRUE(status.error().message.starts_with("k.asc ")) << status.error().message;
    }
  }
}

}  // namespace
}  // namespace koya::cli
