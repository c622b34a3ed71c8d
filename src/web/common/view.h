// The values for a template, by name and with their types: the template formats them
// (formatters.h). Built for one rendering of a page. Also the parts of views that many pages show.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "domain/access.h"
#include "markup/fragment.h"
#include "web/common/language.h"

namespace koya {
struct NamespaceOwners;
struct SigningKeyRecord;
class Version;
namespace markup {
struct Heading;
}
}  // namespace koya

namespace koya::web {

// ---- names of the values of enum classes, as templates ask for them: "not_listed" for kNotListed

// "kNotListed" of the compiler's name of this function; "": there is no such value.
template <auto kValue>
consteval std::string_view EnumeratorName() {
  std::string_view name = __PRETTY_FUNCTION__;  // … [kValue = koya::web::Verdict::kNotListed]
  name.remove_prefix(name.rfind(' ') + 1);
  name.remove_suffix(1);
  if (name.starts_with('(')) return {};
  return name.substr(name.rfind(':') + 1);
}

// Of the values 0 to 15: more of them are a compiler's error where they are shown.
template <class Enum>
inline constexpr auto kEnumNames = []<std::size_t... kEach>(std::index_sequence<kEach...>) {
  static_assert(EnumeratorName<static_cast<Enum>(sizeof...(kEach))>().empty(), "too many values");
  return std::array{EnumeratorName<static_cast<Enum>(kEach)>()...};
}(std::make_index_sequence<16>());

// "not_listed" for "kNotListed".
std::string SnakeName(std::string_view enumerator);

// ---- values

class View {
 public:
  struct Time {
    UnixSeconds at = 0;  // 0: none
  };
  struct Choice {  // a value of an enum
    std::span<const std::string_view> names;
    std::size_t chosen = 0;
    std::string_view name() const { return chosen < names.size() ? names[chosen] : ""; }
  };
  // std::monostate: an optional value that is absent.
  using Value = std::variant<std::monostate, bool, std::uint64_t, Time, std::chrono::milliseconds,
                             Choice, std::string, std::vector<View>, markup::Fragment>;
  struct Field {
    std::string name;
    Value value;
  };

  // Adds a value under a name, which the view may not have yet (std::logic_error):
  //   bool, unsigned numbers, enum classes, durations   as they are
  //   UnixSeconds                                       a time; 0: none
  //   texts, and types with ToString or display         a text: shown as ShownText, and escaped
  //   markup::Fragment, Rendered                        HTML; only the mark [[*name]] writes it
  //   View, and structs with KOYA_VIEW                  a section that is shown once
  //   vectors of all these                              a section that is repeated; an item that
  //                                                     is a text or a number is {{.}}
  //   std::optional of all these                        without a value: as an empty section
  template <class T>
  View& Set(std::string name, const T& value) {
    return Add(std::move(name), ValueOf(value));
  }
  // Adds the members of a struct with KOYA_VIEW, under their names.
  template <class T>
  View& Of(const T& from) {
    AddMembers(*this, from);
    return *this;
  }

  // Adds a list: {{#name}} is repeated for each item; a name that an item lacks is looked up
  // outside it.
  View& List(std::string name, std::vector<View> items);
  // The same, of the views that `make` returns for the items.
  template <class Items, class Make>
  View& List(std::string name, const Items& items, Make make) {
    std::vector<View> views;
    views.reserve(items.size());
    for (const auto& item : items) views.push_back(make(item));
    return List(std::move(name), std::move(views));
  }

  const std::vector<Field>& fields() const { return fields_; }
  const Value* Find(std::string_view name) const;  // nullptr: there is none

 private:
  View& Add(std::string name, Value value);

  static Value ValueOf(bool value) { return value; }
  static Value ValueOf(std::string_view text);
  static Value ValueOf(const std::string& text) { return ValueOf(std::string_view(text)); }
  static Value ValueOf(const char* text) { return ValueOf(std::string_view(text)); }
  static Value ValueOf(UnixSeconds time) { return Time{time}; }
  static Value ValueOf(const markup::Fragment& html) { return html; }
  static Value ValueOf(const markup::Rendered& text);
  static Value ValueOf(const View& view) { return std::vector<View>{view}; }
  static Value ValueOf(const std::vector<View>& views) { return views; }
  template <std::unsigned_integral T>
  static Value ValueOf(T number) {
    return std::uint64_t{number};
  }
  template <class T>
    requires std::is_enum_v<T>
  static Value ValueOf(T value) {
    return Choice{kEnumNames<T>, static_cast<std::size_t>(value)};
  }
  template <class Rep, class Period>
  static Value ValueOf(std::chrono::duration<Rep, Period> value) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(value);
  }
  template <class T>
    requires requires(const T& value) { value.display(); }
  static Value ValueOf(const T& value) {
    return ValueOf(std::string_view(value.display()));
  }
  template <class T>
    requires requires(const T& value) { value.ToString(); }
  static Value ValueOf(const T& value) {
    return ValueOf(std::string_view(value.ToString()));
  }
  template <class T>
    requires requires(View& view, const T& value) { AddMembers(view, value); }
  static Value ValueOf(const T& value) {
    return std::vector<View>{ItemOf(value)};
  }
  template <class T>
  static Value ValueOf(const std::optional<T>& value) {
    return value ? ValueOf(*value) : Value();
  }
  template <class T>
  static Value ValueOf(const std::vector<T>& values) {
    std::vector<View> views;
    views.reserve(values.size());
    for (const T& value : values) views.push_back(ItemOf(value));
    return views;
  }
  template <class T>
  static View ItemOf(const T& value) {
    View view;
    if constexpr (requires { AddMembers(view, value); }) {
      AddMembers(view, value);
    } else {
      view.Set(".", value);
    }
    return view;
  }

  std::vector<Field> fields_;
};

// ---- KOYA_VIEW(Type, a, b, c): templates see these members of the struct, under their names. Put
// into namespace koya::web, once for a type: in the file that renders them, or with `inline` in the
// header that several include.

#define KOYA_VIEW(Type, ...)                           \
  void AddMembers(View& view, const Type& from) {      \
    view KOYA_REPEAT_64(KOYA_SET_MEMBER(__VA_ARGS__)); \
  }                                                    \
  static_assert(true)

// The preprocessor has no loop: each pass over the text expands one more member.
#define KOYA_SET_MEMBER(name, ...) \
  .Set(#name, from.name) __VA_OPT__(KOYA_SET_NEXT KOYA_PARENTHESES(__VA_ARGS__))
#define KOYA_SET_NEXT() KOYA_SET_MEMBER
#define KOYA_PARENTHESES ()
#define KOYA_REPEAT_64(...) \
  KOYA_REPEAT_16(KOYA_REPEAT_16(KOYA_REPEAT_16(KOYA_REPEAT_16(__VA_ARGS__))))
#define KOYA_REPEAT_16(...) KOYA_REPEAT_4(KOYA_REPEAT_4(KOYA_REPEAT_4(KOYA_REPEAT_4(__VA_ARGS__))))
#define KOYA_REPEAT_4(...) KOYA_REPEAT_1(KOYA_REPEAT_1(KOYA_REPEAT_1(KOYA_REPEAT_1(__VA_ARGS__))))
#define KOYA_REPEAT_1(...) __VA_ARGS__

// ---- values that many pages show: dates, sizes, numbers, code with a copy button, pages of lists,
// small charts. Produces display texts and the fields of pieces (templates/_NAME.mustache). Pure
// and thread-safe.

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
