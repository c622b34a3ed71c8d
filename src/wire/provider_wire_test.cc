// The documents of providers: as clients read them, round trips, and what decoders refuse.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "wire/provider_publishing.h"
#include "wire/providers.h"

namespace koya::wire {
namespace {

ProviderDetails Details() {
  return {.ns = "acme",
          .type = "demo",
          .version = "1.2.0",
          .owner = "ci",
          .source = "registry.example.com/acme/demo",
          .published_at = "2026-11-21T16:41:10Z",
          .deprecation = "",
          .protocols = {"5.0", "6.0"},
          .platforms = {{"linux", "amd64"}},
          .shasums_digest = "",
          .key_fingerprint = "",
          .versions = {}};
}

ProviderDownload Download() {
  return {.protocols = {"6.0"},
          .os = "linux",
          .arch = "amd64",
          .filename = "terraform-provider-demo_1.2.0_linux_amd64.zip",
          .download_url = "https://h/p.zip",
          .shasums_url = "https://h/SHA256SUMS",
          .shasums_signature_url = "https://h/SHA256SUMS.sig",
          .shasum = "ab",
          .keys = {{"0123456789ABCDEF", "-----BEGIN", "", "acme", ""}},
          .packages = {}};
}

NamespaceKey Key() {
  return {.key_id = "0123456789ABCDEF",
          .fingerprint = "00000000000000000000000089ABCDEF01234567",
          .user_ids = {"Åcme <release@acme.test>"},
          .algorithm = "Ed25519",
          .created = "2026-01-01T00:00:00Z",
          .expires = "",
          .expired = false,
          .added = "2026-01-02T00:00:00Z",
          .added_by = "ci",
          .removed = "",
          .server_made = true,
          .ascii_armor = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n"};
}

TEST(ProviderVersionsTest, IsWhatClientsAndToolsRead) {
  ProviderVersions document{
      .id = "acme/demo", .versions = {{"1.2.0", {"5.0"}, {{"linux", "amd64"}}}}, .warnings = {}};
  EXPECT_EQ(Encode(document),
            R"({"id":"acme/demo","versions":[{"version":"1.2.0","protocols":["5.0"],)"
            R"("platforms":[{"os":"linux","arch":"amd64"}]}]})");
  document.id.clear();
  document.versions.clear();
  document.warnings = {"1.2.0 is deprecated"};
  EXPECT_EQ(Encode(document), R"({"versions":[],"warnings":["1.2.0 is deprecated"]})");
}

TEST(ProviderDownloadTest, IsWhatClientsRead) {
  ProviderDownload document = Download();
  const std::string kHead =
      R"({"protocols":["6.0"],"os":"linux","arch":"amd64",)"
      R"("filename":"terraform-provider-demo_1.2.0_linux_amd64.zip",)"
      R"("download_url":"https://h/p.zip","shasums_url":"https://h/SHA256SUMS",)"
      R"("shasums_signature_url":"https://h/SHA256SUMS.sig","shasum":"ab",)"
      R"("signing_keys":{"gpg_public_keys":[{"key_id":"0123456789ABCDEF",)"
      R"("ascii_armor":"-----BEGIN","trust_signature":"","source":"acme","source_url":null}]})";
  EXPECT_EQ(EncodeProviderDownload(document), kHead + "}");
  document.packages["linux_amd64"] = {{"zh:ab", "h1:cd="}, 7};
  EXPECT_EQ(
      EncodeProviderDownload(document),
      kHead + R"(,"packages":{"linux_amd64":{"hashes":["zh:ab","h1:cd="],"package_size":7}}})");
}

TEST(ProviderDetailsTest, ShowsNoDeprecationAsNull) {
  EXPECT_EQ(Encode(Details()),
            R"({"id":"acme/demo/1.2.0","owner":"ci","namespace":"acme","name":"demo",)"
            R"("alias":"demo","version":"1.2.0","source":"registry.example.com/acme/demo",)"
            R"("published_at":"2026-11-21T16:41:10Z","warning":null,"deprecated":false,)"
            R"("protocols":["5.0","6.0"],)"
            R"("platforms":[{"os":"linux","arch":"amd64"}]})");
}

TEST(NamespaceKeyTest, ShowsWhatNeverHappensAsNull) {
  std::string text = Encode(KeyList{{Key()}});
  EXPECT_NE(text.find(R"("expires":null,"expired":false,)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("removed":null,"server_made":true,)"), std::string::npos) << text;
}

TEST(ProviderRoundTripTest, DocumentsOfTheProtocolReadBack) {
  ProviderVersions versions{
      "acme/demo", {{"2.0.0", {"6.0"}, {{"darwin", "arm64"}}}, {"1.0.0-rc.1+b", {}, {}}}, {"old"}};
  EXPECT_EQ(Decode<ProviderVersions>(Encode(versions)), versions);

  ProviderDownload download = Download();
  download.keys.push_back({"B", "armor \"two\"", "trust", "Ünïcode", "https://acme.test/keys"});
  download.packages = {{"linux_amd64", {{"zh:1"}, 1ULL << 33}}, {"darwin_arm64", {{}, 0}}};
  EXPECT_EQ(DecodeProviderDownload(EncodeProviderDownload(download)), download);
  download.attachments = {{"x.cdx.json", "https://acme.test/x", std::string(64, 'a'), 5}};
  const auto foreign = DecodeForeignDownload(EncodeProviderDownload(download));
  ASSERT_TRUE(foreign);
  EXPECT_EQ(foreign->attachments_dropped, "");
  const Digest digest = *Digest::Parse(std::string(64, 'a'));
  EXPECT_EQ(foreign->attachments,
            (std::vector{ForeignAttachment{"x.cdx.json", "https://acme.test/x", digest}}));

  ProviderDetails details = Details();
  EXPECT_EQ(Decode<ProviderDetails>(Encode(details)), details);
  details.deprecation = "use 2.0.0";
  details.shasums_digest = "sha256:00";
  details.key_fingerprint = "AB";
  details.versions = {"2.0.0", "1.2.0"};
  EXPECT_EQ(Decode<ProviderDetails>(Encode(details)), details);

  ProviderList list{15,       30, 45, 15, "/v1/providers?offset=45", "/v1/providers?offset=15",
                    {details}};
  EXPECT_EQ(DecodeProviderList(EncodeProviderList(list)), list);
}

TEST(ProviderRoundTripTest, DocumentsOfPublishingReadBack) {
  DraftFile file{"terraform-provider-日本_1.0.0_linux_amd64.zip", "sha256:00", 1ULL << 40, {"bad"}};
  EXPECT_EQ(Decode<DraftFile>(Encode(file)), file);
  Draft draft{.id = "d1",
              .address = "acme/demo",
              .version = "1.0.0",
              .created = "2026-01-01T00:00:00Z",
              .expires = "2026-01-02T00:00:00Z",
              .upload = "sha256:01",
              .files = {file}};
  EXPECT_EQ(Decode<Draft>(Encode(draft)), draft);
  const DraftRequest opening{.upload = "sha256:01"};
  EXPECT_EQ(Decode<DraftRequest>(Encode(opening)), opening);
  EXPECT_EQ(Decode<DraftRequest>(Encode<DraftRequest>({})), DraftRequest());
  EXPECT_EQ(Decode<DraftRequest>(""), DraftRequest()) << "as earlier clients send it";

  CommitRequest request{true, {"5.0", "6.0"}, "https://github.com/acme/demo"};
  EXPECT_EQ(Decode<CommitRequest>(Encode(request)), request);
  PublishedProvider published{
      .address = "acme/demo",
      .version = "1.0.0",
      .source = "h/acme/demo",
      .protocols = {"5.0"},
      .shasums_digest = "sha256:00",
      .key_fingerprint = "AB",
      .packages = {{"linux_amd64", "p.zip", "sha256:11", 3, {"zh:11", "h1:x="}}}};
  EXPECT_EQ(Decode<PublishedProvider>(Encode(published)), published);
  published.dry_run = true;
  published.semver = "warn";
  published.comparison = Comparison{.from = "0.9.0",
                                    .to = "1.0.0",
                                    .verdict = "minor",
                                    .given = "major",
                                    .text = "It agrees.",
                                    .changes = {{.section = "platforms",
                                                 .kind = "added",
                                                 .what = "platform linux_amd64",
                                                 .severity = "compatible",
                                                 .text = "It is new."}}};
  EXPECT_EQ(Decode<PublishedProvider>(Encode(published)), published);

  EXPECT_EQ(Decode<Deprecation>(Encode(Deprecation{"use \"2\""})), (Deprecation{"use \"2\""}));
  EXPECT_EQ(Decode<Deprecation>(Encode(Deprecation{""})), (Deprecation{""}));
  NamespaceKey gone = Key();
  gone.expires = "2027-01-01T00:00:00Z";
  gone.expired = true;
  gone.removed = "2026-06-01T00:00:00Z";
  gone.server_made = false;
  EXPECT_EQ(Decode<KeyList>(Encode(KeyList{{Key(), gone}})), (KeyList{{Key(), gone}}));
}

TEST(DraftListTest, LeavesOutWhatIsInTheDrafts) {
  Draft draft{"d1",
              "acme/demo",
              "1.0.0",
              "2026-01-01T00:00:00Z",
              "2026-01-02T00:00:00Z",
              "",
              {{"x", "sha256:00", 1, {}}}};
  std::string text = Encode(DraftList{{draft}});
  EXPECT_EQ(text.find("files"), std::string::npos) << text;
  draft.files.clear();
  EXPECT_EQ(Decode<DraftList>(text), (DraftList{{draft}}));
}

TEST(CommitRequestTest, AnEmptyBodyMeansTheDefaults) {
  EXPECT_EQ(Decode<CommitRequest>(""), CommitRequest{});
  EXPECT_EQ(Decode<CommitRequest>("{}"), CommitRequest{});
}

TEST(ProviderDecodeTest, ToleratesWhatClientsTolerate) {
  for (std::string_view body :
       {"{}", R"({"versions":null,"warnings":null})", R"({"id":7,"versions":[],"x":{}})"}) {
    auto versions = Decode<ProviderVersions>(body);
    ASSERT_TRUE(versions) << body;
    EXPECT_EQ(*versions, ProviderVersions{}) << body;
  }
  auto versions = Decode<ProviderVersions>(
      R"({"versions":[{"version":"v1","protocols":null,"platforms":"all"},)"
      R"({"version":"2","platforms":[null,{"os":"linux"},{"os":"linux","arch":"386"},7]}]})");
  ASSERT_TRUE(versions);
  EXPECT_EQ(versions->versions,
            (std::vector<ProviderVersion>{{"v1", {}, {}}, {"2", {}, {{"linux", "386"}}}}));

  const std::string kUnsigned =
      R"({"os":"o","arch":"a","filename":"f","download_url":"u","shasums_url":"s","shasum":"00")";
  for (std::string_view rest :
       {"}", R"(,"protocols":null,"signing_keys":null,"packages":null})", R"(,"signing_keys":{}})",
        R"(,"signing_keys":{"gpg_public_keys":null},"packages":{}})"}) {
    auto download = DecodeProviderDownload(kUnsigned + std::string(rest));
    ASSERT_TRUE(download) << rest;
    EXPECT_TRUE(download->keys.empty());
    EXPECT_TRUE(download->packages.empty());
  }
}

TEST(ProviderEncodeTest, NoKeysAreWhatTheCatalogTakesForNone) {
  EXPECT_EQ(EncodeSigningKeys({}), R"({"gpg_public_keys":[]})");
}

TEST(ProviderDecodeTest, TakesAttachmentsThatHaveANameAndAUrl) {
  struct Case {
    std::string list, names, dropped;
  };
  const std::string kUnsigned =
      R"({"os":"o","arch":"a","filename":"f","download_url":"u","shasums_url":"s","shasum":"00")";
  const std::string digest(64, 'A');
  for (const Case& each : {
           Case{"null", "", ""},
           Case{"[]", "", ""},
           Case{R"([{"name":"a.cdx.json","url":"/x"}])", "a.cdx.json=/x ", ""},
           Case{R"([{"name":"a.cdx.json","url":"x","download_url":"y"}])", "a.cdx.json=x ", ""},
           Case{R"([{"type":"sbom","download_url":"/p/b.spdx.json?t=/c#d"}])",
                "b.spdx.json=/p/b.spdx.json?t=/c#d ", ""},
           Case{
               R"([{"url":"b.sigstore.json","sha256":")" + digest + R"(","sizes":[1,{"a":null}]}])",
               "b.sigstore.json=b.sigstore.json! ", ""},
           Case{R"([7,{"name":"a.cdx.json","url":"x"}])", "a.cdx.json=x ", "not an object"},
           Case{"[null]", "", "not an object"},
           Case{R"(["a.cdx.json"])", "", "not an object"},
           Case{R"([{"name":"a.cdx.json"}])", "", "no text \"url\""},
           Case{R"([{"name":"a.cdx.json","url":5}])", "", "no text \"url\""},
           Case{R"([{"url":"/a.json"}])", "", "name ends with"},
           Case{R"([{"url":"https://acme.test/"}])", "", "name ends with"},
           Case{R"([{"name":"a.html","url":"/a.cdx.json"}])", "", "name ends with"},
           Case{R"([{"name":"a/../b.cdx.json","url":"x"}])", "", "does not fit"},
           Case{R"([{"name":".cdx.json","url":"x"}])", "", "does not fit"},
           Case{R"([{"name":"a.cdx.json","url":"x","sha256":"00"}])", "", "64"},
           Case{R"([{"name":"a.cdx.json","url":"x"},{"name":"a.cdx.json","url":"y"}])",
                "a.cdx.json=x ", "named twice"},
           Case{"{}", "", "not a list"},
           Case{R"({"type":"sbom"})", "", "not a list"},
           Case{"\"sbom\"", "", "not a list"},
           Case{"5", "", "not a list"},
           Case{"true", "", "not a list"},
       }) {
    auto read = DecodeForeignDownload(kUnsigned + R"(,"attachments":)" + each.list + "}");
    ASSERT_TRUE(read) << each.list;
    std::string names;
    for (const ForeignAttachment& found : read->attachments) {
      names += found.name + "=" + found.url + (found.sha256 ? "! " : " ");
    }
    EXPECT_EQ(names, each.names) << each.list;
    EXPECT_TRUE(read->attachments_dropped.contains(each.dropped)) << read->attachments_dropped;
    EXPECT_EQ(read->attachments_dropped.empty(), each.dropped.empty()) << each.list;
  }
  EXPECT_FALSE(DecodeForeignDownload(kUnsigned + R"(,"attachments":[})"));
}

TEST(ProviderManifestTest, GivesTheProtocolsAsSpelled) {
  EXPECT_EQ(DecodeProviderManifest(
                R"({"version":1,"metadata":{"protocol_versions":["6.0","v5"],"more":1}})"),
            (std::vector<std::string>{"6.0", "v5"}));
}

struct Refusal {
  std::string_view name;
  std::function<Status(std::string_view)> decode;
  std::string body;
  std::string_view message_part;
};

template <class T>
std::function<Status(std::string_view)> Only(Result<T> (*decode)(std::string_view)) {
  return [decode](std::string_view body) -> Status {
    auto result = decode(body);
    if (!result) return std::unexpected(result.error());
    return {};
  };
}

std::string DownloadWith(std::string_view change) {
  return R"({"os":"o","arch":"a","filename":"f","download_url":"u","shasums_url":"s",)"
         R"("shasum":"00",)" +
         std::string(change) + "}";
}

void ExpectRefused(const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) {
    Status status = refusal.decode(refusal.body);
    ASSERT_FALSE(status) << refusal.name;
    EXPECT_EQ(status.error().kind, ErrorKind::kInvalid) << refusal.name;
    EXPECT_NE(status.error().message.find(refusal.message_part), std::string::npos)
        << refusal.name << ": " << status.error().message;
  }
}

TEST(ProviderDecodeTest, RefusesWhatNoClientCouldUse) {
  auto versions = Only(Decode<ProviderVersions>);
  auto download = Only(DecodeProviderDownload);
  ExpectRefused({
      {"html", versions, "<html>", "list of provider versions is not valid JSON"},
      {"array", versions, "[]", "must be a JSON object"},
      {"warnings text", versions, R"({"versions":[],"warnings":"x"})", "array of strings"},
      {"warnings numbers", versions, R"({"warnings":[1]})", "array of strings"},
      {"versions object", versions, R"({"versions":{}})", "\"versions\" must be an array"},
      {"version text", versions, R"({"versions":["1.0.0"]})", "array of objects"},
      {"version null", versions, R"({"versions":[null]})", "array of objects"},
      {"no version", versions, R"({"versions":[{"protocols":[]}]})", "\"version\" must be given"},
      {"protocols text", versions, R"({"versions":[{"version":"1","protocols":"5.0"}]})",
       "array of strings"},
      {"too deep", versions, R"({"x":)" + std::string(40, '[') + std::string(40, ']') + "}",
       "not valid JSON"},
      {"no os", download, "{}", "\"os\" must be given"},
      {"no shasum", download,
       R"({"os":"o","arch":"a","filename":"f","download_url":"u","shasums_url":"s"})",
       "\"shasum\" must be given"},
      {"os number", download, R"({"os":1})", "\"os\" must be a string"},
      {"keys array", download, DownloadWith(R"("signing_keys":[])"), "must be an object"},
      {"key null", download, DownloadWith(R"("signing_keys":{"gpg_public_keys":[null]})"),
       "array of objects"},
      {"armor number", download,
       DownloadWith(R"("signing_keys":{"gpg_public_keys":[{"ascii_armor":1}]})"), "a string"},
      {"packages array", download, DownloadWith(R"("packages":[])"), "must be an object"},
      {"package null", download, DownloadWith(R"("packages":{"a_b":null})"), "only objects"},
      {"negative size", download, DownloadWith(R"("packages":{"a_b":{"package_size":-1}})"),
       "whole number"},
      {"details without name", Only(Decode<ProviderDetails>), R"({"namespace":"a"})",
       "\"name\" must be given"},
      {"list without providers", Only(DecodeProviderList), R"({"meta":{}})", "must be an array"},
      {"meta text", Only(DecodeProviderList), R"({"meta":"x","providers":[]})", "objects"},
  });
}

TEST(ProviderDecodeTest, RefusesManifestsThatSayNothing) {
  auto manifest = Only(DecodeProviderManifest);
  ExpectRefused({
      {"not json", manifest, "version: 1", "the manifest is not valid JSON"},
      {"no version", manifest, R"({"metadata":{"protocol_versions":["6.0"]}})",
       "\"version\" must be 1"},
      {"version 2", manifest, R"({"version":2,"metadata":{"protocol_versions":["6.0"]}})",
       "\"version\" must be 1"},
      {"version text", manifest, R"({"version":"1","metadata":{}})", "whole number"},
      {"no metadata", manifest, R"({"version":1})", "\"metadata\" must be an object"},
      {"metadata array", manifest, R"({"version":1,"metadata":[]})", "must be an object"},
      {"no protocols", manifest, R"({"version":1,"metadata":{}})", "no \"protocol_versions\""},
      {"empty", manifest, R"({"version":1,"metadata":{"protocol_versions":[]}})", "[\"6.0\"]"},
      {"text", manifest, R"({"version":1,"metadata":{"protocol_versions":"6.0"}})",
       "array of strings"},
      {"number", manifest, R"({"version":1,"metadata":{"protocol_versions":[6.0]}})",
       "array of strings"},
  });
}

TEST(ProviderDecodeTest, RefusesBrokenDocumentsOfPublishing) {
  ExpectRefused({
      {"file without digest", Only(Decode<DraftFile>), R"({"name":"x"})",
       "\"digest\" must be given"},
      {"file size", Only(Decode<DraftFile>), R"({"name":"x","digest":"d","size":1.5})",
       "whole number"},
      {"draft without id", Only(Decode<Draft>), R"({"files":[]})", "\"id\" must be given"},
      {"draft's files", Only(Decode<Draft>), R"({"id":"d","files":["x"]})", "array of objects"},
      {"drafts", Only(Decode<DraftList>), "{}", "\"drafts\" must be an array"},
      {"sign text", Only(Decode<CommitRequest>), R"({"sign":"yes"})", "true or false"},
      {"protocols text", Only(Decode<CommitRequest>), R"({"protocols":"5.0"})", "array of strings"},
      {"commit array", Only(Decode<CommitRequest>), "[]", "must be a JSON object"},
      {"published without digest", Only(Decode<PublishedProvider>),
       R"({"address":"a/b","version":"1"})", "\"shasums_digest\" must be given"},
      {"no message", Only(Decode<Deprecation>), "{}", "\"message\" must be a string"},
      {"null message", Only(Decode<Deprecation>), R"({"message":null})", "removes a deprecation"},
      {"empty body", Only(Decode<Deprecation>), "", "not valid JSON"},
      {"key without fingerprint", Only(Decode<KeyList>), R"({"keys":[{"key_id":"A"}]})",
       "\"fingerprint\" must be given"},
      {"keys", Only(Decode<KeyList>), "{}", "\"keys\" must be an array"},
  });
}

}  // namespace
}  // namespace koya::wire
