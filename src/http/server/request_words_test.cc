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

std::string ProxyHeader(char command, char family, std::string_view addresses) {
  std::string header("\r\n\r\n\0\r\nQUIT\n", 12);
  header += {command, family, static_cast<char>(addresses.size() >> 8),
             static_cast<char>(addresses.size() & 0xff)};
  return header.append(addresses);
}

// From 203.0.113.7:1025 to 192.0.2.1:443.
constexpr std::string_view kAddresses4("\xcb\x00\x71\x07\xc0\x00\x02\x01\x04\x01\x01\xbb", 12);
// From 2001:db8::7, and from ::ffff:203.0.113.7.
const std::string kAddresses6 = std::string("\x20\x01\x0d\xb8", 4) + std::string(11, '\0') +
                                "\x07" + std::string(16, '\1') + std::string(4, '\2');
const std::string kMapped6 = std::string(10, '\0') + "\xff\xff" +
                             std::string(kAddresses4.substr(0, 4)) + std::string(20, '\1');

TEST(ProxyHeader, NamesTheClient) {
  struct Row {
    std::string header, client;
  };
  for (const Row& row : {
           Row{ProxyHeader(0x21, 0x11, kAddresses4), "203.0.113.7"},
           Row{ProxyHeader(0x21, 0x21, kAddresses6), "2001:db8::7"},
           Row{ProxyHeader(0x21, 0x21, kMapped6), "203.0.113.7"},
           Row{ProxyHeader(0x21, 0x11, std::string(kAddresses4) + std::string("\x04\x00\x01x", 4)),
               "203.0.113.7"},  // with an extension
           Row{ProxyHeader(0x21, 0x11, std::string(kAddresses4) + std::string(4068, 'x')),
               "203.0.113.7"},
           Row{ProxyHeader(0x20, 0x00, ""), ""},
           Row{ProxyHeader(0x20, 0x11, kAddresses4), ""},
           Row{ProxyHeader(0x21, 0x00, ""), ""},
       }) {
    const auto start = std::span<const char>(row.header).first<kProxyHeaderStart>();
    EXPECT_EQ(ProxyHeaderSize(start), row.header.size());
    EXPECT_EQ(ProxiedClient(row.header), row.client);
  }
}

TEST(ProxyHeader, IsRefusedOtherwise) {
  const std::string sound = ProxyHeader(0x21, 0x11, kAddresses4);
  for (const std::string& header : {
           std::string("PROXY TCP4 203.0.113.7 192.0.2.1 1025 443\r\n"),  // version 1
           std::string("GET / HTTP/1.1\r\n"),
           "X" + sound.substr(1),
           ProxyHeader(0x11, 0x11, kAddresses4),  // version 1, and an unknown command
           ProxyHeader(0x22, 0x11, kAddresses4),
           ProxyHeader(0x21, 0x12, kAddresses4),            // UDP
           ProxyHeader(0x21, 0x31, std::string(216, 'a')),  // a socket of a file system
           ProxyHeader(0x21, 0x11, kAddresses4.substr(1)),
           ProxyHeader(0x21, 0x21, kAddresses4),
           ProxyHeader(0x21, 0x11, std::string(kAddresses4) + std::string(4069, 'x')),
           sound + "G",
           sound.substr(0, sound.size() - 1),
           sound.substr(0, kProxyHeaderStart - 1),
           std::string(),
       }) {
    EXPECT_EQ(ProxiedClient(header), std::nullopt) << testing::PrintToString(header);
  }
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
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nX-Request-Id: ");
  EXPECT_EQ(cache.Fields(784111778, true),
            "Strict-Transport-Security: max-age=31536000\r\n"
            "Server: koya\r\nX-Content-Type-Options: nosniff\r\n"
            "Date: Sun, 06 Nov 1994 08:49:38 GMT\r\nX-Request-Id: ");
  EXPECT_EQ(DateCache("", false).Fields(0, true),
            "X-Content-Type-Options: nosniff\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
            "X-Request-Id: ");
}

}  // namespace
}  // namespace koya::http
