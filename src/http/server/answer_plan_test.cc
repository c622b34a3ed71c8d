#include "http/server/answer_plan.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <tuple>

namespace koya::http {
namespace {

using Body = AnswerPlan::Body;

RequestHead Head(std::string_view bytes) {
  RequestHead head;
  EXPECT_FALSE(ParseHead(bytes, head));
  return head;
}

struct Planned {
  AnswerPlan plan;
  std::string head;
};

Planned Plan(const RequestHead& head, const Response& response) {
  AnswerContext context{head, "Server: s\r\nDate: d\r\nX-Request-Id: ", "id", head.keep_alive};
  Planned planned;
  planned.plan = PlanAnswer(context, response, planned.head);
  return planned;
}

Planned Get(const Response& response, std::string_view fields = "") {
  std::string bytes = "GET / HTTP/1.1\r\nHost: h\r\n" + std::string(fields) + "\r\n";
  return Plan(Head(bytes), response);
}

std::string Inflate(std::string_view packed) {
  std::string text(1 << 20, '\0');
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(MakeDocument, LaysOutBothForms) {
  auto document = MakeDocument(std::string(2000, 'a'), {.fields = {{"X-More", "1"}}});
  EXPECT_EQ(Inflate(document->gzip_body), document->body);
  EXPECT_LT(document->gzip_body.size(), document->body.size());
  EXPECT_NE(document->etag, document->gzip_etag);
  EXPECT_TRUE(document->etag.starts_with('"') && document->etag.ends_with('"'));
  EXPECT_NE(document->head_identity.find("X-More: 1\r\n"), std::string::npos);
  EXPECT_GT(document->cost(), 2000u);
  EXPECT_EQ(MakeDocument(std::string(2000, 'a'), {})->etag, document->etag);
  EXPECT_NE(MakeDocument(std::string(2000, 'b'), {})->etag, document->etag);
}

TEST(MakeDocument, WhatIsSentOnceIsMadeQuickly) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "line " + std::to_string(i * 7919 % 5000) + "\n";
  auto lasting = MakeDocument(text, {});
  auto once = MakeDocument(text, {.lasting = false});
  EXPECT_EQ(Inflate(once->gzip_body), text);
  EXPECT_FALSE(once->pages);
  EXPECT_EQ(once->etag, lasting->etag);
  // Other bytes under one ETag would be two things of one name.
  ASSERT_NE(once->gzip_body, lasting->gzip_body);
  EXPECT_NE(once->gzip_etag, lasting->gzip_etag);
}

TEST(MakeDocument, HoldsLargeBodiesInPagesToo) {
  EXPECT_FALSE(MakeDocument(std::string(2000, 'a'), {})->pages);
  auto document = MakeDocument(std::string(50'000, 'a'), {});
  ASSERT_TRUE(document->pages);
  Response response = Response::FromDocument(document);
  for (std::string_view fields : {"", "Accept-Encoding: gzip\r\n"}) {
    AnswerPlan plan = Get(response, fields).plan;
    std::string held(plan.length, '\0');
    ssize_t got = pread(plan.descriptor, held.data(), held.size(), static_cast<off_t>(plan.offset));
    EXPECT_EQ(got, static_cast<ssize_t>(plan.bytes.size()));
    EXPECT_EQ(held, plan.bytes);
  }
}

TEST(MakeDocument, LeavesOutAFormThatSavesNothing) {
  EXPECT_EQ(MakeDocument("{}", {})->gzip_body, "");
  EXPECT_EQ(MakeDocument(std::string(2000, 'a'), {.compress = false})->gzip_body, "");
}

TEST(PlanAnswer, ChoosesTheFormOfADocument) {
  auto document = MakeDocument(std::string(2000, 'a'), {});
  Response response = Response::FromDocument(document);
  Planned plain = Get(response);
  EXPECT_EQ(plain.plan.bytes, document->body);
  EXPECT_EQ(plain.head,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2000"
            "\r\nETag: " +
                document->etag +
                "\r\nCache-Control: no-cache\r\nVary: Accept-Encoding\r\nServer: s\r\n"
                "Date: d\r\nX-Request-Id: id\r\n\r\n");
  Planned packed = Get(response, "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(packed.plan.bytes, document->gzip_body);
  EXPECT_NE(packed.head.find("Content-Encoding: gzip\r\n"), std::string::npos);
  EXPECT_NE(packed.head.find("ETag: " + document->gzip_etag), std::string::npos);
}

TEST(PlanAnswer, SavesADocumentThatTheClientHolds) {
  auto document = MakeDocument(std::string(2000, 'a'), {});
  Response response = Response::FromDocument(document);
  std::string plain_field = "If-None-Match: " + document->etag + "\r\n";
  std::string gzip_field = "If-None-Match: W/" + document->gzip_etag + "\r\n";
  Planned plain = Get(response, plain_field);
  EXPECT_EQ(plain.plan.status, 304u);
  EXPECT_EQ(plain.plan.body, Body::kNone);
  EXPECT_EQ(plain.head.find("Content-Length"), std::string::npos);
  EXPECT_NE(plain.head.find("ETag: " + document->etag), std::string::npos);
  EXPECT_EQ(Get(response, gzip_field).plan.status, 200u);
  EXPECT_EQ(Get(response, gzip_field + "Accept-Encoding: gzip\r\n").plan.status, 304u);
  EXPECT_EQ(Get(response, plain_field + "Accept-Encoding: gzip\r\n").plan.status, 200u);
  EXPECT_EQ(Get(response, "If-None-Match: *\r\n").plan.status, 304u);
}

TEST(PlanAnswer, NeverSavesADocumentOfAnotherStatus) {
  Response response = Response::FromDocument(MakeDocument("{}", {.status = 404}));
  Planned planned = Get(response, "If-None-Match: *\r\n");
  EXPECT_EQ(planned.plan.status, 404u);
  EXPECT_EQ(planned.head.find("ETag"), std::string::npos);
}

TEST(PlanAnswer, LeavesTheBodyOutForHead) {
  Response response = Response::Json(404, "{\"error\":1}");
  Planned planned = Plan(Head("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n"), response);
  EXPECT_EQ(planned.plan.body, Body::kNone);
  EXPECT_EQ(planned.plan.bytes, "");
  EXPECT_NE(planned.head.find("Content-Length: 11\r\n"), std::string::npos);
}

Response File(std::string etag) {
  Response response;
  response.etag = std::move(etag);
  response.body = FileBody{nullptr, 3, 100};
  return response;
}

TEST(PlanAnswer, ServesPartsOfFiles) {
  Planned whole = Get(File("\"v\""));
  EXPECT_EQ(whole.plan.body, Body::kFile);
  EXPECT_EQ(whole.plan.length, 100u);
  EXPECT_NE(whole.head.find("ETag: \"v\"\r\nAccept-Ranges: bytes\r\nContent-Length: 100\r\n"),
            std::string::npos);
  Planned part = Get(File("\"v\""), "Range: bytes=10-19\r\n");
  EXPECT_EQ(part.plan.status, 206u);
  EXPECT_EQ(part.plan.offset, 10u);
  EXPECT_EQ(part.plan.length, 10u);
  EXPECT_NE(part.head.find("Content-Range: bytes 10-19/100\r\nContent-Length: 10\r\n"),
            std::string::npos);
}

TEST(PlanAnswer, ServesFilesInMemoryAsOpenOnes) {
  const std::string bytes = "0123456789";
  Response file;
  file.body = FileBody{.owner = nullptr,
                       .descriptor = -1,
                       .size = bytes.size(),
                       .growth = {},
                       .memory = bytes.data()};
  file.etag = "\"e\"";
  auto [all, head] = Get(file);
  EXPECT_EQ(all.body, Body::kBytes);
  EXPECT_EQ(all.bytes, bytes);
  EXPECT_EQ(all.descriptor, -1);
  EXPECT_NE(head.find("ETag: \"e\"\r\nAccept-Ranges: bytes\r\nContent-Length: 10\r\n"),
            std::string::npos);
  for (const auto& [range, expected, field] : {std::tuple{"2-4", "234", "bytes 2-4/10"},
                                               {"-3", "789", "bytes 7-9/10"},
                                               {"9-", "9", "bytes 9-9/10"}}) {
    auto [part, part_head] = Get(file, std::string("Range: bytes=") + range + "\r\n");
    EXPECT_EQ(part.status, 206U) << range;
    EXPECT_EQ(part.bytes, expected);
    EXPECT_NE(part_head.find(std::string("Content-Range: ") + field), std::string::npos);
  }
  EXPECT_EQ(Get(file, "Range: bytes=10-\r\n").plan.body, Body::kUnsatisfiable);
  EXPECT_EQ(Get(file, "Range: bytes=2-4\r\nIf-Range: \"old\"\r\n").plan.bytes, bytes);
  EXPECT_EQ(Get(file, "If-None-Match: \"e\"\r\n").plan.status, 304U);
  auto [none, none_head] = Plan(Head("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n"), file);
  EXPECT_EQ(none.body, Body::kNone);
  EXPECT_TRUE(none.bytes.empty());
  EXPECT_NE(none_head.find("Content-Length: 10\r\n"), std::string::npos);
}

TEST(PlanAnswer, KnowsWhenARangeDoesNotCount) {
  struct Case {
    std::string_view fields;
    unsigned status;
  };
  const Case kCases[] = {
      {"Range: bytes=10-19\r\nIf-Range: \"v\"\r\n", 206},
      {"Range: bytes=10-19\r\nIf-Range: \"w\"\r\n", 200},
      {"Range: bytes=10-19\r\nIf-Range: Sat, 21 Nov 2026 16:41:10 GMT\r\n", 200},
      {"Range: bytes=100-\r\n", 416},
      {"Range: bytes=100-\r\nIf-Range: \"w\"\r\n", 200},
      {"Range: bytes=1-2,3-4\r\n", 200},
      {"Range: bytes=10-19\r\nIf-None-Match: \"v\"\r\n", 304},
      {"If-None-Match: \"v\"\r\n", 304},
      {"If-None-Match: \"w\"\r\n", 200},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(Get(File("\"v\""), c.fields).plan.status, c.status) << c.fields;
  }
  EXPECT_EQ(Get(File(""), "Range: bytes=10-19\r\n").plan.status, 200u);
  RequestHead head = Head("HEAD / HTTP/1.1\r\nHost: h\r\nRange: bytes=10-19\r\n\r\n");
  EXPECT_EQ(Plan(head, File("\"v\"")).plan.status, 200u);
}

TEST(PlanAnswer, FramesStreams) {
  class Source final : public ByteSource {
    Task<std::span<const std::byte>> Read() override { co_return std::span<const std::byte>(); }
  };
  Response response;
  response.body = std::make_unique<Source>();
  Planned chunked = Get(response);
  EXPECT_EQ(chunked.plan.body, Body::kChunks);
  EXPECT_NE(chunked.head.find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  Planned old = Plan(Head("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), response);
  EXPECT_EQ(old.plan.body, Body::kUntilClose);
  EXPECT_NE(old.head.find("Connection: close\r\n"), std::string::npos);
  EXPECT_EQ(old.head.find("Content-Length"), std::string::npos);
  response.content_length = 5;
  EXPECT_EQ(Get(response).plan.body, Body::kSized);
  EXPECT_NE(Get(response).head.find("Content-Length: 5\r\n"), std::string::npos);
}

TEST(PlanAnswer, SaysWhetherTheConnectionStays) {
  Response response = Response::Json(200, "{}");
  Planned closing = Plan(Head("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), response);
  EXPECT_NE(closing.head.find("Connection: close\r\n\r\n"), std::string::npos);
  Planned old = Plan(Head("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), response);
  EXPECT_NE(old.head.find("Connection: keep-alive\r\n\r\n"), std::string::npos);
}

TEST(PlanAnswer, KeepsFieldsOnTheirLines) {
  Response response;
  response.status = 299;
  response.fields = {{"A", "b\r\nC: d\n\x01 e\tf"}};
  Planned planned = Get(response);
  EXPECT_TRUE(planned.head.starts_with("HTTP/1.1 299 \r\nA: b  C: d   e\tf\r\n")) << planned.head;
}

}  // namespace
}  // namespace koya::http
