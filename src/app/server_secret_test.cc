#include "app/server_secret.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <latch>
#include <thread>
#include <vector>

#include "base/temp_folder_fake.h"

namespace koya {
namespace {

class ServerSecretTest : public ::testing::Test {
 protected:
  ServerSecretTest() { settings_.server.data = folder_.path(); }

  void Write(const std::filesystem::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  TempFolder folder_;
  Settings settings_;
};

TEST_F(ServerSecretTest, IsMadeOnTheFirstStartAndKept) {
  Result<std::string> first = LoadServerSecret(settings_);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->size(), 43U);
  struct stat info{};
  ASSERT_EQ(::stat((settings_.server.data / "server.secret").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  EXPECT_EQ(LoadServerSecret(settings_).value(), *first);
}

TEST_F(ServerSecretTest, ServersThatFirstStartAtOnceWithOneFileAgreeOnOneSecret) {
  constexpr int kServers = 8;
  for (int round = 0; round < 20; ++round) {
    settings_.server.secret_file = std::filesystem::path(folder_ / std::to_string(round));
    std::latch start(kServers);
    std::array<std::string, kServers> secrets;
    std::vector<std::jthread> servers;
    for (std::string& secret : secrets) {
      servers.emplace_back([&] {
        start.arrive_and_wait();
        secret = LoadServerSecret(settings_).value();
      });
    }
    servers.clear();
    for (const std::string& secret : secrets) EXPECT_EQ(secret, secrets[0]);
    EXPECT_EQ(LoadServerSecret(settings_).value(), secrets[0]);
  }
}

// The first start failed, and left the file for the second.
TEST_F(ServerSecretTest, IsMadeInTheWorkingFolderWhenTheSettingIsABareName) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  settings_.server.secret_file = "my.secret";
  Result<std::string> secret = LoadServerSecret(settings_);
  std::filesystem::current_path(before);
  ASSERT_TRUE(secret) << secret.error().message << secret.error().detail;
  EXPECT_EQ(secret->size(), 43U);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "my.secret"));
}

TEST_F(ServerSecretTest, IsAnotherOnEachServer) {
  TempFolder other;
  Settings elsewhere;
  elsewhere.server.data = other.path();
  EXPECT_NE(LoadServerSecret(settings_).value(), LoadServerSecret(elsewhere).value());
}

TEST_F(ServerSecretTest, TheSettingComesFirst) {
  settings_.server.secret = "a secret from the environment";
  EXPECT_EQ(LoadServerSecret(settings_).value(), "a secret from the environment");
  EXPECT_FALSE(std::filesystem::exists(settings_.server.data / "server.secret"));
}

TEST_F(ServerSecretTest, AFileMayEndInALine) {
  settings_.server.secret_file = std::filesystem::path(folder_ / "mounted");
  Write(settings_.server.secret_file, "  0123456789abcdef\n");
  EXPECT_EQ(LoadServerSecret(settings_).value(), "0123456789abcdef");
}

TEST_F(ServerSecretTest, RefusesAFileThatCannotSeal) {
  settings_.server.secret_file = std::filesystem::path(folder_ / "mounted");
  for (std::string_view text : {"", "\n", "short", "fifteen letters"}) {
    Write(settings_.server.secret_file, text);
    Result<std::string> secret = LoadServerSecret(settings_);
    ASSERT_FALSE(secret) << text;
    EXPECT_EQ(secret.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(secret.error().message.find("restore the secret"), std::string::npos);
  }
  settings_.server.secret_file = folder_.path();
  Result<std::string> folder = LoadServerSecret(settings_);
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("cannot be read"), std::string::npos);
}

TEST_F(ServerSecretTest, RefusesAPlaceThatCannotBeWritten) {
  settings_.server.secret_file = std::filesystem::path(folder_ / "no/such/folder");
  Result<std::string> secret = LoadServerSecret(settings_);
  ASSERT_FALSE(secret);
  EXPECT_NE(secret.error().message.find("cannot be created"), std::string::npos);
}

}  // namespace
}  // namespace koya
