#include "domain/name_rules.h"

#include <gtest/gtest.h>

#include <string>

namespace koya {
namespace {

TEST(MailAddressTest, TakesWhatMailServersTake) {
  for (const char* good :
       {"a@b", "ada@example.com", "ada.lovelace+koya@mail.example.co.uk", "o'brien@example.com",
        "koya-bot_1@example.com", "ada@xn--bcher-kva.example"}) {
    EXPECT_TRUE(CheckMailAddress(good)) << good;
  }
}

TEST(MailAddressTest, RejectsWhatCouldAddToAHeaderOrIsNoAddress) {
  const std::string lines[] = {"",
                               "ada",
                               "@example.com",
                               "ada@",
                               "ada@example.com\r\nBcc: eve@example.com",
                               "ada@example.com\n",
                               "ada@exam ple.com",
                               "ada@example.com>, <eve@example.com",
                               "ada@example.com,eve@example.com",
                               "\"a b\"@example.com",
                               "ada@example.com\x01",
                               "a@b@c",
                               "ada@example..com",
                               "ada@example.com.",
                               "ada@.example.com",
                               "ädä@example.com",
                               "ada@[192.0.2.1]",
                               std::string(250, 'a') + "@example.com"};
  for (const std::string& bad : lines) {
    const Status checked = CheckMailAddress(bad);
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().kind, ErrorKind::kInvalid);
    EXPECT_EQ(checked.error().message.find('\n'), std::string::npos) << bad;
  }
}

}  // namespace
}  // namespace koya
