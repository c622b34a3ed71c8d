#include "wire/json_text.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

namespace koya::wire {
namespace {

std::string Written(std::string_view text) {
  std::string out = "before:";
  AppendJsonText(text, out);
  return out;
}

TEST(JsonTextTest, EscapesWhatHasToBe) {
  const struct {
    std::string text;
    const char* written;
  } cases[] = {
      {"", R"("")"},
      {"plain, with / and '", R"("plain, with / and '")"},
      {"\"quoted\"", R"("\"quoted\"")"},
      {"back\\slash", R"("back\\slash")"},
      {"\b\f\n\r\t", R"("\b\f\n\r\t")"},
      {std::string("\0\x01\x1f\x7f", 4), "\"\\u0000\\u0001\\u001f\x7f\""},
      {"größe 語 \xf0\x9f\xa6\x89", "\"größe 語 \xf0\x9f\xa6\x89\""},
      {"</script>", R"("</script>")"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Written(c.text), std::string("before:") + c.written);
  }
}

// The library is the oracle, for every byte at every place of a short text.
TEST(JsonTextTest, WritesWhatTheLibraryWrites) {
  for (int byte = 0; byte < 256; ++byte) {
    for (std::size_t at = 0; at < 3; ++at) {
      std::string text = "abc";
      text[at] = static_cast<char>(byte);
      EXPECT_EQ(Written(text), "before:" + boost::json::serialize(boost::json::value(text)))
          << byte << " at " << at;
    }
  }
}

}  // namespace
}  // namespace koya::wire
