// Markdown: whatever a text holds, the HTML has nothing in it that a page may not have, is not much
// larger than its bound, and is the same the next time. The first byte chooses the options.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "markup/highlight.h"
#include "markup/html_judge_fake.h"
#include "markup/markdown.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  koya::markup::MarkdownOptions options{.most_output = 64 << 10, .most_text = 4 << 10};
  if ((data[0] & 1U) != 0) {
    auto resolve = [](std::string_view address) {
      return std::optional("/here/" + std::string(address));
    };
    options.link = resolve;
    options.image = resolve;
    options.link_headings = true;
  }
  if ((data[0] & 2U) != 0) options.fold_title = "Folded";
  const koya::markup::Rendered page = koya::markup::RenderMarkdown(text, options);
  const std::string fault = koya::markup::WhatIsUnsafe(page.html);
  if (!fault.empty()) {
    std::fprintf(stderr, "%s in %s\n", fault.c_str(), page.html.c_str());
    std::abort();
  }
  if (page.html.size() > options.most_output + (4 << 10)) std::abort();
  if (page.text.size() > options.most_text || page.summary.size() > 303) std::abort();
  if (koya::markup::RenderMarkdown(text, options).html != page.html) std::abort();
  const std::string code = "<p>" + koya::markup::HighlightHcl(text.substr(0, 4096)) + "</p>";
  const std::string wrong = koya::markup::WhatIsUnsafe(code);
  // Control characters are taken out before code gets there.
  if (!wrong.empty() && wrong != "a control character") std::abort();
  return 0;
}
