#include "inspect/documents.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace koya::inspect {
namespace {

TEST(DocumentsTest, FindsTheSectionOfAVersion) {
  struct SectionCase {
    std::string_view text;
    std::string_view version;
    std::string_view section;
  };
  const std::vector<SectionCase> kCases = {
      {"## 1.2.3\n\nA\n\n## 1.2.2\nB\n", "1.2.3", "A"},
      {"## [1.2.3] - 2026-01-01\r\nA\r\n### Fixed\r\nB\r\n## [1.2.2]\r\n", "1.2.3",
       "A\r\n### Fixed\r\nB"},
      {"# v1.2.3 (today)\nA\n# v1.2\n", "1.2.3", "A"},
      {"### [1.2.3](https://example.com/v1.2.2...v1.2.3)\nA\n", "1.2.3", "A"},
      {"1.2.3\n=====\nA\n\n1.2.2\n=====\nB\n", "1.2.3", "A"},
      {"1.2.3\n-----\nA\n", "1.2.3", "A"},
      {"## 1.2.3-rc1\nno\n## 11.2.3\nno\n## 1.2.30\nno\n## 1.2.3.\nA\n", "1.2.3", "A"},
      {"## 1.2.3-rc1\nA\n", "1.2.3-rc1", "A"},
      {"1.2.3 is good\n```\n## 1.2.3\n```\n", "1.2.3", ""},
      {"## 1.2.3\n```\n## 1.2.2\n```\nA\n## 1.2.1\n", "1.2.3", "```\n## 1.2.2\n```\nA"},
      {"## 1.2.3\n", "1.2.3", ""},
      {"## 1.2.2\nA\n", "1.2.3", ""},
      {"##1.2.3\nA\n", "1.2.3", ""},
      {"", "1.2.3", ""},
      {"## 1.2.3\nA\n", "", ""},
      {"## 1.2.3\nA\xFF\n", "1.2.3", "A\xEF\xBF\xBD"},
  };
  for (const SectionCase& each : kCases) {
    EXPECT_EQ(ChangelogSection(each.text, each.version), each.section) << each.text;
  }
  std::string large = "## 1.0.0\n" + std::string(200'000, 'x');
  EXPECT_EQ(ChangelogSection(large, "1.0.0").size(), kMaxChangelog);
}

TEST(DocumentsTest, GuessesLicences) {
  struct LicenceCase {
    std::string_view text;
    std::string_view spdx;
  };
  const std::vector<LicenceCase> kCases = {
      {"                                 Apache License\n                           Version 2.0, "
       "January 2004\n",
       "Apache-2.0"},
      {"Mozilla Public License Version 2.0\n====\n … GNU General Public License, Version 2.0",
       "MPL-2.0"},
      {"GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007\n", "GPL-3.0"},
      {"GNU GENERAL PUBLIC LICENSE\n Version 2, June 1991\n", "GPL-2.0"},
      {"GNU LESSER GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007\n incorporates the GNU General "
       "Public License",
       "LGPL-3.0"},
      {"GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3, 19 November 2007", "AGPL-3.0"},
      {"Copyright (c) X\n\nPermission is hereby granted, free of charge, to\nany person … The "
       "above "
       "copyright notice and this permission\nnotice shall be included",
       "MIT"},
      {"MIT No Attribution\nPermission is hereby granted, free of charge, to any person … without "
       "restriction",
       "MIT-0"},
      {"Redistribution and use in source and binary forms … this list of conditions",
       "BSD-2-Clause"},
      {"Redistribution and use in source and binary forms … to endorse or promote products",
       "BSD-3-Clause"},
      {"Permission to use, copy, modify, and/or distribute … provided that the above copyright "
       "notice and this permission notice appear in all copies.",
       "ISC"},
      {"This is free and unencumbered software released into the public domain.", "Unlicense"},
      {"License text copyright (c) 2020 …\n\"Business Source License\" is a trademark\nLicensor: X",
       "BUSL-1.1"},
      {"# SPDX-License-Identifier: MIT OR Apache-2.0\nsomething", "MIT OR Apache-2.0"},
      {"/* SPDX-License-Identifier: MPL-2.0 */", "MPL-2.0"},
      {"SPDX-License-Identifier: <script>", ""},
      {"All rights reserved.", ""},
      {"", ""},
  };
  for (const LicenceCase& each : kCases) {
    Licence licence = GuessLicence("LICENSE", each.text);
    EXPECT_EQ(licence.spdx, each.spdx) << each.text;
    EXPECT_EQ(licence.evidence.empty(), each.spdx.empty()) << each.text;
  }
  std::string gpl = "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007\n" +
                    std::string(1000, '.') +
                    "13. Use with the GNU Affero General Public License. version 3";
  EXPECT_EQ(GuessLicence("COPYING", gpl).spdx, "GPL-3.0");
}

TEST(DocumentsTest, CutsAndCleansReadmes) {
  std::string lines;
  while (lines.size() <= kMaxReadme) lines += "a line\n";
  Readme readme = ReadReadme("README.md", lines);
  EXPECT_TRUE(readme.cut);
  EXPECT_LE(readme.text.size(), kMaxReadme);
  EXPECT_TRUE(readme.text.ends_with("a line\n"));
  EXPECT_FALSE(ReadReadme("README.md", "short").cut);
  EXPECT_EQ(ReadReadme("README.md", "\xEF\xBB\xBFx").text, "x");
  std::string wide;
  while (wide.size() < kMaxReadme + 3) wide += "\xE3\x81\x82";
  EXPECT_EQ(ReadReadme("README.md", wide).text.size() % 3, 0U);
}

TEST(DocumentsTest, GuessesLanguages) {
  EXPECT_EQ(ReadReadme("R", "A module for networks.").language, "en");
  EXPECT_EQ(ReadReadme("R", "ネットワークのモジュール").language, "ja");
  EXPECT_EQ(ReadReadme("R", "网络模块，用于云。").language, "zh");
  EXPECT_EQ(ReadReadme("R", "").language, "en");
  EXPECT_EQ(ReadReadme("R", std::string(500, 'x') + " 水").language, "en");
}

TEST(DocumentsTest, ReplacesWhatIsNoCharacter) {
  EXPECT_EQ(CleanText("a\xFF\xC3"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(CleanText("\xE3\x81"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(CleanText("ä"), "ä");
}

}  // namespace
}  // namespace koya::inspect
