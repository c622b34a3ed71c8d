// Formats values that many pages show: dates, sizes, numbers, code with a copy button, pages of
// lists, small charts. Produces display texts and the fields of pieces (templates/_NAME.mustache).
// Pure and thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "domain/access.h"
#include "domain/version.h"
#include "markup/fragment.h"
#include "web/common/language.h"
#include "web/common/view.h"

namespace koya {
struct NamespaceOwners;
struct SigningKeyRecord;
namespace markup {
struct Heading;
}
}  // namespace koya

namespace koya::web {

// Which forms for versions of a module or provider its pages link to.
struct VersionRights {
  bool may_deprecate = false;
  bool may_withdraw = false;  // and restore
};

// "1,204", in all languages.
std::string NumberText(std::uint64_t number);
// "312 B", "1.2 kB", "48 MB": SI, three digits at most, in all languages.
std::string SizeText(std::uint64_t bytes);
// "18 Nov 2026, 14:02 UTC"; with 8 `digits` of the time of day, "14:02:09".
std::string MomentText(Language language, UnixSeconds time, std::size_t digits = 5);
// "2 minutes ago" for a time at most two days ago, else the date.
std::string AgoText(Language language, UnixSeconds time, UnixSeconds now);

// Time left until `end`: "71 days". "" when it has passed, or is more than `within` from now.
std::string LeftText(Language language, UnixSeconds end, UnixSeconds now,
                     std::chrono::seconds within);

// A view for the piece _code: a block with a caption ("main.tf") and a button that copies it. `id`
// is unique in the page: letters, digits and "-". Used as a section:
//   view.Set("snippet", CodeView(…))   {{#snippet}}[[>_code]]{{/snippet}}
View CodeView(std::string_view id, std::string_view caption, const markup::Fragment& code);

// The headings of an author's text, as links: the piece _contents, which shows nothing for fewer
// than three. Of many the first 200 are listed, and the piece says so.
void AddContents(View& view, const std::vector<markup::Heading>& contents);

// "Owned by …" in the heads of pages: the piece _owners, which shows nothing without owners.
void AddOwners(View& view, const NamespaceOwners& owners);

// What templates see of a signing key, on the pages of its namespace and of providers.
void AddMembers(View& view, const SigningKeyRecord& key);

// An attachment of a version.
struct ShownAttachment {
  std::string name;
  std::string url;  // for this reader
  std::uint64_t size = 0;
};
// Adds the fields of the piece _attachments, which shows nothing without attachments.
void AddAttachments(View& view, const std::vector<ShownAttachment>& attachments);

// The page of a version's source, elsewhere: the piece _source, which shows nothing without one.
struct ShownSource {
  std::string url;   // https
  std::string text;  // "acme/vpc @ 1a2b3c4"
};
void AddSource(View& view, const ShownSource& source);

// The mark of a version of another registry that the policy stops: the piece _hold, which shows
// nothing without one.
struct ShownHold {
  bool is_refused = false;
  UnixSeconds until = 0;  // of a hold that ends by itself; 0: none
  std::string path;       // of the explanation
};
inline KOYA_VIEW(ShownHold, is_refused, until, path);

// The value of {{visibility}} for the piece _visibility, a badge; "": none is shown.
std::string VisibilityWord(const std::optional<Visibility>& visibility);

// Position in a list that is shown in parts.
struct ListPart {
  std::uint64_t offset = 0;  // of the first shown item
  std::uint64_t shown = 0;
  std::uint64_t size = 0;   // of a full part; not 0
  std::uint64_t total = 0;  // of the whole list; 0 with `more`: not known
  bool more = false;        // there are items after this part
};
// Adds the fields of the piece _pager: links to the previous and next parts, with their ranges.
// `path` is the page's with its query, without `page`; parts are counted from 1: "?page=2".
void AddPager(View& view, const ListPart& part, std::string_view path);

// `path` with one more query parameter, whose value is encoded: "/search?q=a&page=2".
std::string PathWith(std::string_view path, std::string_view name, std::string_view value);

// Semantic distance of a version from the one before: a view's `step`, for the piece _step, a chip.
enum class ShownStep { kNone, kFirst, kMajor, kMinor, kPatch, kPrerelease };
// Compares only the version numbers. `before`: the version before, for a release the release
// before; null: there is none.
ShownStep StepOf(const Version& version, const Version* before);

// ---- a small bar chart of a series, drawn with attributes only: the piece _bars. The number
// beside it carries the information; users who cannot see the chart lose nothing.

// Adds the fields of the piece _bars. `has_bars` is false when there is nothing to draw: the series
// has fewer than two values or only zeros. Draws the last 60 values at most.
void AddBars(View& view, std::span<const std::uint64_t> series);

}  // namespace koya::web
