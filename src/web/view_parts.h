// What many pages show: dates, sizes, numbers, code that can be copied, pages of lists. Texts for
// people, and the fields that pieces of templates (templates/_NAME.mustache) ask for.
// Pure and thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "domain/version.h"
#include "markup/fragment.h"
#include "web/language.h"
#include "web/view.h"

namespace koya::web {

// "1,204", in all languages.
std::string NumberText(std::uint64_t number);
// "312 B", "1.2 kB", "48 MB": SI, three digits at most, in all languages.
std::string SizeText(std::uint64_t bytes);
// "18 Nov 2026, 14:02 UTC".
std::string MomentText(Language language, UnixSeconds time);
// "2 minutes ago" of what is at most two days old, else the date.
std::string AgoText(Language language, UnixSeconds time, UnixSeconds now);

// What is left of something that ends: "71 days". "" where it has ended, or ends later than
// `within` from now.
std::string LeftText(Language language, UnixSeconds end, UnixSeconds now,
                     std::chrono::seconds within);

// The fields NAME_moment and NAME_date, for
//   <time datetime="{{NAME_moment}}">{{NAME_date}}</time>
void AddTime(View& view, std::string_view name, Language language, UnixSeconds time);
// The same with the hour in NAME_date.
void AddMoment(View& view, std::string_view name, Language language, UnixSeconds time);

// A view for the piece _code: a block with a caption ("main.tf") and a button that copies it. `id`
// is one of the page's own, of letters, digits and "-". Used as a section:
//   view.Maybe("snippet", CodeView(…))   {{#snippet}}[[>_code]]{{/snippet}}
View CodeView(std::string_view id, std::string_view caption, markup::Fragment code);

// Where a list is that is shown in parts.
struct ListPart {
  std::uint64_t offset = 0;  // of the first that is shown
  std::uint64_t shown = 0;
  std::uint64_t size = 0;   // of a full part; not 0
  std::uint64_t total = 0;  // of all that there are; 0 with `more`: it is not known
  bool more = false;        // behind what is shown
};
// The fields of the piece _pager: links to the parts before and behind, which say what is in them.
// `path` is the page's with its query, without `page`; parts are counted from 1: "?page=2".
void AddPager(View& view, const ListPart& part, std::string_view path);

// `path` with one more parameter of its query, whose value is encoded: "/search?q=a&page=2".
std::string PathWith(std::string_view path, std::string_view name, std::string_view value);

// How far a version is from the one before: the piece _step, a chip.
enum class ShownStep { kNone, kFirst, kMajor, kMinor, kPatch, kPrerelease };
void AddStep(View& view, ShownStep step);
// By the numbers alone. `before`: the version before, of a release the release before; null: there
// is none.
ShownStep StepOf(const Version& version, const Version* before);

}  // namespace koya::web
