#include "http/server/head_parser.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace koya::http {
namespace {

using Outcome = HeadScanner::Outcome;

TEST(HeadScanner, FindsTheEndHoweverTheBytesArrive) {
  const std::string head = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  const std::string bytes = head + "GET /next";
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    HeadScanner scanner;
    Outcome outcome = Outcome::kIncomplete;
    for (std::size_t have = step; outcome == Outcome::kIncomplete; have += step) {
      outcome = scanner.Scan(std::string_view(bytes).substr(0, have));
      ASSERT_LE(have, bytes.size() + step);
    }
    EXPECT_EQ(outcome, Outcome::kComplete) << step;
    EXPECT_EQ(scanner.head_size(), head.size()) << step;
  }
}

TEST(HeadScanner, RefusesLinesThatDoNotEndInCrLf) {
  const std::string_view kBad[] = {
      "GET / HTTP/1.1\n",     "GET / HTTP/1.1\r\nHost: h\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n\n",
      "\nGET / HTTP/1.1\r\n", "\r\nGET / HTTP/1.1\r\n",          " GET / HTTP/1.1\r\n",
      "\x16\x03\x01",         std::string_view("\0GET", 4),
  };
  for (std::string_view bytes : kBad) {
    EXPECT_EQ(HeadScanner().Scan(bytes), Outcome::kMalformed) << testing::PrintToString(bytes);
  }
}

RequestHead Parse(std::string_view bytes) {
  RequestHead head;
  auto fault = ParseHead(bytes, head);
  EXPECT_FALSE(fault) << bytes << ": " << (fault ? fault->message : "");
  return head;
}

TEST(ParseHead, TakesTheParts) {
  RequestHead head = Parse(
      "PUT /a?b=c HTTP/1.1\r\nhOsT: example.com:8443\r\nContent-Length: 12\r\n"
      "X-Empty:\r\nX-Spaced: \t two words \t\r\nUser-Agent: OpenTofu/1.8\r\n"
      "If-None-Match: \"x\"\r\nAccept-Encoding: gzip\r\nExpect: 100-Continue\r\n\r\n");
  EXPECT_EQ(head.method, Method::kPut);
  EXPECT_EQ(head.method_text, "PUT");
  EXPECT_EQ(head.target, "/a?b=c");
  EXPECT_EQ(head.host, "example.com:8443");
  EXPECT_EQ(head.content_length, 12u);
  EXPECT_EQ(head.fields.size(), 8u);
  EXPECT_EQ(head.fields[2].value, "");
  EXPECT_EQ(head.fields[3].value, "two words");
  EXPECT_EQ(head.user_agent, "OpenTofu/1.8");
  EXPECT_EQ(head.if_none_match, "\"x\"");
  EXPECT_TRUE(head.accepts_gzip);
  EXPECT_TRUE(head.expects_continue);
  EXPECT_TRUE(head.has_body());
  EXPECT_TRUE(head.keep_alive);
}

TEST(ParseHead, RefusesControlCharactersWhereverTheyStand) {
  for (std::size_t size = 1; size <= 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (char c : {'\x01', '\x1f', '\x7f', '\r', '\0'}) {
        std::string value(size, 'v');
        value[at] = c;
        RequestHead head;
        auto fault = ParseHead("GET / HTTP/1.1\r\nHost: h\r\nX-A: " + value + "\r\n\r\n", head);
        // Blanks are taken off, and nothing else is.
        ASSERT_TRUE(fault) << size << ' ' << at << ' ' << int(c);
        EXPECT_EQ(fault->status, 400u);
      }
      std::string value(size, 'v');
      value[at] = '\xc3';
      if (at > 0 && at + 1 < size) value[at] = '\t';
      EXPECT_EQ(Parse("GET / HTTP/1.1\r\nX-A: " + value + "\r\nHost: h\r\n\r\n").fields[0].value,
                value);
    }
  }
}

TEST(ParseHead, KnowsFieldsByTheirWholeName) {
  RequestHead head = Parse(
      "GET / HTTP/1.1\r\nHosu: a\r\nHOST: h\r\nIf-None-Matcg: a\r\nXf-None-Match: b\r\n"
      "iF-nOnE-mAtCh: c\r\nIf-NoneXMatch: d\r\nAccept-EncodinG: gzip\r\nAccept+Encoding: x\r\n"
      "User-agent: u\r\nUser-agenu: v\r\n\r\n");
  EXPECT_EQ(head.host, "h");
  EXPECT_EQ(head.if_none_match, "c");
  EXPECT_TRUE(head.accepts_gzip);
  EXPECT_EQ(head.user_agent, "u");
}

TEST(ParseHead, DecidesOnKeepAlive) {
  const std::pair<std::string_view, bool> kCases[] = {
      {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", true},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", false},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: foo, CLOSE\r\n\r\n", false},
      {"GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n", false},
      {"GET / HTTP/1.0\r\n\r\n", false},
      {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true},
      {"GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", false},
  };
  for (const auto& [bytes, keep_alive] : kCases) {
    EXPECT_EQ(Parse(bytes).keep_alive, keep_alive) << bytes;
  }
}

TEST(ParseHead, TakesBodies) {
  EXPECT_TRUE(Parse("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n").chunked);
  EXPECT_FALSE(Parse("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n").has_body());
  EXPECT_FALSE(Parse("GET / HTTP/1.1\r\nHost: h\r\n\r\n").has_body());
}

TEST(ParseHead, IgnoresExpectationsOfOldClients) {
  EXPECT_FALSE(Parse("PUT / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n").expects_continue);
  EXPECT_TRUE(Parse("PUT / HTTP/1.1\r\nHost: h\r\nExpect: tea\r\n\r\n").expects_other);
}

TEST(ParseHead, TreatsARepeatedRangeAsNone) {
  EXPECT_EQ(Parse("GET / HTTP/1.1\r\nHost: h\r\nRange: bytes=0-1\r\n\r\n").range, "bytes=0-1");
  EXPECT_EQ(
      Parse("GET / HTTP/1.1\r\nHost: h\r\nRange: bytes=0-1\r\nRange: bytes=2-3\r\n\r\n").range, "");
}

struct Refused {
  std::string_view bytes;
  unsigned status;
};

TEST(ParseHead, RefusesWhatCouldBeReadInTwoWays) {
  const Refused kCases[] = {
      {"GET /\r\n\r\n", 400},
      {"GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET / HTTP/1.1 \r\nHost: h\r\n\r\n", 400},
      {"GET / a HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"G{T / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET / http/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET / HTTP/1.10\r\nHost: h\r\n\r\n", 400},
      {"GET / HTTP/x.1\r\nHost: h\r\n\r\n", 400},
      {"GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505},
      {"PRI * HTTP/2.0\r\n\r\n", 505},
      {"GET / HTTP/1.2\r\nHost: h\r\n\r\n", 505},
      {"GET / HTTP/1.1\r\n\r\n", 400},                        // no Host
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400},  // two
      {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400},           // not a name
      {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: u@h\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: h\xc3\xa4\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400},            // space before colon
      {"GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", 400},  // obs-fold
      {"GET / HTTP/1.1\r\nHost: h\r\n\tfolded\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n Host: h\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: h\r\n: v\r\n\r\n", 400},  // no name
      {"GET / HTTP/1.1\r\nHost: h\r\nnocolon\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: h\r\nA: b\rC: d\r\n\r\n", 400},  // bare CR
      {"GET / HTTP/1.1\r\nHost: h\r\nA: \x01\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: h\r\nA: \x7f\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: h\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n", 400},
      {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400},
      {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1\r\n\r\n", 400},
      {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\n", 400},
      {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400},
      {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x10\r\n\r\n", 400},
      {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n", 400},
      {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999999999999999999\r\n\r\n", 400},
      {"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 400},
      {"PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 400},
      {"PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity\r\n\r\n", 400},
      {"PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: \x0b"
       "chunked\r\n\r\n",
       400},
      {"PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
       "chunked\r\n\r\n",
       400},
      {"PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
  };
  for (const Refused& c : kCases) {
    RequestHead head;
    auto fault = ParseHead(c.bytes, head);
    ASSERT_TRUE(fault) << testing::PrintToString(c.bytes);
    EXPECT_EQ(fault->status, c.status) << testing::PrintToString(c.bytes);
    EXPECT_FALSE(fault->message.empty());
  }
}

TEST(ParseHead, BoundsTheNumberOfFields) {
  std::string head_text = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (std::size_t i = 1; i < kMaxFields; ++i) head_text += "a: b\r\n";
  RequestHead head;
  EXPECT_FALSE(ParseHead(head_text + "\r\n", head));
  auto fault = ParseHead(head_text + "a: b\r\n\r\n", head);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->status, 431u);
}

TEST(ParseHead, ForgetsTheRequestBefore) {
  RequestHead head;
  EXPECT_FALSE(ParseHead("PUT / HTTP/1.0\r\nContent-Length: 5\r\nRange: x\r\n\r\n", head));
  EXPECT_FALSE(ParseHead("GET / HTTP/1.1\r\nHost: h\r\n\r\n", head));
  EXPECT_FALSE(head.has_body());
  EXPECT_FALSE(head.is_http_10);
  EXPECT_EQ(head.range, "");
  EXPECT_EQ(head.fields.size(), 1u);
}

// The result for `head` in pieces of `piece` bytes: "METHOD|target|accept|language".
std::string SeenOf(std::string_view head, std::size_t piece) {
  OverlongHead seen;
  for (std::string_view rest = head; !rest.empty();) {
    seen.AcceptBytes(rest.substr(0, piece));
    rest.remove_prefix(std::min(piece, rest.size()));
  }
  RequestHead described;
  seen.Describe(described);
  std::string text = std::string(described.method_text) + "|" + std::string(described.target);
  for (std::string_view name : {"Accept", "Accept-Language"}) {
    text += "|";
    for (const Field& field : described.fields) {
      if (field.name == name) text += field.value;
    }
  }
  return text;
}

void ExpectSeen(const std::string& head, std::string_view wanted) {
  for (std::size_t piece : {1U, 2U, 7U, 1'000'000U}) {
    EXPECT_EQ(SeenOf(head, piece), wanted) << head.substr(0, 100) << " by " << piece;
  }
}

TEST(OverlongHeadTest, FindsWhatComesAfterTheTarget) {
  ExpectSeen("GET /a HTTP/1.1\r\nHost: h\r\nAccept: text/html\r\naccept-language:ja \r\n\r\n",
             "GET|/a|text/html|ja");
  const std::string target = "/" + std::string(20'000, 'x');
  ExpectSeen("HEAD " + target + " HTTP/1.1\r\nAccept: */*\r\n\r\n",
             "HEAD|" + target.substr(0, 1024 - 5) + "|*/*|");
  ExpectSeen("GET / HTTP/1.1\r\nCookie: " + std::string(20'000, 'x') + "\r\nAccept: a/b\r\n",
             "GET|/|a/b|");
  // Line ends of either kind, and no end at all.
  ExpectSeen("GET / HTTP/1.1\nAccept: a/b\nAccept-Language: zh", "GET|/|a/b|");
  ExpectSeen("GET /abc", "GET|/abc||");
}

TEST(OverlongHeadTest, TakesNothingElseForAField) {
  // Of the body, of a value, of a name that only begins so; folded, cut off, or said twice.
  ExpectSeen("POST / HTTP/1.1\r\nHost: h\r\n\r\nAccept: text/html\r\n", "POST|/||");
  ExpectSeen("GET /Accept:text/html HTTP/1.1\r\nX: Accept: text/html\r\n",
             "GET|/Accept:text/html||");
  ExpectSeen("GET / HTTP/1.1\r\nAccepts: a\r\nAccept-Languages: b\r\n Accept: c\r\nAccept : d\r\n",
             "GET|/||");
  ExpectSeen("GET / HTTP/1.1\r\nAccept: text/html," + std::string(2'000, 'x') + "\r\n", "GET|/||");
  ExpectSeen(
      "GET / HTTP/1.1\r\nAccept: a\x01"
      "b\r\nAccept: first\r\nAccept: second\r\n",
      "GET|/|first|");
  // No method.
  ExpectSeen("G\x7fT / HTTP/1.1\r\n", "|||");
  ExpectSeen("", "|||");
  ExpectSeen(std::string(5'000, 'G'), "|||");
}

TEST(OverlongHeadTest, KnowsWhereTheHeadEnds) {
  OverlongHead head;
  head.AcceptBytes("GET / HTTP/1.1\r\nA: b\r\n");
  EXPECT_FALSE(head.is_over());
  head.AcceptBytes("\r");
  EXPECT_FALSE(head.is_over());
  head.AcceptBytes("\nbody");
  EXPECT_TRUE(head.is_over());
}

// All of a head, so that two can be compared.
std::string Described(const RequestHead& head) {
  std::string text = fmt::format(
      "{} {} {} {} {} {} {} {} {} {} {}\n", head.method_text, MethodName(head.method), head.target,
      head.is_http_10, head.keep_alive, head.chunked, head.expects_continue, head.expects_other,
      head.has_host, head.accepts_gzip, head.content_length.value_or(99));
  for (std::string_view view : {head.host, head.if_none_match, head.if_range, head.range,
                                head.request_id, head.user_agent, head.traceparent}) {
    text.append(view).append("\n");
  }
  for (const Field& field : head.fields) text.append(field.name).append(": ").append(field.value);
  return text;
}

void ExpectParsedAsEver(const ParsedFields& parsed, std::string_view line) {
  const std::string bytes = std::string(line).append(parsed.bytes());
  ASSERT_EQ(parsed.FindHead(bytes + "GET /next"), bytes.size()) << bytes;
  RequestHead head;
  RequestHead expected;
  const auto fault = parsed.ParseHead(bytes, head);
  const auto expected_fault = ParseHead(bytes, expected);
  ASSERT_EQ(fault.has_value(), expected_fault.has_value()) << bytes;
  if (fault) EXPECT_EQ(fault->message, expected_fault->message);
  EXPECT_EQ(Described(head), Described(expected));
  for (const Field& field : head.fields) {
    EXPECT_GT(field.name.data(), bytes.data()) << "a view into something else";
    EXPECT_LT(field.name.data(), bytes.data() + bytes.size());
  }
}

TEST(ParsedFields, ParseAHeadAsIfItWereTheFirst) {
  const std::string_view kFields[] = {
      "Host: h\r\n\r\n",
      "Host: example.com:8443\r\nUser-Agent: OpenTofu/1.8\r\nAccept-Encoding: gzip\r\n\r\n",
      "host: h\r\nX-Empty:\r\nExpect: 100-continue\r\nContent-Length: 12\r\n\r\n",
      "host: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\nexpect: x\r\n\r\n",
      "host: h\r\nRange: bytes=0-1\r\nIf-Range: \"a\"\r\nIf-None-Match: \"b\"\r\n\r\n",
      "host: h\r\ntraceparent: 00-1\r\nx-request-id: 7\r\nAuthorization: Bearer t\r\n\r\n",
  };
  const std::string_view kLines[] = {
      "GET / HTTP/1.1\r\n",
      "PUT /v1/modules?a=b HTTP/1.1\r\n",
      "other * HTTP/1.1\r\n",
      // Faults:
      "GET  HTTP/1.1\r\n",
      "G@T / HTTP/1.1\r\n",
      "GET a b HTTP/1.1\r\n",
      "GET HTTP/1.1\r\n",
  };
  for (std::string_view fields : kFields) {
    const ParsedFields parsed(fields);
    EXPECT_EQ(parsed.bytes(), fields);
    for (std::string_view line : kLines) ExpectParsedAsEver(parsed, line);
  }
}

TEST(ParsedFields, AreFoundInNoOtherHead) {
  const ParsedFields parsed("Host: h\r\nA: b\r\n\r\n");
  const std::string_view kOthers[] = {
      "",
      "\n",
      "GET / HTTP/1.1",
      "GET / HTTP/1.1\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\r",
      "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\nC: d\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nA: c\r\n\r\n",
      "GET / HTTP/1.1\r\nhost: h\r\nA: b\r\n\r\n",
      "GET / HTTP/1.1\r\nX: y\r\nHost: h\r\nA: b\r\n\r\n",
      "GET / HTTP/1.0\r\nHost: h\r\nA: b\r\n\r\n",
      "GET / HTTP/1.2\r\nHost: h\r\nA: b\r\n\r\n",
      "GET / HTTP/1.1\nHost: h\r\nA: b\r\n\r\n",
      "GET /\r\nHost: h\r\nA: b\r\n\r\n",
      " GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\r\n",
      " HTTP/1.1\r\nHost: h\r\nA: b\r\n\r\n",
      "\r\nHost: h\r\nA: b\r\n\r\n",
  };
  for (std::string_view other : kOthers) {
    EXPECT_EQ(parsed.FindHead(other), 0u) << testing::PrintToString(other);
  }
}

TEST(ParsedFieldsIndex, SharesEqualOnesAndOwnsNone) {
  ParsedFieldsIndex index;
  std::shared_ptr<const ParsedFields> first = index.Share("Host: h\r\n\r\n");
  EXPECT_EQ(index.Share("Host: h\r\n\r\n"), first);
  EXPECT_NE(index.Share("Host: i\r\n\r\n"), first);
  const std::weak_ptr<const ParsedFields> watched = first;
  first.reset();
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(index.Share("Host: h\r\n\r\n")->bytes(), "Host: h\r\n\r\n");
  const std::string large =
      "Host: h\r\nA: " + std::string(ParsedFieldsIndex::kMostBytes, 'a') + "\r\n\r\n";
  EXPECT_EQ(index.Share(large), nullptr);
  for (int i = 0; i < 1000; ++i) {
    const std::string fields = fmt::format("Host: h{}\r\n\r\n", i);
    EXPECT_EQ(index.Share(fields)->bytes(), fields);
  }
}

}  // namespace

}  // namespace koya::http
