#include "domain/source_repository.h"

#include <gtest/gtest.h>

#include <string>

namespace koya {
namespace {

TEST(SourceRepositoryTest, IsTheHttpsUrlAndAFolder) {
  struct Case {
    const char* text;
    const char* url;
    const char* directory;
  };
  for (const Case& each : {
           Case{"https://github.com/acme/vpc", "https://github.com/acme/vpc", ""},
           Case{"https://github.com/acme/vpc.git", "https://github.com/acme/vpc", ""},
           Case{"https://GitHub.com/Acme/vpc/", "https://github.com/Acme/vpc", ""},
           Case{"https://git.example.com:8443/a/b/c", "https://git.example.com:8443/a/b/c", ""},
           Case{"https://git.example.com:443/a/b", "https://git.example.com/a/b", ""},
           Case{"https://user:secret@github.com/acme/vpc", "https://github.com/acme/vpc", ""},
           Case{"https://a@b@github.com/acme/vpc", "https://github.com/acme/vpc", ""},
           Case{"git@github.com:acme/vpc.git", "https://github.com/acme/vpc", ""},
           Case{"git@github.com:/acme/vpc.git", "https://github.com/acme/vpc", ""},
           Case{"ssh://git@github.com/acme/vpc.git", "https://github.com/acme/vpc", ""},
           Case{"ssh://git@git.example.com:2222/acme/vpc", "https://git.example.com/acme/vpc", ""},
           Case{"git::https://github.com/acme/vpc.git", "https://github.com/acme/vpc", ""},
           Case{"git::ssh://git@github.com/acme/vpc//aws", "https://github.com/acme/vpc", "aws"},
           Case{"https://github.com/acme/m.git//modules/vpc/", "https://github.com/acme/m",
                "modules/vpc"},
           Case{"git@github.com:acme/m//modules/vpc", "https://github.com/acme/m", "modules/vpc"},
           Case{"https://dev.azure.com/acme/My%20Project/_git/vpc",
                "https://dev.azure.com/acme/My%20Project/_git/vpc", ""},
           Case{"https://git.example.com/~acme/vpc", "https://git.example.com/~acme/vpc", ""},
           Case{"https://github.com/acme", "https://github.com/acme", ""},
       }) {
    const Result<SourceRepository> source = SourceRepository::Parse(each.text);
    ASSERT_TRUE(source) << each.text << ": " << source.error().message;
    EXPECT_EQ(source->url(), each.url) << each.text;
    EXPECT_EQ(source->directory(), each.directory) << each.text;
    EXPECT_EQ(SourceRepository::Parse(source->ToString()).value(), *source) << each.text;
  }
  std::string longest = "https://github.com/acme/";
  longest.resize(SourceRepository::kMostBytes, 'a');
  EXPECT_TRUE(SourceRepository::Parse(longest));
}

TEST(SourceRepositoryTest, AllElseIsRejectedWithoutItsSecrets) {
  const std::string cases[] = {
      "",
      "https://",
      "https:///acme/vpc",
      "https://github.com",
      "https://github.com/",
      "https://github.com/.git",
      "https://github.com//vpc",
      "http://user:secret@github.com/acme/vpc",
      "git://github.com/acme/vpc",
      "github.com/acme/vpc",
      "acme/vpc/aws",
      "./vpc",
      "file:///acme/vpc",
      "javascript:alert(1)",
      "hg::https://github.com/acme/vpc",
      "git@github.com/acme/vpc",
      "git@:acme/vpc",
      "git@github.com:",
      "ssh://git@/acme/vpc",
      "https://user:secret@/acme/vpc",
      "https://user:secret@bad host/acme/vpc",
      "https://github.com:99999/acme/vpc",
      "https://[::1]/acme/vpc",
      "https://github.com/acme/vpc?token=secret",
      "https://github.com/acme/vpc#secret",
      "https://github.com/acme/v pc",
      "https://github.com/acme/v\"pc",
      "https://github.com/acme/v<pc",
      "https://github.com/acme/v\\pc",
      "https://github.com/acme/\xC3\xA9",
      std::string("https://github.com/acme/\0vpc", 28),
      "https://github.com/acme/vpc\n",
      "https://github.com/acme/../vpc",
      "https://github.com/acme/./vpc",
      "https://github.com/acme/%2e%2E/vpc",
      "https://github.com/acme/%2fvpc",
      "https://github.com/acme/%0avpc",
      "https://github.com/acme/%vpc",
      "https://github.com/acme/vpc%2",
      "https://github.com/acme/vpc//../other",
      "https://github.com/acme/vpc//modules/../../other",
      "https://github.com/acme/vpc//modules//vpc",
      "https://github.com/acme/vpc///etc",
      "https://github.com/acme/" + std::string(SourceRepository::kMostBytes, 'a'),
  };
  for (const std::string& each : cases) {
    const Result<SourceRepository> source = SourceRepository::Parse(each);
    ASSERT_FALSE(source) << each << " is " << source->ToString();
    EXPECT_EQ(source.error().kind, ErrorKind::kInvalid) << each;
    EXPECT_TRUE(source.error().message.contains("https://github.com/acme/vpc,")) << each;
    EXPECT_FALSE(source.error().message.contains("secret")) << each;
  }
}

}  // namespace
}  // namespace koya
