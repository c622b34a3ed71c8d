#include "domain/host_name.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya {
namespace {

struct Accepted {
  std::string text;
  std::string ascii;
  std::string display;
};

std::string LongName(std::size_t size) {
  std::string name;
  while (name.size() < size) name += name.size() % 64 == 63 ? '.' : 'a';
  return name;
}

TEST(HostNameTest, NormalizesAsClientsDo) {
  const std::vector<Accepted> kRows = {
      {"registry.example.com", "registry.example.com", "registry.example.com"},
      {"Registry.EXAMPLE.com", "registry.example.com", "registry.example.com"},
      {"localhost", "localhost", "localhost"},
      {"127.0.0.1", "127.0.0.1", "127.0.0.1"},
      {"127.0.0.1:8443", "127.0.0.1:8443", "127.0.0.1:8443"},
      {"example.com:443", "example.com", "example.com"},
      {"example.com:0443", "example.com", "example.com"},
      {"example.com:08443", "example.com:8443", "example.com:8443"},
      {"example.com:80", "example.com:80", "example.com:80"},
      {"example.com:65535", "example.com:65535", "example.com:65535"},
      {"example.com.", "example.com.", "example.com."},
      {"a-b.c-d-e", "a-b.c-d-e", "a-b.c-d-e"},
      {"xn.xn-a.example", "xn.xn-a.example", "xn.xn-a.example"},
      {"日本.example:8443", "xn--wgv71a.example:8443", "日本.example:8443"},
      {"Münchën.Example", "xn--mnchn-qsa9i.example", "münchën.example"},
      {"mu\u0308nchen.example", "xn--mnchen-3ya.example", "münchen.example"},
      {"straße.example", "xn--strae-oqa.example", "straße.example"},  // non-transitional
      {"ｅｘａｍｐｌｅ.com", "example.com", "example.com"},           // full-width
      {"日本。example", "xn--wgv71a.example", "日本.example"},        // ideographic stop
      {"exam\u00ADple.com", "example.com", "example.com"},            // dropped by UTS #46
      {"例え.テスト", "xn--r8jz45g.xn--zckzah", "例え.テスト"},
      {"أهلا.example", "xn--igbi0gl.example", "أهلا.example"},
      {"日本.example.", "xn--wgv71a.example.", "日本.example."},
      {LongName(253), LongName(253), LongName(253)},
  };
  for (const Accepted& row : kRows) {
    auto host = HostName::Parse(row.text);
    ASSERT_TRUE(host) << row.text << ": " << host.error().message;
    EXPECT_EQ(host->ascii(), row.ascii) << row.text;
    EXPECT_EQ(host->display(), row.display) << row.text;
    EXPECT_EQ(*HostName::Parse(host->display()), *host) << row.text;
    EXPECT_EQ(*HostName::ParseWire(host->ascii()), *host) << row.text;
    EXPECT_EQ(HostName::ParseWire(host->ascii())->display(), row.display) << row.text;
  }
}

TEST(HostNameTest, KnowsWhetherThereIsAPort) {
  EXPECT_TRUE(HostName::Parse("a.example:8443")->has_port());
  EXPECT_FALSE(HostName::Parse("a.example:443")->has_port());
  EXPECT_FALSE(HostName::Parse("a.example")->has_port());
}

TEST(HostNameTest, HoldsNamesWithAFullStopAtTheirEndApart) {
  EXPECT_FALSE(*HostName::Parse("a.example") == *HostName::Parse("a.example."));
  EXPECT_TRUE(*HostName::Parse("A.example:443") == *HostName::Parse("a.example"));
}

TEST(HostNameTest, TakesPunycodeFromTheWireOnly) {
  for (std::string_view text : {"xn--mnchen-3ya.example", "XN--MNCHEN-3YA.example"}) {
    auto host = HostName::ParseWire(text);
    ASSERT_TRUE(host) << text << ": " << host.error().message;
    EXPECT_EQ(host->ascii(), "xn--mnchen-3ya.example");
    EXPECT_EQ(host->display(), "münchen.example");
  }
  EXPECT_EQ(HostName::ParseWire("xn--wgv71a.example:8443")->display(), "日本.example:8443");
  // Folders of a mirror are spelled in Unicode, and served as they are.
  EXPECT_EQ(HostName::ParseWire("münchen.example")->ascii(), "xn--mnchen-3ya.example");
}

struct Refused {
  std::string text;
  std::string_view message_part;
};

TEST(HostNameTest, RefusesTheRestAndSaysWhatToWrite) {
  const std::vector<Refused> kRows = {
      {"", "the host name is empty"},
      {"https://example.com", "it is a URL; write the host alone"},
      {"https://user:secret@example.com/", "before the \"@\""},
      {"user:secret@example.com", "leave out what stands before the \"@\""},
      {"example.com/v1", "leave the path out"},
      {"example.com?x", "leave the path out"},
      {"example.com#x", "leave the path out"},
      {"example.com\\v1", "leave the path out"},
      {"[::1]", "no IPv6 address"},
      {"[::1]:8443", "no IPv6 address"},
      {"2001:db8::1", "no IPv6 address"},
      {"example.com:", "a number from 1 to 65535"},
      {"example.com:0", "a number from 1 to 65535"},
      {"example.com:65536", "a number from 1 to 65535"},
      {"example.com:99999999999999999999", "a number from 1 to 65535"},
      {"example.com:-1", "a number from 1 to 65535"},
      {"example.com:+80", "a number from 1 to 65535"},
      {"example.com: 80", "a number from 1 to 65535"},
      {"example.com:http", "a number from 1 to 65535"},
      {":8443", "the name before the port is missing"},
      {".", "a label is empty"},
      {".example.com", "a label is empty"},
      {"example..com", "a label is empty"},
      {"example.com..", "a label is empty"},
      {"。example", "not allowed"},
      {"日本。。example", "not allowed"},
      {"exa_mple.com", "use letters, digits and \"-\" only"},
      {"exa mple.com", "use letters, digits and \"-\" only"},
      {"exa%6dple.com", "use letters, digits and \"-\" only"},
      {"*.example.com", "use letters, digits and \"-\" only"},
      {std::string("exa\0mple.com", 12), "use letters, digits and \"-\" only"},
      {"-a.example", "begin and end every label"},
      {"a-.example", "begin and end every label"},
      {"ab--c.example", "\"--\" in third place"},
      {"xn--mnchen-3ya.example", "do not take punycode"},
      {"XN--mnchen-3ya.example", "do not take punycode"},
      {"a.xn--mnchen-3ya", "do not take punycode"},
      {"日本。xn--mnchen-3ya", "do not take punycode"},
      {std::string(64, 'a') + ".example", "more than 63 characters"},
      {LongName(254), "more than 253 characters"},
      {std::string(5000, 'a'), "it has 5000 bytes"},
      {"日_本.example", "a character that host names may not have"},
      {"\xff\xfe.example", "not UTF-8"},
      {"\u0301a.example", "begins with a mark"},
      {"a\u200Db.example", "a joiner where none may stand"},
      {"אa.example", "right-to-left"},
      {"日-.example", "begin and end it"},
      {"ab--日.example", "without \"--\" inside"},
      {"\u2260.example\u00b9\u2488", "not allowed"},
  };
  for (const Refused& row : kRows) {
    auto host = HostName::Parse(row.text);
    ASSERT_FALSE(host) << row.text << " became " << host->ascii();
    EXPECT_EQ(host.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(host.error().message.find(row.message_part), std::string::npos)
        << row.text << ": " << host.error().message;
    EXPECT_EQ(host.error().message.find("secret@"), std::string::npos) << host.error().message;
  }
}

TEST(HostNameTest, RefusesDamagedPunycodeFromTheWire) {
  for (std::string_view text :
       {"xn--", "xn--a.example", "xn--mnchen-3y.example", "xn--mnchen-3ya-.example",
        "xn--example.com", "xn--\xc3\xbc.example", "xn--a-.example", "xn--zzzzzzzz99999999"}) {
    auto host = HostName::ParseWire(text);
    ASSERT_FALSE(host) << text << " became " << host->ascii();
    EXPECT_EQ(host.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(host.error().message.find("host name"), std::string::npos) << host.error().message;
  }
}

}  // namespace
}  // namespace koya
