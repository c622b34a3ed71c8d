// Small things that each request needs: whose it is, how many it has beside it, its id, the date.
#include <gtest/gtest.h>

#include "http/server/connection_limits.h"
#include "http/server/request_words.h"

namespace koya::http {
namespace {

Origin Resolve(std::string_view peer, std::vector<Field> fields) {
  std::vector<AddressRange> trusted{*AddressRange::Parse("10.0.0.0/8"),
                                    *AddressRange::Parse("::1")};
  return ResolveOrigin(Origin{peer, false}, fields, trusted);
}

TEST(ResolveOrigin, BelievesTrustedProxiesOnly) {
  EXPECT_EQ(Resolve("8.8.8.8", {{"X-Forwarded-For", "1.2.3.4"}}).remote, "8.8.8.8");
  EXPECT_FALSE(Resolve("8.8.8.8", {{"X-Forwarded-Proto", "https"}}).secure);
  EXPECT_EQ(Resolve("10.0.0.1", {{"X-Forwarded-For", "1.2.3.4"}}).remote, "1.2.3.4");
  EXPECT_TRUE(Resolve("::1", {{"x-forwarded-proto", "HTTPS"}}).secure);
  EXPECT_FALSE(Resolve("::1", {{"x-forwarded-proto", "https, http"}}).secure);
  EXPECT_EQ(Resolve("10.0.0.1", {}).remote, "10.0.0.1");
}

TEST(ResolveOrigin, TakesTheRightmostAddressThatIsNotTrusted) {
  struct Case {
    std::vector<Field> fields;
    std::string_view remote;
  };
  const Case kCases[] = {
      {{{"X-Forwarded-For", "6.6.6.6, 1.2.3.4"}}, "1.2.3.4"},
      {{{"X-Forwarded-For", "6.6.6.6, 1.2.3.4, 10.9.9.9"}}, "1.2.3.4"},
      {{{"X-Forwarded-For", "1.2.3.4"}, {"X-Forwarded-For", "10.9.9.9"}}, "1.2.3.4"},
      {{{"X-Forwarded-For", "10.9.9.8, 10.9.9.9"}}, "10.9.9.8"},
      {{{"X-Forwarded-For", "1.2.3.4, unknown, 10.9.9.9"}}, "10.9.9.9"},
      {{{"X-Forwarded-For", "1.2.3.4:5"}}, "10.0.0.1"},
      {{{"X-Forwarded-For", ""}}, "10.0.0.1"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(Resolve("10.0.0.1", c.fields).remote, c.remote) << c.fields[0].value;
  }
}

TEST(ConnectionLimits, CountsAllAndByAddress) {
  ConnectionLimits limits(3, 2);
  auto a1 = limits.Admit("a");
  auto a2 = limits.Admit("a");
  EXPECT_TRUE(a1 && a2);
  EXPECT_EQ(limits.Admit("a").error(), "connections_per_address");
  {
    auto b = limits.Admit("b");
    ASSERT_TRUE(b);
    EXPECT_EQ(limits.Admit("c").error(), "connections");
    EXPECT_EQ(limits.open(), 3u);
  }
  EXPECT_EQ(limits.open(), 2u);
  EXPECT_TRUE(limits.Admit("c"));
}

TEST(ConnectionLimits, CountsAProxysConnectionsAndItsClientsRequestsApart) {
  ConnectionLimits limits(3, 1);
  auto p1 = limits.Admit("proxy", Counted::kInAll);
  auto p2 = limits.Admit("proxy", Counted::kInAll);
  auto p3 = limits.Admit("proxy", Counted::kInAll);
  EXPECT_TRUE(p1 && p2 && p3);
  EXPECT_EQ(limits.Admit("proxy", Counted::kInAll).error(), "connections");
  {
    auto client = limits.Admit("a", Counted::kByAddress);
    EXPECT_TRUE(client);
    EXPECT_EQ(limits.Admit("a", Counted::kByAddress).error(), "connections_per_address");
    EXPECT_TRUE(limits.Admit("b", Counted::kByAddress));
    EXPECT_EQ(limits.open(), 3u);
  }
  EXPECT_TRUE(limits.Admit("a", Counted::kByAddress));
}

TEST(RequestId, TakesOverSaneOnesOnly) {
  EXPECT_TRUE(IsSaneRequestId("3f9A-1_c.2"));
  EXPECT_TRUE(IsSaneRequestId(std::string(64, 'a')));
  EXPECT_FALSE(IsSaneRequestId(""));
  EXPECT_FALSE(IsSaneRequestId(std::string(65, 'a')));
  EXPECT_FALSE(IsSaneRequestId("a b"));
  EXPECT_FALSE(IsSaneRequestId("a\"b"));
}

TEST(TraceId, IsReadFromASoundField) {
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  for (const std::string& field :
       {"00-" + trace + "-00f067aa0ba902b7-01", "00-" + trace + "-00f067aa0ba902b7-ff",
        "cc-" + trace + "-00f067aa0ba902b7-01", "01-" + trace + "-00f067aa0ba902b7-01-more"}) {
    EXPECT_EQ(TraceIdOf(field), trace) << field;
  }
}

TEST(TraceId, IsLeftOutOtherwise) {
  for (std::string_view field : {"", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
                                 "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.more",
                                 "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                 "0G-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                 "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                                 "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067aa0ba902b7-01",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
                                 "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
                                 "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01"}) {
    EXPECT_EQ(TraceIdOf(field), "") << field;
  }
  EXPECT_EQ(TraceIdOf(std::string(8000, '0')), "");
}

TEST(RequestId, DiffersEachTime) {
  RequestIdSource source;
  RequestIdSource other;
  RequestIdSource::Id first, second, third;
  source.Next(first);
  source.Next(second);
  other.Next(third);
  EXPECT_NE(first, second);
  EXPECT_NE(first, third);
  EXPECT_TRUE(IsSaneRequestId({first.data(), first.size()}));
}

TEST(DateCache, RendersOncePerSecond) {
  DateCache cache("koya", true);
  EXPECT_EQ(cache.Fields(784111777, false),
            "Server: koya\r\nX-Content-Type-Options: nosniff\r\n"
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
  EXPECT_EQ(cache.Fields(784111778, true),
            "Server: koya\r\nX-Content-Type-Options: nosniff\r\n"
            "Date: Sun, 06 Nov 1994 08:49:38 GMT\r\n"
            "Strict-Transport-Security: max-age=31536000\r\n");
  EXPECT_EQ(DateCache("", false).Fields(0, true),
            "X-Content-Type-Options: nosniff\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n");
}

}  // namespace
}  // namespace koya::http
