#include "http/server/http2_head.h"

#include <gtest/gtest.h>

#include <utility>

namespace koya::http {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kMostInTests = 200;

TEST(Http2HeadTest, IsWrittenAsHttp1) {
  struct Case {
    Fields fields;
    std::string head;
  };
  const Case kCases[] = {
      {{{":method", "GET"}, {":scheme", "https"}, {":authority", "h:1"}, {":path", "/a?b"}},
       "GET /a?b HTTP/1.1\r\nhost: h:1\r\n\r\n"},
      {{{":method", "GET"}, {":path", "/"}, {"host", "h"}, {"accept", "a"}},
       "GET / HTTP/1.1\r\nhost: h\r\naccept: a\r\n\r\n"},
      {{{":path", "/"}, {":method", "PUT"}, {":authority", "h"}, {"host", "H"}},
       "PUT / HTTP/1.1\r\nhost: h\r\n\r\n"},
      {{{":method", "GET"},
        {":authority", "h"},
        {":path", "/"},
        {"cookie", "a=1"},
        {"x", "y"},
        {"cookie", "b=2"}},
       "GET / HTTP/1.1\r\nhost: h\r\nx: y\r\ncookie: a=1; b=2\r\n\r\n"},
      {{{":method", "CONNECT"}, {":authority", "h:443"}},
       "CONNECT h:443 HTTP/1.1\r\nhost: h:443\r\n\r\n"},
  };
  Http2HeadWriter writer(kMostInTests);
  for (const Case& c : kCases) {
    writer.Start();
    for (const auto& [name, value] : c.fields) EXPECT_TRUE(writer.AcceptField(name, value));
    EXPECT_FALSE(writer.FindFault());
    std::string head = "old";
    writer.Finish(head);
    EXPECT_EQ(head, c.head);
  }
}

TEST(Http2HeadTest, RejectsWhatCouldPassForOtherFields) {
  const Fields kBad = {{"a", "b\r\nc: d"},
                       {"a", "b\nc: d"},
                       {":path", "/ HTTP/1.1\r\nx: y"},
                       {":method", "GET\r\n"},
                       {":authority", "h\n"},
                       {"a b", "c"},
                       {"a:", "c"},
                       {"a\r\nb", "c"},
                       {"", "c"},
                       {"a", std::string("\0", 1)}};
  Http2HeadWriter writer(kMostInTests);
  for (const auto& [name, value] : kBad) {
    writer.Start();
    EXPECT_FALSE(writer.AcceptField(name, value)) << name << "=" << value;
  }
}

TEST(Http2HeadTest, SaysWhatIsWrongWithAHead) {
  struct Case {
    Fields fields;
    unsigned status;
  };
  const Case kCases[] = {
      {{{":path", "/" + std::string(kMostInTests, 'a')}}, 414},
      {{{":path", "/"}, {"x", std::string(kMostInTests, 'a')}}, 431},
      {{{":path", "/"}, {":authority", "h"}, {"host", "other"}}, 400},
  };
  Http2HeadWriter writer(kMostInTests);
  for (const Case& c : kCases) {
    writer.Start();
    for (const auto& [name, value] : c.fields) writer.AcceptField(name, value);
    ASSERT_TRUE(writer.FindFault());
    EXPECT_EQ(writer.FindFault()->status, c.status);
    std::string head;
    writer.Finish(head);
    EXPECT_LE(head.size(), kMostInTests + 64);
  }
}

TEST(Http2HeadTest, ReadsTheHeadOfAnAnswer) {
  std::string head =
      "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nX-Request-Id: 1\r\nTransfer-Encoding: chunked\r\n"
      "Connection: close\r\nSet-Cookie: A=B: C\r\nX-Empty: \r\n\r\n";
  std::vector<nghttp2_nv> fields;
  ReadAnswerFields(head, fields);
  Fields got;
  for (const nghttp2_nv& field : fields) {
    got.emplace_back(std::string(reinterpret_cast<char*>(field.name), field.namelen),
                     std::string(reinterpret_cast<char*>(field.value), field.valuelen));
  }
  const Fields kExpected = {{":status", "200"},
                            {"content-type", "a/b"},
                            {"x-request-id", "1"},
                            {"set-cookie", "A=B: C"},
                            {"x-empty", ""}};
  EXPECT_EQ(got, kExpected);
}

}  // namespace
}  // namespace koya::http
