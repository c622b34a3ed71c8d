#include "upstream/modules/module_location.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::upstream {
namespace {

const std::string kHex64(64, 'a');

http::Url Asked() {
  return *http::ParseUrl("https://registry.test/v1/modules/acme/vpc/aws/1.0.0/download");
}

std::string Described(const ModuleLocation& location) {
  if (const auto* archive = std::get_if<PackedLocation>(&location)) {
    constexpr std::string_view kNames[] = {"any", "zip", "tar.gz", "tar.bz2", "tar.xz"};
    std::string checksum = archive->checksum ? "#" + archive->checksum->hex.substr(0, 3) : "";
    return std::string(kNames[static_cast<int>(archive->format)]) + " " + archive->url.ToString() +
           checksum + " [" + archive->folder + "]";
  }
  if (const auto* page = std::get_if<PageLocation>(&location)) {
    return "page " + page->url.ToString() + " [" + page->folder + "]";
  }
  const auto& git = std::get<GitLocation>(location);
  return "git " + (git.user.empty() ? "" : git.user + " at ") + git.url.ToString() + " " + git.ref +
         " [" + git.folder + "]";
}

struct Accept {
  std::string text;
  std::string_view is;
};
struct Reject {
  std::string text;
  std::string_view why;
};

void ExpectAll(const std::vector<Accept>& table) {
  for (const Accept& each : table) {
    auto read = ParseModuleLocation(Asked(), each.text);
    ASSERT_TRUE(read) << each.text << ": " << read.error().message;
    EXPECT_EQ(Described(*read), each.is) << each.text;
  }
}

void ExpectNone(const std::vector<Reject>& table) {
  for (const Reject& each : table) {
    auto read = ParseModuleLocation(Asked(), each.text);
    ASSERT_FALSE(read) << each.text << " is " << Described(*read);
    EXPECT_EQ(read.error().kind, ErrorKind::kBadUpstream) << each.text;
    EXPECT_NE(read.error().message.find(each.why), std::string::npos)
        << each.text << ": " << read.error().message;
    EXPECT_EQ(read.error().message.find("secret"), std::string::npos) << read.error().message;
  }
}

TEST(ModuleLocationTest, FollowsArchives) {
  ExpectAll({
      {"https://a.test/p.zip", "zip https://a.test/p.zip []"},
      {"https://a.test/p.tar.gz", "tar.gz https://a.test/p.tar.gz []"},
      {"https://a.test/p.tgz?x=2&a=1", "tar.gz https://a.test/p.tgz?x=2&a=1 []"},
      {"https://a.test/p.tar.bz2", "tar.bz2 https://a.test/p.tar.bz2 []"},
      {"https://a.test/p.tbz2", "tar.bz2 https://a.test/p.tbz2 []"},
      {"https://a.test/p.tar.xz", "tar.xz https://a.test/p.tar.xz []"},
      {"https://a.test/p.txz#part", "tar.xz https://a.test/p.txz []"},
      {"https::https://a.test/p.zip", "zip https://a.test/p.zip []"},
      {"HTTPS://A.test:443/p.zip", "zip https://a.test/p.zip []"},
      {"https://a.test:8443/p?archive=zip&t=1", "zip https://a.test:8443/p?t=1 []"},
      {"https://a.test/p.zip?archive=tgz", "tar.gz https://a.test/p.zip []"},
      {"https://a.test/p.zip?archive=", "zip https://a.test/p.zip []"},
      {"https://a.test/r.git?archive=zip", "zip https://a.test/r.git []"},
      {"https://a.test/p.zip//modules/vpc", "zip https://a.test/p.zip [modules/vpc]"},
      {"https://a.test/p.zip//./modules//vpc/?a=1", "zip https://a.test/p.zip?a=1 [modules/vpc]"},
      {"https://api.github.com/repos/a/b/tarball/v1//*?archive=tar.gz",
       "tar.gz https://api.github.com/repos/a/b/tarball/v1 [*]"},
      {"https://a.test/t//*/modules/x?archive=tar.gz", "tar.gz https://a.test/t [*/modules/x]"},
      {"https://a.test/p.zip?checksum=sha256:" + kHex64, "zip https://a.test/p.zip#aaa []"},
      {"https://a.test/p.zip?checksum=" + std::string(32, 'B') + "&x",
       "zip https://a.test/p.zip?x#bbb []"},
      {"https://a.test/p.zip?checksum=sha512%3A" + kHex64 + kHex64,
       "zip https://a.test/p.zip#aaa []"},
      {"https://a.test/p.zip?url=https://b.test//x",
       "zip https://a.test/p.zip?url=https://b.test//x []"},
  });
}

TEST(ModuleLocationTest, SeesRelativeOnesFromTheDownloadUrl) {
  ExpectAll({
      {"/p.zip", "zip https://registry.test/p.zip []"},
      {"./p.zip?t=1", "zip https://registry.test/v1/modules/acme/vpc/aws/1.0.0/p.zip?t=1 []"},
      {"../p.tgz//sub", "tar.gz https://registry.test/v1/modules/acme/vpc/aws/p.tgz [sub]"},
      {"../../../../../../../p?archive=zip", "zip https://registry.test/p []"},
      {"/page", "page https://registry.test/page?terraform-get=1 []"},
  });
}

TEST(ModuleLocationTest, FollowsPages) {
  ExpectAll({
      {"https://a.test/vpc", "page https://a.test/vpc?terraform-get=1 []"},
      {"https://a.test/vpc//sub?x=1", "page https://a.test/vpc?x=1&terraform-get=1 [sub]"},
      {"https://a.test/p.zip?archive=false", "page https://a.test/p.zip?terraform-get=1 []"},
      {"https://a.test/p.tar", "page https://a.test/p.tar?terraform-get=1 []"},
  });
}

TEST(ModuleLocationTest, FollowsGit) {
  ExpectAll({
      {"git::https://a.test/r?ref=v1.0.0", "git https://a.test/r v1.0.0 []"},
      {"git::https://a.test/r.git//modules/x?ref=main&depth=1",
       "git https://a.test/r.git main [modules/x]"},
      {"git::https://org@dev.test/org/p/_git/r", "git https://dev.test/org/p/_git/r  []"},
      {"git::https://a.test:8443/r?ref=", "git https://a.test:8443/r  []"},
      {"git::https://a.test/r?ref=feature%2Fx", "git https://a.test/r feature/x []"},
      {"git::https://a.test/r?ref=v1%2Bb", "git https://a.test/r v1+b []"},
      {"GIT::https://a.test/r?ref=" + std::string(40, 'c'),
       "git https://a.test/r cccccccccccccccccccccccccccccccccccccccc []"},
      {"git::ssh://git@a.test/o/r.git?ref=v1", "git git at ssh://a.test/o/r.git v1 []"},
      {"git::ssh://a.test:2222/o/r.git", "git ssh://a.test:2222/o/r.git  []"},
      {"git::git@a.test:o/r.git//x", "git git at ssh://a.test/o/r.git  [x]"},
      {"git@a.test:/o/r?ref=v1", "git git at ssh://a.test/o/r v1 []"},
      {"github.com/o/r", "git https://github.com/o/r.git  []"},
      {"github.com/o/r.git/sub/x?ref=v1", "git https://github.com/o/r.git v1 [sub/x]"},
      {"git::github.com/o/r//sub", "git https://github.com/o/r.git  [sub]"},
      {"gitlab.com/o/r?ref=v1", "git https://gitlab.com/o/r.git v1 []"},
      {"bitbucket.org/o/r", "git https://bitbucket.org/o/r.git  []"},
      {"https://a.test/o/r.git//sub?ref=v1", "git https://a.test/o/r.git v1 [sub]"},
      {"/o/r.git", "git https://registry.test/o/r.git  []"},
  });
}

TEST(ModuleLocationTest, RefusesWhatIsNotFollowed) {
  ExpectNone({
      {"", "empty"},
      {"p.zip", "not a URL"},
      {"archive/p.zip", "not a URL"},
      {"acme/vpc/aws", "not a URL"},
      {"registry.test/acme/vpc/aws", "not a URL"},
      {"C:\\p.zip", "not allowed in a URL"},
      {"https://a.test/p q.zip", "not allowed in a URL"},
      {"https://\xC3\xA4.test/p.zip", "not allowed in a URL"},
      {"https://a.test/p.zip\n", "not allowed in a URL"},
      {std::string("https://a.test/p.zip\0x", 22), "not allowed in a URL"},
      {"https://a.test/" + std::string(9000, 'a') + ".zip", "too long"},
      {"//evil.test/p.zip", "two slashes"},
      {"http://a.test/p.zip", "http: is not supported"},
      {"http::http://a.test/p.zip", "http: is not supported"},
      {"ftp://a.test/p.zip", "ftp: is not supported"},
      {"file:///etc/p.zip", "file: is not supported"},
      {"file::/etc/p.zip", "file:: is not supported"},
      {"hg::https://a.test/r", "hg:: is not supported"},
      {"s3::https://s3.amazonaws.com/b/p.zip", "s3:: is not supported"},
      {"gcs::https://www.googleapis.com/storage/v1/b/p.zip", "gcs:: is not supported"},
      {"oci://a.test/r:v1", "oci: is not supported"},
      {"ssh://git@a.test/r", "git::"},
      {"https://user:secret@a.test/p.zip", "password"},
      {"https://secret@a.test/p.zip", "password"},
      {"https://user:secret@a.test/p?sig=secret", "password"},
      {"https://a.test:99999/p.zip", "not a URL"},
      {"https:///p.zip", "not a URL"},
      {"https://a%2Etest/p.zip", "not a URL"},
      {"https:/a.test/p.zip", "not a URL"},
      {"https://a.test/p.gz", "single compressed file"},
      {"https://a.test/p?archive=xz", "single compressed file"},
      {"https://a.test/p?archive=rar&sig=secret", "not a format"},
      {"https://a.test/p?archive=true", "not a format"},
      {"https://a.test/p.zip?archive=zip&archive=tgz", "twice"},
  });
}

TEST(ModuleLocationTest, RefusesBadChecksumsAndFolders) {
  ExpectNone({
      {"https://a.test/p.zip?checksum=file:https://a.test/sums", "another file"},
      {"https://a.test/p.zip?checksum=sha256:abc", "64 hexadecimal"},
      {"https://a.test/p.zip?checksum=sha256:" + std::string(64, 'g'), "64 hexadecimal"},
      {"https://a.test/p.zip?checksum=sha3:" + kHex64, "unknown kind"},
      {"https://a.test/p.zip?checksum=abc", "unknown kind"},
      {"https://a.test/p.zip?checksum=", "unknown kind"},
      {"https://a.test/page?checksum=" + kHex64, "only an archive"},
      {"https://a.test/r.git?checksum=" + kHex64, "only an archive"},
      {"https://a.test/p.zip//../etc", "leads out"},
      {"https://a.test/p.zip//a/../../b", "leads out"},
      {"https://a.test/p.zip//mod*", "pattern"},
      {"https://a.test/p.zip//a/*", "pattern"},
      {"https://a.test/p.zip//[ab]", "pattern"},
      {"https://a.test/page//*", "archive only"},
      {"git::https://a.test/r//*", "top folder"},
      {"git::https://a.test/r//../x", "leads out"},
  });
}

TEST(ModuleLocationTest, RefusesBadGit) {
  ExpectNone({
      {"git::http://a.test/r", "not over http"},
      {"git::git://a.test/r", "not over git"},
      {"git::file:///srv/r.git", "not over file"},
      {"git::ext::sh -c x", "not allowed in a URL"},
      {"git::ext::sh", "not an address of git"},
      {"git::/srv/r.git", "path on the machine"},
      {"git::../r.git", "path on the machine"},
      {"git::-oProxyCommand=x:y", "path on the machine"},
      {"git::https://user:secret@a.test/r", "password"},
      {"git::ssh://git:secret@a.test/r", "password"},
      {"git::ssh://-x@a.test/r", "not a user name"},
      {"git::ssh://-oProxyCommand=x/r", "not a URL of a repository"},
      {"git::git@-oProxyCommand=x:r", "not a URL of a repository"},
      {"git::ssh://a.test", "no repository"},
      {"git::https://a.test/", "no repository"},
      {"git::https:///r", "cannot be followed"},
      {"git::https://a.test/r%0ahost", "control characters"},
      {"git::ssh://git@a.test/r?sshkey=secret", "private key"},
      {"git::https://a.test/r?ref=v1&token=secret", "\"token\""},
      {"git::https://a.test/r?archive=zip", "\"archive\""},
      {"git::https://a.test/r?depth=all", "depth"},
      {"git::https://a.test/r?ref=v1&ref=v2", "twice"},
      {"github.com/o", "no repository"},
      {"github.com/o/", "no repository"},
      {"github.com//r", "not a URL"},
      {"git::ssh://a_b@c_d.test/r", "host name"},
      {"git::https://[::1]/r", "host name"},
      {"git::https:///r/x", "not a URL of a repository"},
      {"github.com/o//r", "no repository"},
  });
  for (std::string_view ref : {"-x",     "--upload-pack=x",
                               "+main",  "a..b",
                               "main:x", "refs/heads/*",
                               "a%20b",  "a+b",
                               "a%0Ab",  "a%00b",
                               "HEAD~1", "HEAD%5E",
                               "a%5Cb",  "@",
                               "@{u}",   ".x",
                               "a/.b",   "a//b",
                               "/a",     "a/",
                               "a.lock", "a.lock/b",
                               "a.",     "a[b"}) {
    ExpectNone({{"git::https://a.test/r?ref=" + std::string(ref), "its ref"}});
  }
  ExpectNone({{"git::https://a.test/r?ref=" + std::string(256, 'a'), "too long"}});
}

TEST(ModuleLocationTest, TakesDirectLocationsAsTheyAre) {
  for (auto [text, is] : std::vector<Accept>{
           {"p.zip", "any https://registry.test/v1/modules/acme/vpc/aws/1.0.0/p.zip []"},
           {"https://a.test/x//y?archive=zip", "any https://a.test/x//y?archive=zip []"}}) {
    auto read = ParseDirectLocation(Asked(), text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(Described(*read), is);
  }
  for (std::string_view text :
       {"", "http://a.test/p", "git::https://a.test/r", "p.zip#x", "a b", "https:/a.test/p",
        "https://%e3.test/p", "//user:secret@a.test/p", "https://user:secret@a.test/p"}) {
    auto read = ParseDirectLocation(Asked(), text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message.find("secret"), std::string::npos);
  }
}

TEST(ModuleLocationTest, FindsTheMetaTag) {
  for (auto [html, found] : std::vector<Accept>{
           {R"(<html><head><meta name="terraform-get" content="git::https://a.test/r"></head>)",
            "git::https://a.test/r"},
           {R"(<META content='./p.zip?a=1&amp;b=2' x NAME = terraform-get />)", "./p.zip?a=1&b=2"},
           {R"(<meta name="other" content="x"><meta name=terraform-get content=/p.zip>)", "/p.zip"},
           {R"(<!-- <meta name="terraform-get" content="x"> --><meta name="a">)", ""},
           {R"(<script>"<meta name='terraform-get' content='x'>"</script>)", ""},
           {R"(</head><meta name="terraform-get" content="x">)", ""},
           {R"(<body><meta name="terraform-get" content="x">)", ""},
           {R"(<metal name="terraform-get" content="x">)", ""},
           {"<meta name=\"terraform-get\" content=\"x", "x"},
           {"<meta name=\"terraform-get\"", ""},
           {"<meta = = \"", ""},
           {"<!--", ""},
           {"<script", ""},
           {"<", ""},
           {"", ""}}) {
    EXPECT_EQ(FindTerraformGet(html), found) << html;
  }
}

TEST(ModuleLocationTest, ShowsNothingSecret) {
  for (auto [text, shown] :
       std::vector<Accept>{{"https://u:secret@a.test/p?secret", "https://…@a.test/p"},
                           {"git::https://secret@a.test/p", "git::https://…@a.test/p"},
                           {"git::ssh://git@a.test/p", "git::ssh://git@a.test/p"},
                           {"git@a.test:p", "git@a.test:p"},
                           {"u:secret@a.test", "…@a.test"},
                           {"https://u:a/secret@a.test", "https://…@a.test"}}) {
    EXPECT_EQ(ShownLocation(text), shown);
  }
}

}  // namespace
}  // namespace koya::upstream
