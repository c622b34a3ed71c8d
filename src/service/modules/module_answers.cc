#include "service/modules/module_answers.h"

#include "inspect/contents.h"
#include "inspect/module_json.h"
#include "markup/markdown.h"
#include "wire/readme.h"

namespace koya::service {
namespace {

// Together with the closing tags of open elements it stays below 256 KiB.
constexpr std::size_t kMostReadmeHtml = 252U << 10;

}  // namespace

std::string TellContents(const SharedContents& contents) {
  return inspect::AnswerContents(*contents);
}

std::string TellWider(const SharedContents& contents) { return inspect::WiderAnswer(*contents); }

Result<std::string> TellReadme(const SharedContents& contents) {
  const inspect::Readme& readme = contents->root.readme;
  if (readme.file.empty()) {
    return FailNotFound("this version has no README: README.md at the module's root is one");
  }
  markup::MarkdownOptions options;
  options.most_output = kMostReadmeHtml;
  options.link_headings = true;
  markup::Rendered rendered = markup::RenderReadme(readme.file, readme.text, options);
  wire::Readme document{.file = readme.file,
                        .lang = readme.language,
                        .html = std::move(rendered.html),
                        .contents = {},
                        .truncated = readme.cut || rendered.cut_input || rendered.cut_output};
  for (markup::Heading& each : rendered.contents) {
    document.contents.push_back({each.level, std::move(each.name), std::move(each.text)});
  }
  return wire::Encode(document);
}

}  // namespace koya::service
