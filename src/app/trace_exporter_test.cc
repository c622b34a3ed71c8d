#include "app/trace_exporter.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace koya {
namespace {
namespace json = boost::json;

Span ExampleSpan() {
  return {.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736",
          .span_id = "00f067aa0ba902b8",
          .parent_id = "00f067aa0ba902b7",
          .name = "GET /v1/modules",
          .kind = Span::Kind::kServer,
          .begin = 1'700'000'000'000'000'001,
          .end = 1'700'000'000'000'000'002,
          .attributes = {{"url.path", std::string("/v1/\"modules\"")},
                         {"http.response.status_code", std::int64_t{200}}}};
}

TEST(EncodeSpans, WritesTheJsonFormOfOtlp) {
  Span failed = ExampleSpan();
  failed.kind = Span::Kind::kClient;
  failed.attributes.clear();
  failed.failed = true;
  const json::value expected = json::parse(R"({"resourceSpans": [{
    "resource": {"attributes": [
      {"key": "service.name", "value": {"stringValue": "koya"}},
      {"key": "service.version", "value": {"stringValue": "1.2.3"}},
      {"key": "service.instance.id", "value": {"stringValue": "one"}}]},
    "scopeSpans": [{
      "scope": {"name": "koya", "version": "1.2.3"},
      "spans": [
        {"traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": "00f067aa0ba902b8",
         "parentSpanId": "00f067aa0ba902b7", "name": "GET /v1/modules", "kind": 2,
         "startTimeUnixNano": "1700000000000000001", "endTimeUnixNano": "1700000000000000002",
         "attributes": [
           {"key": "url.path", "value": {"stringValue": "/v1/\"modules\""}},
           {"key": "http.response.status_code", "value": {"intValue": "200"}}]},
        {"traceId": "4bf92f3577b34da6a3ce929d0e0e4736", "spanId": "00f067aa0ba902b8",
         "parentSpanId": "00f067aa0ba902b7", "name": "GET /v1/modules", "kind": 3,
         "startTimeUnixNano": "1700000000000000001", "endTimeUnixNano": "1700000000000000002",
         "attributes": [], "status": {"code": 2}}]}]}]})");
  EXPECT_EQ(
      json::parse(EncodeSpans({.version = "1.2.3", .instance = "one"}, {ExampleSpan(), failed})),
      expected);
}

}  // namespace
}  // namespace koya
