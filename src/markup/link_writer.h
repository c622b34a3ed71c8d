// Writes addresses of untrusted text as attributes of our HTML. One thread; one text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "markup/html_tokens.h"
#include "markup/markdown.h"
#include "markup/safe_html.h"
#include "markup/slug.h"

namespace koya::markup {

struct Image {
  std::string source;
  std::string alternative;
  std::string title;
  std::string attributes;  // checked and escaped
};

class LinkWriter {
 public:
  // `options` must outlive the writer.
  explicit LinkWriter(const MarkdownOptions& options) : options_(options) {}

  // " href=…" with all related attributes; nullopt: not allowed as a link.
  std::optional<std::string> Attributes(std::string_view address) const;

  // Writes an image of this server, otherwise a link to it, otherwise its name; none of it counts
  // as words.
  void WriteImage(const Image& image, SafeHtml& html) const;

 private:
  std::optional<std::string> Beside(const std::string& address, const std::string& fragment) const;
  std::optional<std::string> ImageAddress(std::string_view source) const;

  const MarkdownOptions& options_;
};

// " name="…"", escaped.
std::string Attribute(std::string_view name, std::string_view value);

}  // namespace koya::markup
