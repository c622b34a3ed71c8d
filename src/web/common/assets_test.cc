#include "web/common/assets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "base/encoding.h"
#include "base/sha256.h"
#include "base/temp_folder_fake.h"
#include "markup/markdown.h"
#include "web/common/html_page_fake.h"
#include "web/common/page_frame.h"
#include "web/sample_pages_fake.h"

namespace koya::web {
namespace {

TEST(AssetsTest, HaveNamesOfTheirContent) {
  ASSERT_EQ(Assets().size(), 3U);
  for (const Asset& asset : Assets()) {
    std::string hash = HexEncode(Sha256(asset.bytes)).substr(0, 16);
    EXPECT_TRUE(asset.path.starts_with("/-/assets/")) << asset.path;
    EXPECT_TRUE(asset.path.contains("." + hash + ".")) << asset.path;
  }
  EXPECT_TRUE(AssetPath("koya.css").ends_with(".css"));
  EXPECT_THROW(AssetPath("no.css"), std::logic_error);
}

TEST(AssetsTest, StyleSheetKeepsItsBudgetAndLoadsNothing) {
  for (const Asset& asset : Assets()) {
    EXPECT_LT(asset.bytes.size(), 20000U) << asset.path;
    EXPECT_EQ(asset.bytes.find("url("), asset.bytes.npos) << asset.path;
    EXPECT_EQ(asset.bytes.find("@import"), asset.bytes.npos) << asset.path;
  }
}

struct Colours {
  double light;
  double dark;
};

// The relative luminance of "#rrggbb" (WCAG 2.2).
double Luminance(const std::string& colour) {
  double luminance = 0;
  constexpr double kWeights[] = {0.2126, 0.7152, 0.0722};
  for (std::size_t i = 0; i < 3; ++i) {
    double part = std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16) / 255.0;
    part = part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    luminance += kWeights[i] * part;
  }
  return luminance;
}

std::map<std::string, Colours> ColourTokens() {
  std::map<std::string, Colours> tokens;
  std::string css;
  for (const Asset& asset : Assets()) {
    if (asset.path.ends_with(".css")) css = asset.bytes;
  }
  const std::regex token("--([a-z-]+):light-dark\\((#[0-9a-f]{6}),(#[0-9a-f]{6})\\)");
  for (std::sregex_iterator at(css.begin(), css.end(), token); at != std::sregex_iterator(); ++at) {
    tokens[(*at)[1]] = {Luminance((*at)[2]), Luminance((*at)[3])};
  }
  return tokens;
}

std::string StyleSheet() {
  for (const Asset& asset : Assets()) {
    if (asset.path.ends_with(".css")) return std::string(asset.bytes);
  }
  return {};
}

// Callouts had classes and no rule: "all the data is lost" stood there as ordinary text.
TEST(AssetsTest, EveryClassOfRenderedMarkdownHasARule) {
  std::string text = "-> a\n\n~> b\n\n!> c\n\n- [ ] d\n\n";
  for (std::string_view kind : {"NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"}) {
    text += fmt::format("> [!{}]\n> e\n\n", kind);
  }
  text += "```hcl\n# f\nresource \"a\" \"b\" {\n  c = 1\n  d = true\n}\n```\n";
  const std::string css = StyleSheet();
  std::size_t classes = 0;
  for (const HtmlElement& each : ReadHtml(markup::RenderMarkdown(text).html).elements) {
    std::stringstream names(each.Value("class"));
    for (std::string name; names >> name;) {
      if (name.starts_with("language-")) continue;  // says what the code is, and has no look
      ++classes;
      EXPECT_TRUE(std::regex_search(css, std::regex("\\." + name + "[^a-z0-9-]"))) << name;
    }
  }
  EXPECT_GT(classes, 20U);
}

double Contrast(double a, double b) { return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05); }

TEST(AssetsTest, ColoursHaveContrast) {
  auto tokens = ColourTokens();
  struct Row {
    std::string_view over;
    std::string_view under;
    double least;
  };
  for (const Row& row :
       {Row{"ink", "paper", 4.5},      Row{"ink", "surface", 4.5},  Row{"ink", "sunk", 4.5},
        Row{"dim", "paper", 4.5},      Row{"dim", "surface", 4.5},  Row{"dim", "sunk", 4.5},
        Row{"link", "paper", 4.5},     Row{"link", "surface", 4.5}, Row{"link", "sunk", 4.5},
        Row{"onpress", "press", 4.5},  Row{"ink", "ok-bg", 4.5},    Row{"ink", "warn-bg", 4.5},
        Row{"ink", "bad-bg", 4.5},     Row{"ink", "info-bg", 4.5},  Row{"bad", "surface", 4.5},
        Row{"field", "surface", 3},    Row{"field", "paper", 3},    Row{"bad", "bad-bg", 4.5},
        Row{"field", "sunk", 3},       Row{"ok", "ok-bg", 4.5},     Row{"warn", "warn-bg", 4.5},
        Row{"link", "info-bg", 4.5},   Row{"ink", "tofu", 4.5},     Row{"dim", "tofu", 4.5},
        Row{"link", "tofu", 4.5},      Row{"dim", "pore", 4.5},     Row{"link", "pore", 4.5},
        Row{"dim", "ok-bg", 4.5},      Row{"dim", "warn-bg", 4.5},  Row{"dim", "bad-bg", 4.5},
        Row{"hl-word", "sunk", 4.5},   Row{"hl-text", "sunk", 4.5}, Row{"hl-number", "sunk", 4.5},
        Row{"hl-remark", "sunk", 4.5}, Row{"link", "ok-bg", 4.5},   Row{"link", "warn-bg", 4.5},
        Row{"link", "bad-bg", 4.5}}) {
    SCOPED_TRACE(fmt::format("{} on {}", row.over, row.under));
    ASSERT_TRUE(tokens.contains(std::string(row.over)) && tokens.contains(std::string(row.under)));
    Colours over = tokens[std::string(row.over)], under = tokens[std::string(row.under)];
    EXPECT_GE(Contrast(over.light, under.light), row.least) << "light";
    EXPECT_GE(Contrast(over.dark, under.dark), row.least) << "dark";
  }
}

TEST(ContentSecurityPolicyTest, LetsOnlyConsentLeadToTheClient) {
  EXPECT_EQ(ContentSecurityPolicy(PageKind::kOrdinary),
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action "
            "'self'; base-uri 'none'; frame-ancestors 'none'");
  EXPECT_EQ(ContentSecurityPolicy(PageKind::kConsent),
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action "
            "'self' http://localhost:*; base-uri 'none'; frame-ancestors 'none'");
}

void WriteFile(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

// Writes all pages into a folder that a browser can be pointed at: LANGUAGE/THEME/NAME.html, and
// the assets where pages look for them. KOYA_WEB_GALLERY names a folder to keep.
TEST(GalleryTest, EveryPageFindsItsAssets) {
  TempFolder temporary;
  const char* kept = std::getenv("KOYA_WEB_GALLERY");
  std::filesystem::path folder = kept != nullptr ? kept : temporary.path();
  for (const Asset& asset : Assets()) WriteFile(folder / asset.path.substr(1), asset.bytes);
  for (Language language : kLanguages) {
    for (Theme theme : kThemes) {
      for (const SamplePage& page : SamplePages(SampleFrame(language, theme))) {
        WriteFile(folder / LanguageCode(language) / ThemeName(theme) / (page.name + ".html"),
                  page.html);
        for (const HtmlElement& link : ReadHtml(page.html).All("link")) {
          const std::string rel = link.Value("rel");
          if (rel != "icon" && rel != "stylesheet") continue;
          EXPECT_TRUE(std::filesystem::exists(folder / link.Value("href").substr(1)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace koya::web
