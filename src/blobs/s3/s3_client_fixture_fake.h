// For tests of the client: a store in memory, a clock without real waits, and files to send.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/manual_clock_fake.h"
#include "base/run_task.h"
#include "blobs/s3/s3_client.h"
#include "blobs/s3/s3_server_fake.h"

namespace koya::s3 {

// A file without a name, and what an upload of it needs.
struct SentFile {
  UniqueFd file;
  std::string content;
  ObjectBody body;

  explicit SentFile(std::string text);
};

class S3ClientTest : public testing::Test {
 protected:
  static constexpr std::size_t kPart = 5 << 20;

  // With times that nothing here takes, however busy the machine is.
  S3Options Options() const;
  // With keys in its environment, and this test's clock.
  std::unique_ptr<S3Client> MakeClient(S3Options options);
  std::unique_ptr<S3Client> MakeClient() { return MakeClient(Options()); }

  // Of `size` bytes, no two pieces alike.
  static std::string Content(std::size_t size);
  static Result<std::string> Read(S3Client& client, const std::string& name, ObjectRest rest = {});
  static Status Put(S3Client& client, const std::string& name, const SentFile& file);

  FakeS3Server server_;
  FakeExchangeClock* clock_ = nullptr;  // of the client that was made last
  std::map<std::string, std::string> environment_ = {{"AWS_ACCESS_KEY_ID", "thekey"},
                                                     {"AWS_SECRET_ACCESS_KEY", "thesecret"}};
};

}  // namespace koya::s3
