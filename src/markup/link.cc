#include "markup/link.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "markup/characters.h"

namespace koya::markup {
namespace {

bool IsSchemeCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '.' || c == '-';
}

// As a browser reads an address: without blanks at its ends, without tabs and newlines.
std::string AsRead(std::string_view text) {
  auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= 0x20; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  std::string out;
  for (char c : text) {
    if (c == ' ') {
      out += "%20";
    } else if (c != '\t' && c != '\n' && c != '\r') {
      out += c;
    }
  }
  return out;
}

bool HasControl(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
}

std::optional<Link> JudgeOutside(std::string address) {
  std::string_view rest = std::string_view(address).substr(address.find(':') + 1);
  if (!rest.starts_with("//")) return std::nullopt;
  rest.remove_prefix(2);
  std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  if (host.empty() || host.starts_with(':') || host.contains('@')) return std::nullopt;
  return Link{Link::Kind::kOutside, std::move(address), {}};
}

std::optional<Link> JudgeRelative(std::string_view address) {
  if (address.starts_with("//")) return std::nullopt;
  Link link;
  std::size_t hash = address.find('#');
  link.address = address.substr(0, hash);
  if (hash != address.npos) link.fragment = address.substr(hash + 1);
  if (link.address.empty()) link.kind = Link::Kind::kFragment;
  return link;
}

constexpr std::string_view kStrangers = R"( rel="nofollow ugc noopener")";
constexpr std::size_t kLongestShown = 80;

// "L3" of "L3" and "L3-L7": a line of a file, which pages of files name so themselves. "" for
// others: places in a text.
std::string LineOf(std::string_view fragment) {
  constexpr std::string_view kDigits = "0123456789";
  if (!fragment.starts_with('L')) return {};
  const std::size_t end = std::min(fragment.find_first_not_of(kDigits, 1), fragment.size());
  std::string_view rest = fragment.substr(end);
  if (rest.starts_with("-L")) {
    rest.remove_prefix(2);
    rest.remove_prefix(std::min(rest.find_first_not_of(kDigits), rest.size()));
  }
  return end > 1 && rest.empty() ? std::string(fragment.substr(0, end)) : std::string();
}

}  // namespace

std::optional<Link> JudgeLink(std::string_view text) {
  if (text.size() > kLongestLink) return std::nullopt;
  std::string address = AsRead(text);
  std::string_view path = std::string_view(address).substr(0, address.find_first_of("?#"));
  if (address.empty() || HasControl(address) || path.contains('\\')) return std::nullopt;
  std::size_t colon = path.find(':');
  if (colon == path.npos) return JudgeRelative(address);
  std::string scheme = AsciiLower(path.substr(0, colon));
  if (!std::ranges::all_of(scheme, IsSchemeCharacter)) {
    // A colon after a slash belongs to the path.
    if (!scheme.contains('/')) return std::nullopt;
    return JudgeRelative(address);
  }
  if (scheme == "http" || scheme == "https") return JudgeOutside(std::move(address));
  if (scheme == "mailto") return Link{Link::Kind::kMail, std::move(address), {}};
  return std::nullopt;
}

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
  const std::string line = LineOf(fragment);
  std::string place = fragment.empty() ? "" : "#" + std::string(kUserPrefix) + fragment;
  if (!line.empty() && options_.link) place = "#" + line;
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
  // External targets have anchors of their own.
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
  if (name.empty() && outside) name = CutUtf8(link->address, kLongestShown);
  std::string shown;
  AppendEscaped(name, shown);
  bool linked = outside && html.BeginRaw("a", Shape::kLink, *Attributes(image.source));
  html.Markup(shown);
  if (linked) html.EndRaw("a");
}

}  // namespace koya::markup
