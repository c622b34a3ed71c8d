// HTTP/2: what is rejected, by frames made by hand.
#include "http/server/http2_client_fake.h"
#include "http/server/http2_connection.h"
#include "http/server/server_fixture_fake.h"

namespace koya::http {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

const Fields kRootFields = {
    {":method", "GET"}, {":scheme", "https"}, {":authority", "h"}, {":path", "/"}};

Fields AddFields(Fields fields, const Fields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

Fields DropFields(Fields fields, std::string_view name) {
  std::erase_if(fields, [&](const auto& field) { return field.first == name; });
  return fields;
}

std::string Head(std::uint32_t stream, const Fields& fields, bool ends = true) {
  const int flags = NGHTTP2_FLAG_END_HEADERS | (ends ? NGHTTP2_FLAG_END_STREAM : 0);
  return MakeFrame(NGHTTP2_HEADERS, static_cast<std::uint8_t>(flags), stream,
                   MakeHeaderBlock(fields));
}

std::string Data(std::uint32_t stream, std::string_view bytes, bool ends) {
  return MakeFrame(NGHTTP2_DATA, ends ? NGHTTP2_FLAG_END_STREAM : 0, stream, bytes);
}

std::string Increment(std::uint32_t stream, std::uint32_t by) {
  std::string payload;
  for (int shift : {24, 16, 8, 0}) payload.push_back(static_cast<char>(by >> shift));
  return MakeFrame(NGHTTP2_WINDOW_UPDATE, 0, stream, payload);
}

class Http2StrictnessTest : public ServerTest {
 protected:
  // What became of stream 1 after these frames: its answer, a reset, or the connection's end.
  Http2Answer Outcome(Http2Client& client, const std::string& frames) {
    client.SendFirst(frames);
    client.ReadUntil([&] {
      const Http2Answer& answer = client.answer(1);
      return answer.complete || answer.reset || client.goaway();
    });
    return client.answer(1);
  }
};

TEST_P(Http2StrictnessTest, RejectsMalformedRequests) {
  Start();

  auto upload = [&](const Fields& more) {
    return AddFields(
        {{":method", "PUT"}, {":scheme", "https"}, {":authority", "h"}, {":path", "/upload"}},
        more);
  };
  struct Case {
    std::string_view name;
    std::string frames;
  };
  const Case kCases[] = {
      {"an upper-case name", Head(1, AddFields(kRootFields, {{"X-Word", "a"}}))},
      {"Connection", Head(1, AddFields(kRootFields, {{"connection", "close"}}))},
      {"Keep-Alive", Head(1, AddFields(kRootFields, {{"keep-alive", "1"}}))},
      {"Proxy-Connection", Head(1, AddFields(kRootFields, {{"proxy-connection", "close"}}))},
      {"Transfer-Encoding", Head(1, AddFields(kRootFields, {{"transfer-encoding", "chunked"}}))},
      {"Upgrade", Head(1, AddFields(kRootFields, {{"upgrade", "h2c"}}))},
      {"TE", Head(1, AddFields(kRootFields, {{"te", "gzip"}}))},
      {"no method", Head(1, DropFields(kRootFields, ":method"))},
      {"no scheme", Head(1, DropFields(kRootFields, ":scheme"))},
      {"no path", Head(1, DropFields(kRootFields, ":path"))},
      {"no host", Head(1, DropFields(kRootFields, ":authority"))},
      {"an empty path", Head(1, AddFields(DropFields(kRootFields, ":path"), {{":path", ""}}))},
      {"two paths", Head(1, AddFields(kRootFields, {{":path", "/"}}))},
      {"a pseudo field behind others", Head(1, AddFields({{"x", "y"}}, kRootFields))},
      {"an unknown pseudo field", Head(1, AddFields(kRootFields, {{":word", "a"}}))},
      {"a line break", Head(1, AddFields(kRootFields, {{"x", "a\r\ny: b"}}))},
      {"a NUL", Head(1, AddFields(kRootFields, {{"x", std::string("a\0b", 3)}}))},
      {"a space in a name", Head(1, AddFields(kRootFields, {{"x y", "a"}}))},
      {"an absolute path",
       Head(1, AddFields(DropFields(kRootFields, ":path"), {{":path", "https://h/"}}))},
      {"two lengths", Head(1, upload({{"content-length", "1"}, {"content-length", "1"}}), false)},
      {"a length that is no number", Head(1, upload({{"content-length", "+1"}}), false)},
      {"more bytes than announced",
       Head(1, upload({{"content-length", "2"}}), false) + Data(1, "abc", true)},
      {"fewer bytes than announced",
       Head(1, upload({{"content-length", "4"}}), false) + Data(1, "abc", true)},
      {"no bytes although announced", Head(1, upload({{"content-length", "4"}}))},
      {"a pseudo field as a trailer",
       Head(1, upload({}), false) + Data(1, "abc", false) + Head(1, {{":status", "200"}})},
  };
  for (const Case& c : kCases) {
    Http2Client client(server_->port());
    Http2Answer answer = Outcome(client, c.frames);
    EXPECT_EQ(answer.reset, NGHTTP2_PROTOCOL_ERROR) << c.name;
    EXPECT_FALSE(answer.complete) << c.name;
  }
}

TEST_P(Http2StrictnessTest, RefusesRequestsAsHttp1Does) {
  Start();
  auto path = [](std::string value) {
    return AddFields(DropFields(kRootFields, ":path"), {{":path", std::move(value)}});
  };
  struct Case {
    Fields fields;
    unsigned status;
  };
  const Case kCases[] = {
      {path("/a/../b"), 400},
      {path("/a//b"), 400},
      {path("/a%2fb"), 400},
      {path("/a%00b"), 400},
      {path("/a\\b"), 400},
      {path("/a#b"), 400},
      {path("/a%zz"), 400},
      {AddFields(kRootFields, {{"host", "other"}}), 400},
      {AddFields(DropFields(kRootFields, ":authority"), {{":authority", "user@h"}}), 400},
      {AddFields(kRootFields, {{"authorization", "a"}, {"authorization", "b"}}), 400},
      {{{":method", "CONNECT"}, {":authority", "h:443"}}, 501},
      {AddFields(DropFields(kRootFields, ":method"), {{":method", "BREW"}}), 405},
      {AddFields(kRootFields, {{"x", std::string(17'000, 'a')}}), 431},
      {path("/" + std::string(17'000, 'a')), 414},
      {AddFields(kRootFields, Fields(100, {"x", "y"})), 431},
  };
  for (const Case& c : kCases) {
    Http2Client client(server_->port());
    std::string frames;
    const std::string block = MakeHeaderBlock(c.fields);
    for (std::size_t at = 0; at < block.size(); at += 16'000) {
      const std::uint8_t end = at + 16'000 >= block.size() ? NGHTTP2_FLAG_END_HEADERS : 0;
      const std::uint8_t first = at == 0 ? NGHTTP2_FLAG_END_STREAM : 0;
      frames += MakeFrame(at == 0 ? NGHTTP2_HEADERS : NGHTTP2_CONTINUATION,
                          static_cast<std::uint8_t>(end | first), 1, block.substr(at, 16'000));
    }
    Http2Answer answer = Outcome(client, frames);
    EXPECT_EQ(answer.status, c.status)
        << c.fields.back().first << c.fields.back().second.substr(0, 20);
    EXPECT_TRUE(answer.complete);
    EXPECT_NE(answer.body.find("error"), std::string::npos);
  }
}

TEST_P(Http2StrictnessTest, AcceptsUnusualButSoundFrames) {
  Start();
  const std::string block = MakeHeaderBlock(kRootFields);
  const Fields upload = {
      {":method", "PUT"}, {":scheme", "https"}, {":authority", "h"}, {":path", "/upload"}};
  struct Case {
    std::string_view name;
    std::string frames;
    unsigned status;
  };
  const Case kCases[] = {
      {"a block in pieces",
       MakeFrame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_STREAM, 1, block.substr(0, 7)) +
           MakeFrame(NGHTTP2_CONTINUATION, 0, 1, block.substr(7, 5)) +
           MakeFrame(NGHTTP2_CONTINUATION, NGHTTP2_FLAG_END_HEADERS, 1, block.substr(12)),
       200},
      {"padding",
       MakeFrame(NGHTTP2_HEADERS,
                 NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM | NGHTTP2_FLAG_PADDED, 1,
                 "\x03" + block + std::string(3, '\0')),
       200},
      {"an unknown frame", MakeFrame(0xee, 0xff, 0, "what") + Head(1, kRootFields), 200},
      {"a priority",
       MakeFrame(NGHTTP2_PRIORITY, 0, 1, std::string("\0\0\0\0\1", 5)) + Head(1, kRootFields), 200},
      {"a ping", MakeFrame(NGHTTP2_PING, 0, 0, "12345678") + Head(1, kRootFields), 200},
      {"TE: trailers", Head(1, AddFields(kRootFields, {{"te", "trailers"}})), 200},
      {"Host and no authority",
       Head(1, AddFields(DropFields(kRootFields, ":authority"), {{"host", "h"}})), 200},
      {"trailers", Head(1, upload, false) + Data(1, "abc", false) + Head(1, {{"x", "y"}}), 201},
      {"a body in pieces",
       Head(1, AddFields(upload, {{"content-length", "3"}}), false) + Data(1, "a", false) +
           Data(1, "", false) + Data(1, "bc", true),
       201},
      {"two cookies", Head(1, AddFields(kRootFields, {{"cookie", "a=1"}, {"cookie", "b=2"}})), 200},
  };
  for (const Case& c : kCases) {
    Http2Client client(server_->port());
    Http2Answer answer = Outcome(client, c.frames);
    EXPECT_EQ(answer.status, c.status) << c.name;
    EXPECT_TRUE(answer.complete) << c.name;
  }
}

TEST_P(Http2StrictnessTest, EndsConnectionsThatBreakTheProtocol) {
  Start();
  const Fields upload = {
      {":method", "PUT"}, {":scheme", "https"}, {":authority", "h"}, {":path", "/upload"}};
  struct Case {
    std::string_view name;
    std::string frames;
    std::uint32_t error;
  };
  const Case kCases[] = {
      {"a frame that is too large", MakeFrame(NGHTTP2_DATA, 0, 1, std::string(16'385, 'a')),
       NGHTTP2_FRAME_SIZE_ERROR},
      {"data of an idle stream", Data(1, "abc", true), NGHTTP2_PROTOCOL_ERROR},
      {"an even stream", Head(2, kRootFields), NGHTTP2_PROTOCOL_ERROR},
      {"a push",
       MakeFrame(NGHTTP2_PUSH_PROMISE, NGHTTP2_FLAG_END_HEADERS, 1, std::string("\0\0\0\2", 4)),
       NGHTTP2_PROTOCOL_ERROR},
      {"a ping of seven bytes", MakeFrame(NGHTTP2_PING, 0, 0, "1234567"), NGHTTP2_FRAME_SIZE_ERROR},
      {"settings of five bytes", MakeFrame(NGHTTP2_SETTINGS, 0, 0, "12345"),
       NGHTTP2_FRAME_SIZE_ERROR},
      {"settings of a stream", MakeFrame(NGHTTP2_SETTINGS, 0, 1, ""), NGHTTP2_PROTOCOL_ERROR},
      {"a continuation of nothing", MakeFrame(NGHTTP2_CONTINUATION, 0, 1, ""),
       NGHTTP2_PROTOCOL_ERROR},
      {"another frame within a head",
       MakeFrame(NGHTTP2_HEADERS, 0, 1, "") + MakeFrame(NGHTTP2_PING, 0, 0, "12345678"),
       NGHTTP2_PROTOCOL_ERROR},
      {"a header block that is none",
       MakeFrame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, "\xff\xff\xff\xff\xff\xff"),
       NGHTTP2_COMPRESSION_ERROR},
      {"a window beyond its limit", Increment(0, 0x7fffffff), NGHTTP2_FLOW_CONTROL_ERROR},
      {"a window that does not grow", Increment(0, 0), NGHTTP2_PROTOCOL_ERROR},
      {"a reset of an idle stream", MakeFrame(NGHTTP2_RST_STREAM, 0, 1, std::string(4, '\0')),
       NGHTTP2_PROTOCOL_ERROR},
  };
  for (const Case& c : kCases) {
    Http2Client client(server_->port());
    client.raw().Send(c.frames);
    client.ReadUntil([&] { return client.goaway().has_value(); });
    EXPECT_EQ(client.goaway(), c.error) << c.name;
    EXPECT_FALSE(client.ReadUntil([] { return false; })) << c.name;
  }
  EXPECT_TRUE(Ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n")) << "the server goes on";
}

TEST_P(Http2StrictnessTest, ClosesWithoutThePreface) {
  Start();
  for (std::string_view start :
       {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "PRI * HTTP/2.1\r\n\r\nSM\r\n\r\n", "\x16\x03\x01"}) {
    RawClient::Options options = ClientOptions();
    options.protocols = {"h2"};
    RawClient raw(server_->port(), options);
    raw.Send(start);
    const std::string got = raw.ReadToEnd();
    EXPECT_EQ(got.find("HTTP/1.1"), std::string::npos) << start;
  }
  EXPECT_EQ(observer_.request_count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Engine, Http2StrictnessTest, testing::Values(Wire::kHttp2));

}  // namespace
}  // namespace koya::http
