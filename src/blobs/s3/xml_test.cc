#include "blobs/s3/xml.h"

#include <gtest/gtest.h>

#include <string>

namespace koya::s3 {
namespace {

std::string XmlDeep(std::size_t depth) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += "<a>";
  for (std::size_t i = 0; i < depth; ++i) text += "</a>";
  return text;
}

TEST(S3XmlTest, ReadsWhatStoresWrite) {
  struct Row {
    std::string document;
    std::string text;  // of <b> in the root
  };
  const Row rows[] = {
      {"<a><b>x</b></a>", "x"},
      {"\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a "
       "xmlns=\"http://x/\"><b>x</b></a>\n",
       "x"},
      {"<s3:a><s3:b>x</s3:b></s3:a>", "x"},
      {"<a><!-- <b>y</b> --><b>x</b></a>", "x"},
      {"<a ><b one='/>' two = \"'\">x</b ></a >", "x"},
      {"<a><b/></a>", ""},
      {"<a/>", ""},
      {"<a><b>&lt;&amp;&gt;&quot;&apos;</b></a>", "<&>\"'"},
      {"<a><b>&#38;&#x26;&#x1;&#233;&#x20AC;&#x1F600;</b></a>",
       "&&\x01\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {"<a><b><![CDATA[<b>&amp;]]]></b></a>", "<b>&amp;]"},
      {"<a><b>x<c>y</c>z</b></a>", "xz"},
      {"<a><b>first</b><b>second</b></a>", "first"},
      {XmlDeep(XmlElement::kMaxDepth), ""},
  };
  for (const Row& row : rows) {
    auto root = XmlElement::Parse(row.document);
    ASSERT_TRUE(root) << row.document << ": " << root.error().message;
    EXPECT_EQ(root->name, "a");
    EXPECT_EQ(root->TextOf("b"), row.text) << row.document;
  }
}

TEST(S3XmlTest, RefusesWhatIsNoneOrTooMuch) {
  std::string many = "<a>";
  for (std::size_t i = 0; i < XmlElement::kMaxElements; ++i) many += "<b/>";
  const std::string rows[] = {
      "",
      " ",
      "text",
      "<",
      "<a",
      "<a>",
      "<a></b>",
      "<a></a",
      "<a></a><b/>",
      "<a></a>text",
      "<a b></a>",
      "<a b=c></a>",
      "<a b=\"></a>",
      "<a><!-- </a>",
      "<?xml <a/>",
      "<a><![CDATA[x</a>",
      "<a>&unknown;</a>",
      "<a>&amp</a>",
      "<a>&#;</a>",
      "<a>&#x;</a>",
      "<a>&#0;</a>",
      "<a>&#xD800;</a>",
      "<a>&#x110000;</a>",
      "<a>&#12a;</a>",
      "<a>&#00000000000038;</a>",
      "<!DOCTYPE a [<!ENTITY b \"bbbb\">]><a>&b;</a>",
      "<a><!DOCTYPE b></a>",
      XmlDeep(XmlElement::kMaxDepth + 1),
      many + "</a>",
      "<a>" + std::string(XmlElement::kMaxBytes, ' ') + "</a>",
  };
  for (const std::string& row : rows) {
    auto root = XmlElement::Parse(row);
    ASSERT_FALSE(root) << row.substr(0, 80);
    EXPECT_EQ(root.error().kind, ErrorKind::kInvalid);
  }
}

}  // namespace
}  // namespace koya::s3
