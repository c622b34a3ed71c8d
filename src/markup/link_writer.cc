#include "markup/link_writer.h"

#include "markup/entities.h"
#include "markup/link.h"
#include "markup/utf8.h"

namespace koya::markup {
namespace {

constexpr std::string_view kStrangers = R"( rel="nofollow ugc noopener")";
constexpr std::size_t kLongestShown = 80;

}  // namespace

std::string Attribute(std::string_view name, std::string_view value) {
  std::string out = " " + std::string(name) + "=\"";
  AppendEscaped(value, out);
  return out + '"';
}

std::optional<std::string> LinkWriter::Attributes(std::string_view address) const {
  std::optional<Link> link = JudgeLink(address);
  if (!link) return std::nullopt;
  switch (link->kind) {
    case Link::Kind::kOutside:
    case Link::Kind::kMail:
      return Attribute("href", link->address) + std::string(kStrangers);
    case Link::Kind::kFragment:
      if (link->fragment.empty()) return std::nullopt;
      return Attribute("href", "#" + std::string(kUserPrefix) + link->fragment);
    case Link::Kind::kRelative:
      return Beside(link->address, link->fragment);
  }
  return std::nullopt;
}

std::optional<std::string> LinkWriter::Beside(const std::string& address,
                                              const std::string& fragment) const {
  std::string place = fragment.empty() ? "" : "#" + std::string(kUserPrefix) + fragment;
  if (!options_.link) {
    if (address.starts_with('/')) return std::nullopt;
    return Attribute("href", address + place) + std::string(kStrangers);
  }
  std::optional<std::string> resolved = options_.link(address);
  std::optional<Link> link = resolved ? JudgeLink(*resolved) : std::nullopt;
  if (!link) return std::nullopt;
  if (link->kind == Link::Kind::kRelative && link->fragment.empty()) {
    return Attribute("href", link->address + place);
  }
  if (link->kind == Link::Kind::kRelative || link->kind == Link::Kind::kFragment) {
    return Attribute("href", link->address + "#" + link->fragment);
  }
  // What is outside has places of its own.
  place = fragment.empty() || link->address.contains('#') ? "" : "#" + fragment;
  return Attribute("href", link->address + place) + std::string(kStrangers);
}

std::optional<std::string> LinkWriter::ImageAddress(std::string_view source) const {
  std::optional<Link> link = JudgeLink(source);
  if (!link || link->kind != Link::Kind::kRelative || !options_.image) return std::nullopt;
  std::optional<std::string> resolved = options_.image(link->address);
  std::optional<Link> judged = resolved ? JudgeLink(*resolved) : std::nullopt;
  if (!judged || judged->kind != Link::Kind::kRelative) return std::nullopt;
  return judged->address;
}

void LinkWriter::WriteImage(const Image& image, SafeHtml& html) const {
  if (std::optional<std::string> address = ImageAddress(image.source)) {
    std::string title = image.title.empty() ? "" : Attribute("title", image.title);
    html.BeginRaw("img", Shape::kImage,
                  Attribute("src", *address) + Attribute("alt", image.alternative) + title +
                      image.attributes + R"( loading="lazy")");
    return;
  }
  std::optional<Link> link = JudgeLink(image.source);
  bool outside = link && link->kind == Link::Kind::kOutside;
  std::string_view name = image.alternative;
  if (name.empty() && outside) name = CutBetweenCharacters(link->address, kLongestShown);
  std::string shown;
  AppendEscaped(name, shown);
  bool linked = outside && html.BeginRaw("a", Shape::kLink, *Attributes(image.source));
  html.Markup(shown);
  if (linked) html.EndRaw("a");
}

}  // namespace koya::markup
