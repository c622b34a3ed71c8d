#include "blobs/s3/s3_client_fixture_fake.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file_io.h"

namespace koya::s3 {

SentFile::SentFile(std::string text)
    : content(std::move(text)), body{.descriptor = -1, .size = 0, .digest = Digest::Of(content)} {
  std::string name = testing::TempDir() + "koya_s3_client_test_XXXXXX";
  file = UniqueFd(::mkostemp(name.data(), O_CLOEXEC));
  ::unlink(name.c_str());
  EXPECT_EQ(WriteAll(file.get(), std::as_bytes(std::span(content))), 0);
  body.descriptor = file.get();
  body.size = content.size();
}

S3Options S3ClientTest::Options() const {
  S3Options options{.address = {"s3://koya/p", server_.url(), "", {}}};
  options.part_bytes = kPart;
  options.whole_bytes = kPart;
  // A machine that is busy is not a store that hangs: tests of times set the one that they are of.
  options.connect_timeout = std::chrono::minutes(1);
  options.first_byte_timeout = std::chrono::minutes(1);
  options.stall_timeout = std::chrono::minutes(1);
  return options;
}

std::unique_ptr<S3Client> S3ClientTest::MakeClient(S3Options options) {
  auto clock = std::make_unique<FakeExchangeClock>();
  clock_ = clock.get();
  S3TestHooks surroundings{.clock = std::move(clock)};
  surroundings.credentials.environment =
      [known = environment_](const char* name) -> std::optional<std::string> {
    auto found = known.find(name);
    if (found == known.end()) return std::nullopt;
    return found->second;
  };
  auto client = S3Client::Make(std::move(options), std::move(surroundings));
  if (!client) throw std::runtime_error(client.error().message);
  return *std::move(client);
}

std::string S3ClientTest::Content(std::size_t size) {
  std::string out;
  out.reserve(size + 20);
  for (std::size_t i = 0; out.size() < size; ++i) out += fmt::format("{:x}.", i * 2'654'435'761U);
  out.resize(size);
  return out;
}

Result<std::string> S3ClientTest::Read(S3Client& client, const std::string& name, ObjectRest rest) {
  std::string out;
  ObjectSink sink = [&out](std::span<const std::byte> bytes) -> Status {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  };
  auto read = RunTask(client.Get(name, rest, sink, {}));
  if (!read) return Failure(std::move(read).error());
  return out;
}

Status S3ClientTest::Put(S3Client& client, const std::string& name, const SentFile& file) {
  return RunTask(client.Put(name, file.body));
}

}  // namespace koya::s3
