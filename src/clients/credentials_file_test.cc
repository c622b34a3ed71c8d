#include "clients/stored_credentials.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_folder_fake.h"

namespace koya::clients {
namespace {

namespace fs = std::filesystem;

std::string TextOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void Write(const fs::path& file, std::string_view text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

unsigned ModeOf(const fs::path& file) {
  struct stat found{};
  EXPECT_EQ(::stat(file.c_str(), &found), 0) << file;
  return found.st_mode & 0777U;
}

TEST(CredentialsFileTest, IsMadeForItsOwnerAlone) {
  TempFolder folder;
  const fs::path file = folder.path() / "home/.terraform.d/credentials.tfrc.json";
  ASSERT_TRUE(KeepCredential(file, "koya.test:8443", "koya_a"));
  EXPECT_EQ(TextOf(file), "{\"credentials\":{\"koya.test:8443\":{\"token\":\"koya_a\"}}}\n");
  EXPECT_EQ(ModeOf(file), 0600U);
  EXPECT_EQ(ModeOf(file.parent_path()), 0700U);
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 1);
}

TEST(CredentialsFileTest, KeepsOthersAndReplacesEverySpelling) {
  TempFolder folder;
  const fs::path file = folder.path() / "credentials.tfrc.json";
  Write(file, R"({"x":1,"credentials":{"other.test":{"token":"o","more":2},)"
              R"("Koya.Test:443":{"token":"old"},"koya.test":{"token":"older"}}})");
  ASSERT_TRUE(KeepCredential(file, "koya.test", "new"));
  EXPECT_EQ(TextOf(file), R"({"x":1,"credentials":{"other.test":{"token":"o","more":2},)"
                          R"("koya.test":{"token":"new"}}})"
                          "\n");
  EXPECT_EQ(ModeOf(file), 0600U);
}

TEST(CredentialsFileTest, WritesNamesAsClientsDo) {
  TempFolder folder;
  const fs::path file = folder.path() / "credentials.tfrc.json";
  ASSERT_TRUE(KeepCredential(file, "xn--wgv71a.example", "t"));
  EXPECT_NE(TextOf(file).find("\"日本.example\""), std::string::npos) << TextOf(file);
  auto kept = CredentialsFromFile(TextOf(file), "f");
  ASSERT_TRUE(kept);
  ASSERT_EQ(kept->size(), 1U);
  EXPECT_EQ(kept->front().host, "xn--wgv71a.example");
}

TEST(CredentialsFileTest, ForgetsOneHost) {
  TempFolder folder;
  const fs::path file = folder.path() / "credentials.tfrc.json";
  EXPECT_EQ(ForgetCredential(file, "koya.test"), false);
  EXPECT_FALSE(fs::exists(file));
  ASSERT_TRUE(KeepCredential(file, "koya.test", "a"));
  ASSERT_TRUE(KeepCredential(file, "other.test", "b"));
  EXPECT_EQ(ForgetCredential(file, "third.test"), false);
  EXPECT_EQ(ForgetCredential(file, "KOYA.test"), true);
  EXPECT_EQ(TextOf(file), "{\"credentials\":{\"other.test\":{\"token\":\"b\"}}}\n");
}

TEST(CredentialsFileTest, ALinkStaysALink) {
  TempFolder folder;
  const fs::path real = folder.path() / "real/credentials.json";
  Write(real, "{}");
  const fs::path link = folder.path() / "credentials.tfrc.json";
  fs::create_symlink(real, link);
  ASSERT_TRUE(KeepCredential(link, "koya.test", "t"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_NE(TextOf(real).find("koya.test"), std::string::npos);
}

TEST(CredentialsFileTest, LeavesAloneWhatItCannotRead) {
  TempFolder folder;
  for (std::string_view bad : {"", "[]", "{", "\"x\"", R"({"credentials":[]})",
                               R"({"credentials":"koya.test"})", R"({"credentials":null})"}) {
    const fs::path file = folder.path() / "credentials.tfrc.json";
    Write(file, bad);
    Status kept = KeepCredential(file, "koya.test", "koya_secret");
    ASSERT_FALSE(kept) << bad;
    EXPECT_EQ(kept.error().kind, ErrorKind::kInvalid) << bad;
    EXPECT_EQ(kept.error().message.find("koya_secret"), std::string::npos) << bad;
    EXPECT_FALSE(ForgetCredential(file, "koya.test")) << bad;
    EXPECT_EQ(TextOf(file), bad);
  }
}

TEST(CredentialsFileTest, LiesWhereClientsWriteIt) {
  TempFolder folder;
  const fs::path home = folder.path() / "home";
  EXPECT_FALSE(WrittenCredentialsFile({}));
  EXPECT_EQ(WrittenCredentialsFile({{"HOME", home}}), home / ".terraform.d/credentials.tfrc.json");
  Variables both = {{"HOME", home}, {"XDG_CONFIG_HOME", "/xdg"}};
  EXPECT_EQ(WrittenCredentialsFile(both), fs::path("/xdg/opentofu/credentials.tfrc.json"));
  fs::create_directories(home / ".terraform.d");
  EXPECT_EQ(WrittenCredentialsFile(both), home / ".terraform.d/credentials.tfrc.json");
}

}  // namespace
}  // namespace koya::clients
