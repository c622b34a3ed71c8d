#include "domain/provider_address.h"

#include <gtest/gtest.h>
#include <unicode/bytestream.h>
#include <unicode/idna.h>

#include <memory>
#include <string>
#include <vector>

namespace koya {
namespace {

struct AcceptedProvider {
  std::string text;
  std::string normal;
};

TEST(ProviderAddressTest, NormalizesAsClientsDo) {
  const std::vector<AcceptedProvider> kRows = {
      {"acme/demo", "acme/demo"},
      {"Acme/DEMO", "acme/demo"},
      {"a/b", "a/b"},
      {"0/1", "0/1"},
      {"my-corp/my-cloud-2", "my-corp/my-cloud-2"},
      {"a-b-c/d", "a-b-c/d"},
      {"xn/xn-a", "xn/xn-a"},
      {std::string(63, 'n') + "/" + std::string(63, 'T'),
       std::string(63, 'n') + "/" + std::string(63, 't')},
      {"日本/雲", "日本/雲"},
      {"ACMÉ/Übung", "acmé/übung"},
      {"acme\u0301/x", "acmé/x"},              // decomposed: NFC
      {"straße/ΣΊΣΥΦΟΣ", "straße/σίσυφοσ"},    // non-transitional: "ß" stays
      {"ａｃｍｅ/ｄｅｍｏ", "acme/demo"},      // full-width
      {"ac\u00ADme/de\u200Bmo", "acme/demo"},  // invisible characters are dropped
      {"a－b/c", "a-b/c"},
      {"أهلا/x", "أهلا/x"},
      {"Привет/ж", "привет/ж"},
      // Namespaces of Terraform 1.16.
      {"My_Org/demo", "my_org/demo"},
      {"a__b_c/demo", "a__b_c/demo"},
      {"a-_b/demo", "a-_b/demo"},
      {"é_E/demo", "é_e/demo"},
      {"é＿e/demo", "é_e/demo"},
      {"a＿b/demo", "a_b/demo"},
      {"日_本/雲", "日_本/雲"},
  };
  for (const AcceptedProvider& row : kRows) {
    auto address = ProviderAddress::Parse(row.text);
    ASSERT_TRUE(address) << row.text << ": " << address.error().message;
    EXPECT_EQ(address->ToString(), row.normal);
    EXPECT_EQ(*ProviderAddress::Parse(row.normal), *address) << row.text;
  }
}

TEST(ProviderAddressTest, HasTwoParts) {
  auto address = ProviderAddress::FromParts("Acme", "Demo");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->ns(), "acme");
  EXPECT_EQ(address->type(), "demo");
}

struct RefusedProvider {
  std::string text;
  std::string_view message_part;
};

void ExpectRefused(const std::vector<RefusedProvider>& rows) {
  for (const RefusedProvider& row : rows) {
    auto address = ProviderAddress::Parse(row.text);
    ASSERT_FALSE(address) << row.text << " became " << address->ToString();
    EXPECT_EQ(address.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(address.error().message.find(row.message_part), std::string::npos)
        << row.text << ": " << address.error().message;
  }
}

TEST(ProviderAddressTest, RefusesOtherShapesAndAsciiThatClientsRefuse) {
  ExpectRefused({
      {"", "write NAMESPACE/TYPE"},
      {"acme", "write NAMESPACE/TYPE"},
      {"registry.example/acme/demo", "without the host name"},
      {"a/b/c/d", "write NAMESPACE/TYPE"},
      {"/demo", "the namespace is empty"},
      {"acme/", "the type is empty"},
      {"_acme/demo", "namespace \"_acme\" is not allowed: begin and end"},
      {"acme_/demo", "begin and end"},
      {"_/demo", "begin and end"},
      {"ac_me/de_mo", "type \"de_mo\" is not allowed: clients do not take \"_\""},
      {"acme/_demo", "clients do not take \"_\""},
      {"my_o!g/demo", "use letters, digits"},
      {"my_--org/demo", "write one \"-\""},
      {"acme/de_mo", "type \"de_mo\" is not allowed: clients do not take \"_\""},
      {"ac.me/demo", "leave out the \".\""},
      {"acme/..", "leave out the \".\""},
      {"ac--me/demo", "write one \"-\""},
      {"acme/de---mo", "write one \"-\""},
      {"xn--wgv71a/demo", "punycode"},
      {"acme/XN--wgv71a", "punycode"},
      {"-acme/demo", "begin and end"},
      {"acme-/demo", "begin and end"},
      {"acme/-", "begin and end"},
      {"ac me/demo", "use letters, digits"},
      {"acme/de*mo", "use letters, digits"},
      {"acme/de\\mo", "use letters, digits"},
      {std::string("ac\0me/demo", 10), "use letters, digits"},
      {"acme/demo\n", "use letters, digits"},
      {"acme/" + std::string(64, 't'), "has 64 characters; use at most 63"},
      {std::string(5000, 'n') + "/demo", "at most 63"},
  });
}

TEST(ProviderAddressTest, RefusesUnicodeThatClientsRefuse) {
  std::string longest;  // 57 of them have 62 octets as punycode, 58 have 64
  for (int i = 0; i < 58; ++i) longest += "é";
  ExpectRefused({
      {"ac\xff\xfeme/demo", "not UTF-8"},
      {"acm\xc3/demo", "not UTF-8"},
      {"acme/日。本", "full stop"},
      {"acme/日．本", "full stop"},
      {"acme/é_e", "clients do not take \"_\""},
      {"acme/é＿e", "host names may not have"},
      {"＿é/demo", "begin and end"},
      {"é＿/demo", "begin and end"},
      {"é_!/demo", "host names may not have"},
      {"é(a)/demo", "host names may not have"},
      {"é⒜/demo", "host names may not have"},  // it stands for "(a)"
      {"a≠b/demo", "host names may not have"},
      {"acme/a≠b", "host names may not have"},
      {"é_א/demo", "right-to-left"},
      {"é－－e/demo", "\"--\""},
      {"ｘn--wgv71a/demo", "\"--\""},
      {"é.e/demo", "leave out the \".\""},
      {"\u00AD/demo", "invisible"},
      {"\u0301acme/demo", "a mark that belongs"},
      {"acme/日 本", "host names may not have"},
      {"acme/日\n本", "host names may not have"},
      {"acme/\u202Eolleh", "host names may not have"},
      {"acme/a\u200Db", "joiner"},
      {"acme/אa", "right-to-left"},
      {"acme/\uFFFD", "host names may not have"},
      {"acme/é-", "begin and end"},
      {"acme/é\u2026", "host names may not have"},  // it stands for three dots
      {longest + "/demo", "ASCII form"},
  });
}

// Written in full-width letters, clients decode punycode: the address is the one they arrive at.
TEST(ProviderAddressTest, FullWidthPunycodeIsWhatItStandsFor) {
  auto address = ProviderAddress::Parse("ｘｎ－－ｗｇｖ７１ａ/demo");
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_EQ(address->ToString(), "日本/demo");
}

// The path without ICU must give what ICU gives: compared for all short labels and some long ones.
TEST(ProviderAddressTest, TheAsciiPathAgreesWithUts46) {
  UErrorCode code = U_ZERO_ERROR;
  const std::unique_ptr<icu::IDNA> idna(icu::IDNA::createUTS46Instance(
      UIDNA_USE_STD3_RULES | UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ |
          UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_NONTRANSITIONAL_TO_UNICODE,
      code));
  ASSERT_TRUE(U_SUCCESS(code));
  auto by_uts46 = [&](const std::string& label) -> std::string {
    std::string out;
    icu::StringByteSink<std::string> sink(&out);
    icu::IDNAInfo info;
    UErrorCode result = U_ZERO_ERROR;
    idna->labelToASCII_UTF8(label, sink, info, result);
    // Double hyphens are the clients' rule, not UTS #46's.
    bool taken = U_SUCCESS(result) && !info.hasErrors() && out.find("--") == std::string::npos;
    return taken ? out : "";
  };
  std::vector<std::string> labels = {std::string(63, 'A'), std::string(64, 'a'), "xn--a", "a-b-c"};
  for (char a = 0; a >= 0; a = static_cast<char>(a + 1)) {
    labels.push_back({a});
    for (char b = 0; b >= 0; b = static_cast<char>(b + 1)) labels.push_back({'x', a, b});
    if (a == 127) break;
  }
  for (const std::string& label : labels) {
    EXPECT_EQ(NormalizeProviderType(label).value_or(""), by_uts46(label)) << label;
    if (label.contains('_')) continue;
    EXPECT_EQ(NormalizeProviderNamespace(label).value_or(""), by_uts46(label)) << label;
  }
}

TEST(NamespaceWarningTest, IsAboutUnderscores) {
  EXPECT_TRUE(NamespaceWarning("my_org").contains("OpenTofu, and Terraform before 1.16, reject"));
  for (std::string_view ns : {"acme", "my-org", "日本"}) EXPECT_EQ(NamespaceWarning(ns), "") << ns;
}

TEST(ReservedReasonTest, RefusesWhatClientsAndTheApiUse) {
  const std::vector<RefusedProvider> kRows = {
      {"builtin/x", "namespace \"builtin\" is reserved"},
      {"BuiltIn/x", "namespace \"builtin\" is reserved"},
      {"search/x", "namespace \"search\" is reserved"},
      {"acme/terraform-aws", "begin with \"terraform-\""},
      {"acme/terraform-aws", "write acme/aws"},
      {"acme/terraform-provider-aws", "begin with \"terraform-provider-\""},
      {"acme/terraform-provider-aws", "write acme/aws"},
      {"acme/opentofu-x", "begin with \"opentofu-\""},
      {"acme/opentofu-provider-x", "write acme/x"},
      {"acme/terraform-provider", "write acme/provider"},
      {"acme/opentofu-terraform-provider-x", "write acme/x"},
      {"acme/Terraform-X", "write acme/x"},
  };
  for (const RefusedProvider& row : kRows) {
    std::string reason = ReservedReason(*ProviderAddress::Parse(row.text));
    EXPECT_NE(reason.find(row.message_part), std::string::npos) << row.text << ": " << reason;
  }
  for (std::string_view text : {"acme/demo", "terraform-x/demo", "acme/terraform", "acme/opentofu",
                                "acme/my-terraform-x", "acme/search", "acme/builtin"}) {
    EXPECT_EQ(ReservedReason(*ProviderAddress::Parse(text)), "") << text;
  }
}

TEST(ProviderLocalNameTest, BeginsWithNoDigit) {
  EXPECT_EQ(ProviderLocalName("3par"), "provider-3par");
  EXPECT_EQ(ProviderLocalName("0"), "provider-0");
  EXPECT_EQ(ProviderLocalName("aws"), "aws");
  EXPECT_EQ(ProviderLocalName("a3"), "a3");
}

}  // namespace
}  // namespace koya
