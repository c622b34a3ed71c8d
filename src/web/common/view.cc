#include "web/common/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/encoding.h"
#include "domain/namespace_record.h"
#include "domain/signing_key_record.h"
#include "domain/version.h"
#include "markup/markdown.h"
#include "web/common/text_safety.h"
#include "web/common/words.h"

namespace koya::web {

std::string SnakeName(std::string_view enumerator) {
  std::string name;
  for (char c : enumerator.substr(enumerator.empty() ? 0 : 1)) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper && !name.empty()) name += '_';
    name += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

View::Value View::ValueOf(std::string_view text) { return ShownText(text); }

View::Value View::ValueOf(const markup::Rendered& text) { return markup::Fragment::Of(text); }

const View::Value* View::Find(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  return found == fields_.end() ? nullptr : &found->value;
}

// Two values of one name would hide each other: a page's from its frame, or the reverse.
View& View::Add(std::string name, Value value) {
  if (Find(name) != nullptr) {
    throw std::logic_error(fmt::format("the view already has \"{}\"", name));
  }
  fields_.push_back({std::move(name), std::move(value)});
  return *this;
}

View& View::List(std::string name, std::vector<View> items) {
  return Add(std::move(name), std::move(items));
}

KOYA_VIEW(NamespaceOwner, name, kind);
KOYA_VIEW(SigningKeyRecord, algorithm, server_made, added_by, added_at, removed_at, expires_at);

namespace {

// Of which `offset` is the first; from 1.
std::uint64_t PartNumber(std::uint64_t offset, std::uint64_t size) { return offset / size + 1; }

std::string PartPath(std::string_view path, std::uint64_t number) {
  if (number <= 1) return std::string(LocalPath(path));
  return PathWith(path, "page", fmt::to_string(number));
}

constexpr std::size_t kMostBars = 60;
constexpr std::uint64_t kBarsHeight = 34;
constexpr std::uint64_t kBarStep = 6;

// A value above 0 is always visible, however small it is beside the rest.
std::uint64_t BarHeight(std::uint64_t value, std::uint64_t highest) {
  if (value == 0) return 0;
  const double share = static_cast<double>(value) / static_cast<double>(highest);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share * kBarsHeight));
}

}  // namespace

std::string NumberText(std::uint64_t number) {
  std::string digits = fmt::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string SizeText(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 6> kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
  double size = static_cast<double>(bytes);
  std::size_t unit = 0;
  // 999.5 of a unit would be rounded to 1,000 of it.
  while (size >= 999.5 && unit + 1 < kUnits.size()) {
    size /= 1000;
    ++unit;
  }
  const bool tenths = unit > 0 && size < 9.95;
  return fmt::format("{:.{}f} {}", size, tenths ? 1 : 0, kUnits[unit]);
}

std::string MomentText(Language language, UnixSeconds time, std::size_t digits) {
  const std::string moment = FormatRfc3339(time);
  const std::string date = DateText(language, time);
  const std::string hour = moment.substr(std::min(moment.find('T') + 1, moment.size()), digits);
  const std::array<Filling, 2> fillings{{{"date", date}, {"hour", hour}}};
  return FilledWord(language, "time.moment", fillings);
}

std::string AgoText(Language language, UnixSeconds time, UnixSeconds now) {
  constexpr std::chrono::hours kLongest{48};
  const std::chrono::seconds age(now - time);
  if (age > kLongest || age < std::chrono::seconds(0)) return DateText(language, time);
  const std::string duration = DurationText(language, age);
  const std::array<Filling, 1> fillings{{{"duration", duration}}};
  return FilledWord(language, "time.ago", fillings);
}

std::string LeftText(Language language, UnixSeconds end, UnixSeconds now,
                     std::chrono::seconds within) {
  const std::chrono::seconds left(end - now);
  if (left.count() <= 0 || left >= within) return {};
  return DurationText(language, left);
}

std::string VisibilityWord(const std::optional<Visibility>& visibility) {
  return visibility ? std::string(VisibilityName(*visibility)) : std::string();
}

View CodeView(std::string_view id, std::string_view caption, const markup::Fragment& code) {
  return View().Set("code_id", id).Set("code_caption", caption).Set("code", code);
}

void AddOwners(View& view, const NamespaceOwners& owners) {
  view.Set("owners", owners.owners).Set("more_owners", owners.more);
}

std::string PathWith(std::string_view path, std::string_view name, std::string_view value) {
  path = LocalPath(path);
  const char separator = path.contains('?') ? '&' : '?';
  return fmt::format("{}{}{}={}", path, separator, name, PercentEncode(value));
}

void AddAttachments(View& view, const std::vector<ShownAttachment>& attachments) {
  view.List("attachments", attachments, [](const ShownAttachment& each) {
    return View()
        .Set("attachment_name", each.name)
        .Set("attachment_url", each.url)
        .Set("attachment_size", each.size);
  });
}

void AddPager(View& view, const ListPart& part, std::string_view path) {
  const std::uint64_t number = PartNumber(part.offset, part.size);
  const std::uint64_t end = part.offset + part.shown;
  const std::uint64_t next_end =
      part.total == 0 ? end + part.size : std::min(part.total, end + part.size);
  const bool has_previous = part.offset > 0;
  const bool has_next = part.more || end < part.total;
  const std::uint64_t previous_begin = part.offset - std::min(part.offset, part.size);
  view.Set("has_pager", has_previous || has_next)
      .Set("previous_path", has_previous ? PartPath(path, number - 1) : "")
      .Set("previous_from", previous_begin + 1)
      .Set("previous_to", part.offset)
      .Set("next_path", has_next ? PartPath(path, number + 1) : "")
      .Set("next_from", end + 1)
      .Set("next_to", next_end);
}

ShownStep StepOf(const Version& version, const Version* before) {
  if (version.is_prerelease()) return ShownStep::kPrerelease;
  if (before == nullptr) return ShownStep::kFirst;
  if (version.major() != before->major()) return ShownStep::kMajor;
  if (version.minor() != before->minor()) return ShownStep::kMinor;
  return ShownStep::kPatch;
}

void AddBars(View& view, std::span<const std::uint64_t> series) {
  if (series.size() > kMostBars) series = series.last(kMostBars);
  const std::uint64_t highest = series.empty() ? 0 : std::ranges::max(series);
  const bool draws = series.size() > 1 && highest > 0;
  std::vector<View> bars;
  for (std::size_t i = 0; draws && i < series.size(); ++i) {
    const std::uint64_t height = BarHeight(series[i], highest);
    if (height == 0) continue;
    bars.push_back(View()
                       .Set("bar_x", i * kBarStep)
                       .Set("bar_y", kBarsHeight - height)
                       .Set("bar_height", height));
  }
  view.Set("has_bars", draws)
      .Set("bars_width", series.size() * kBarStep)
      .List("bars", std::move(bars));
}

void AddSource(View& view, const ShownSource& source) {
  view.Set("source_url", source.url).Set("source_text", source.text);
}

void AddContents(View& view, const std::vector<markup::Heading>& contents) {
  constexpr std::size_t kFewest = 3;
  constexpr std::size_t kMost = 200;
  const std::size_t shown = contents.size() < kFewest ? 0 : std::min(contents.size(), kMost);
  const unsigned top =
      shown == 0 ? 0 : std::ranges::min(contents, {}, &markup::Heading::level).level;
  view.Set("contents_shown", shown)
      .Set("contents_cut", shown == kMost && contents.size() > kMost)
      .List("contents", contents | std::views::take(shown), [top](const markup::Heading& each) {
        return View()
            .Set("heading_name", each.name)
            .Set("heading_text", each.text)
            .Set("is_below", each.level > top);
      });
}

}  // namespace koya::web
