#include "http/server/overlong_head.h"

#include <gtest/gtest.h>

#include <string>

namespace koya::http {
namespace {

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

}  // namespace
}  // namespace koya::http
