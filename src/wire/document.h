// Declares JSON documents: one list of members determines both how a document is written and how it
// is read, so that the two cannot disagree. Included by wire's .cc files only, since it pulls in
// Boost.JSON.
//
//   template <>
//   constexpr auto kDocument<Token> = Document("the token", Required("name", &Token::name),
//                                              OrNull("expires", &Token::expires));
//   KOYA_DOCUMENT(Token);  // defines Encode and Decode, which wire/endpoint.h declares
#pragma once

#include <boost/json.hpp>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "wire/endpoint.h"
#include "wire/json_reader.h"
#include "wire/json_text.h"

namespace koya::wire {

// ---- declarations

// How an empty value is written.
enum class Empty { kWritten, kNull, kLeftOut };
// How a member is read: kRequired fails for an absent or empty value; for the others absent and
// null mean the empty value. kLenient is for members that clients do not know: unreadable values
// are skipped, in a list element by element.
enum class Reading { kRequired, kOptional, kLenient };

template <class Owner, class Value>
struct Member {
  std::string_view key;
  Value Owner::* value;
  Reading reading = Reading::kOptional;
  Empty empty = Empty::kWritten;
};

template <class Owner, class Value>
constexpr auto Required(std::string_view key, Value Owner::* value) {
  return Member<Owner, Value>{key, value, Reading::kRequired};
}
template <class Owner, class Value>
constexpr auto Optional(std::string_view key, Value Owner::* value) {
  return Member<Owner, Value>{key, value};
}
template <class Owner, class Value>
constexpr auto OrNull(std::string_view key, Value Owner::* value) {
  return Member<Owner, Value>{key, value, Reading::kOptional, Empty::kNull};
}
template <class Owner, class Value>
constexpr auto OrAbsent(std::string_view key, Value Owner::* value) {
  return Member<Owner, Value>{key, value, Reading::kOptional, Empty::kLeftOut};
}
template <class Owner, class Value>
constexpr auto Lenient(std::string_view key, Value Owner::* value, Empty empty = Empty::kWritten) {
  return Member<Owner, Value>{key, value, Reading::kLenient, empty};
}

// A write-only member, for other readers.
template <class Owner>
struct Written {
  std::string_view key;
  boost::json::value (*make)(const Owner&);
};

template <class... Each>
struct Document {
  std::string_view what;  // its name in errors: "the token"
  std::tuple<Each...> members;
  JsonLimits limits;          // of a body
  bool may_be_empty = false;  // an empty body means the default values
  constexpr explicit Document(std::string_view name, Each... each) : what(name), members(each...) {}
  constexpr Document Within(JsonLimits bounds) const {
    Document out(*this);
    out.limits = bounds;
    return out;
  }
  constexpr Document OrEmptyBody() const {
    Document out(*this);
    out.may_be_empty = true;
    return out;
  }
};

// Must be specialised, before it is used, for every struct that is a document or a part of one.
template <class T>
constexpr std::nullptr_t kDocument = nullptr;

template <class T, Words kKey, Words kWhat>
constexpr auto kDocument<ListOf<T, kKey, kWhat>> =
    Document(kWhat.view(), Required(kKey.view(), &ListOf<T, kKey, kWhat>::items));

template <class T>
concept Described = !std::same_as<std::remove_cvref_t<decltype(kDocument<T>)>, std::nullptr_t>;

// ---- writing into a tree, to which callers add members

template <Described T>
boost::json::object WriteObject(const T& document);

inline boost::json::value WriteValue(const std::string& text) { return boost::json::value(text); }
// A text that may be missing; missing differs from empty.
inline boost::json::value WriteValue(const std::optional<std::string>& text) {
  return text ? boost::json::value(*text) : boost::json::value();
}
inline boost::json::value WriteValue(std::uint64_t number) { return number; }
inline boost::json::value WriteValue(std::int64_t number) { return number; }
inline boost::json::value WriteValue(const std::optional<std::uint64_t>& number) {
  return number ? boost::json::value(*number) : boost::json::value();
}
inline boost::json::value WriteValue(bool flag) { return flag; }
inline boost::json::value WriteValue(const std::vector<std::string>& texts) {
  return boost::json::array(texts.begin(), texts.end());
}
// An object with text members of arbitrary names.
inline boost::json::value WriteValue(const std::map<std::string, std::string>& texts) {
  boost::json::object out;
  for (const auto& [key, text] : texts) out[key] = text;
  return out;
}
// Numbers by arbitrary names.
inline boost::json::value WriteValue(const std::map<std::string, std::uint64_t>& numbers) {
  boost::json::object out;
  for (const auto& [key, number] : numbers) out[key] = number;
  return out;
}
template <Described T>
boost::json::value WriteValue(const T& part) {
  return WriteObject(part);
}
template <Described T>
boost::json::value WriteValue(const std::vector<T>& parts) {
  boost::json::array out;
  for (const T& part : parts) out.push_back(WriteObject(part));
  return out;
}
// An optional part: null when missing.
template <Described T>
boost::json::value WriteValue(const std::optional<T>& part) {
  return part ? boost::json::value(WriteObject(*part)) : boost::json::value();
}

// How a member is written: its value, null, or not at all.
template <class Owner, class Value>
Empty WrittenAs(const Member<Owner, Value>& member, const Value& value) {
  bool empty = false;
  if constexpr (std::same_as<Value, std::optional<std::string>> ||
                std::same_as<Value, std::optional<std::uint64_t>>) {
    empty = !value && member.empty == Empty::kLeftOut;
  } else if constexpr (requires { value.empty(); }) {
    empty = value.empty();
  }
  return empty ? member.empty : Empty::kWritten;
}

template <class Owner, class Value>
void WriteMember(const Member<Owner, Value>& member, const Owner& document,
                 boost::json::object& out) {
  const Value& value = document.*member.value;
  const Empty as = WrittenAs(member, value);
  if (as == Empty::kLeftOut) return;
  if (as == Empty::kNull) {
    out[member.key] = nullptr;
  } else {
    out[member.key] = WriteValue(value);
  }
}
template <class Owner>
void WriteMember(const Written<Owner>& member, const Owner& document, boost::json::object& out) {
  out[member.key] = member.make(document);
}

template <Described T>
boost::json::object WriteObject(const T& document) {
  boost::json::object out;
  std::apply([&](const auto&... member) { (WriteMember(member, document, out), ...); },
             kDocument<T>.members);
  return out;
}

// ---- writing text directly: building a tree first would take four times as long

template <Described T>
void AppendValue(const T& document, std::string& out);

inline void AppendValue(const std::string& text, std::string& out) { AppendJsonText(text, out); }
inline void AppendValue(std::uint64_t number, std::string& out) { out += std::to_string(number); }
inline void AppendValue(std::int64_t number, std::string& out) { out += std::to_string(number); }
inline void AppendValue(bool flag, std::string& out) { out += flag ? "true" : "false"; }
template <class T>
void AppendValue(const std::optional<T>& part, std::string& out) {
  if (part) {
    AppendValue(*part, out);
  } else {
    out += "null";
  }
}
template <class T>
void AppendValue(const std::vector<T>& parts, std::string& out) {
  out += '[';
  for (bool first = true; const T& part : parts) {
    if (!std::exchange(first, false)) out += ',';
    AppendValue(part, out);
  }
  out += ']';
}
inline void AppendValue(const std::map<std::string, std::string>& texts, std::string& out) {
  out += '{';
  for (bool first = true; const auto& [key, text] : texts) {
    if (!std::exchange(first, false)) out += ',';
    AppendJsonText(key, out);
    out += ':';
    AppendJsonText(text, out);
  }
  out += '}';
}
// For types that can only be written into a tree.
template <class T>
  requires(!Described<T> && requires(const T& value) { WriteValue(value); })
void AppendValue(const T& value, std::string& out) {
  out += boost::json::serialize(WriteValue(value));
}

inline void AppendKey(std::string_view key, std::string& out) {
  if (out.back() != '{') out += ',';
  AppendJsonText(key, out);
  out += ':';
}
template <class Owner, class Value>
void AppendMember(const Member<Owner, Value>& member, const Owner& document, std::string& out) {
  const Value& value = document.*member.value;
  const Empty as = WrittenAs(member, value);
  if (as == Empty::kLeftOut) return;
  AppendKey(member.key, out);
  if (as == Empty::kNull) {
    out += "null";
  } else {
    AppendValue(value, out);
  }
}
template <class Owner>
void AppendMember(const Written<Owner>& member, const Owner& document, std::string& out) {
  AppendKey(member.key, out);
  out += boost::json::serialize(member.make(document));
}

template <Described T>
void AppendValue(const T& document, std::string& out) {
  out += '{';
  std::apply([&](const auto&... member) { (AppendMember(member, document, out), ...); },
             kDocument<T>.members);
  out += '}';
}

// ---- reading

template <Described T>
Result<T> ReadObject(const boost::json::object& object);

// The place of a value, and how to read it.
struct Place {
  std::string_view what;
  const boost::json::object& object;
  std::string_view key;
  Reading reading;
};

template <class Value>
Status Take(Result<Value> read, Value& out) {
  if (!read) return std::unexpected(std::move(read).error());
  out = *std::move(read);
  return {};
}

inline Status ReadValue(const Place& at, std::string& out) {
  bool required = at.reading == Reading::kRequired;
  return Take(required ? RequiredString(at.what, at.object, at.key)
                       : OptionalString(at.what, at.object, at.key),
              out);
}
inline Status ReadValue(const Place& at, std::optional<std::string>& out) {
  const boost::json::value* value = at.object.if_contains(at.key);
  if (value == nullptr || value->is_null()) return {};
  return Take(OptionalString(at.what, at.object, at.key), out.emplace());
}
inline Status ReadValue(const Place& at, std::vector<std::string>& out) {
  return Take(OptionalStrings(at.what, at.object, at.key), out);
}
inline Status ReadValue(const Place& at, std::uint64_t& out) {
  ASSIGN_OR_RETURN(auto number, OptionalNumber(at.what, at.object, at.key));
  if (!number && at.reading == Reading::kRequired) return MustBe(at.what, at.key, "a whole number");
  out = number.value_or(0);
  return {};
}
inline Status ReadValue(const Place& at, std::optional<std::uint64_t>& out) {
  return Take(OptionalNumber(at.what, at.object, at.key), out);
}
inline Status ReadValue(const Place& at, std::int64_t& out) {
  const boost::json::value* value = at.object.if_contains(at.key);
  if (value == nullptr || value->is_null()) return {};
  boost::system::error_code ec;
  out = value->to_number<std::int64_t>(ec);
  if (ec) return MustBe(at.what, at.key, "a whole number");
  return {};
}
inline Status ReadValue(const Place& at, bool& out) {
  return Take(OptionalBool(at.what, at.object, at.key), out);
}
// The members that are texts; others are skipped.
inline std::map<std::string, std::string> ReadTextMap(const boost::json::object& object) {
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : object) {
    if (value.is_string()) out.emplace(key, std::string(value.get_string()));
  }
  return out;
}
inline Status ReadValue(const Place& at, std::map<std::string, std::string>& out) {
  const boost::json::value* value = at.object.if_contains(at.key);
  if (value == nullptr || value->is_null()) return {};
  if (!value->is_object()) return MustBe(at.what, at.key, "an object");
  out = ReadTextMap(value->get_object());
  return {};
}
inline Status ReadValue(const Place& at, std::map<std::string, std::uint64_t>& out) {
  const boost::json::value* value = at.object.if_contains(at.key);
  if (value == nullptr || !value->is_object()) return {};
  for (const auto& [key, number] : value->get_object()) {
    boost::system::error_code ec;
    const auto read = number.to_number<std::uint64_t>(ec);
    if (ec) return MustBe(at.what, at.key, "an object of whole numbers");
    out.emplace(key, read);
  }
  return {};
}
template <Described T>
void ReadLeniently(const Place& at, std::vector<T>& out) {
  const boost::json::value* value = at.object.if_contains(at.key);
  if (value == nullptr || !value->is_array()) return;
  for (const boost::json::value& each : value->get_array()) {
    if (!each.is_object()) continue;
    auto part = ReadObject<T>(each.get_object());
    if (part) out.push_back(*std::move(part));
  }
}
template <Described T>
Status ReadValue(const Place& at, std::vector<T>& out) {
  bool required = at.reading == Reading::kRequired;
  return Take(required ? RequiredObjects<T>(at.what, at.object, at.key, ReadObject<T>)
                       : OptionalObjects<T>(at.what, at.object, at.key, ReadObject<T>),
              out);
}
// An object; required or not, a value that is present must be an object.
template <Described T>
Status ReadValue(const Place& at, T& out) {
  const boost::json::value* value = at.object.if_contains(at.key);
  bool absent = value == nullptr || value->is_null();
  if (absent && at.reading != Reading::kRequired) return {};
  if (absent || !value->is_object()) return MustBe(at.what, at.key, "an object");
  return Take(ReadObject<T>(value->get_object()), out);
}
template <Described T>
Status ReadValue(const Place& at, std::optional<T>& out) {
  const boost::json::value* value = at.object.if_contains(at.key);
  if (value == nullptr || value->is_null()) return {};
  return ReadValue(at, out.emplace());
}

template <class Owner, class Value>
Status ReadMember(std::string_view what, const boost::json::object& object,
                  const Member<Owner, Value>& member, Owner& out) {
  Place at{what, object, member.key, member.reading};
  Value& value = out.*member.value;
  if (member.reading != Reading::kLenient) return ReadValue(at, value);
  if constexpr (requires { ReadLeniently(at, value); }) {
    ReadLeniently(at, value);
  } else {
    // A failed read writes nothing.
    Status ignored = ReadValue(at, value);
    static_cast<void>(ignored);
  }
  return {};
}
template <class Owner>
Status ReadMember(std::string_view, const boost::json::object&, const Written<Owner>&, Owner&) {
  return {};
}

template <Described T>
Result<T> ReadObject(const boost::json::object& object) {
  T out{};
  Status read;
  std::apply(
      [&](const auto&... member) {
        static_cast<void>(
            ((read = ReadMember(kDocument<T>.what, object, member, out)).has_value() && ...));
      },
      kDocument<T>.members);
  if (!read) return std::unexpected(std::move(read).error());
  return out;
}

// ---- whole documents

template <class T>
std::string Encode(const T& document) {
  std::string out;
  AppendValue(document, out);
  return out;
}
template <class T>
Result<T> Decode(std::string_view body) {
  constexpr const auto& kOf = kDocument<T>;
  if (kOf.may_be_empty && body.empty()) return T{};
  ASSIGN_OR_RETURN(boost::json::object object, ParseObject(kOf.what, body, kOf.limits));
  return ReadObject<T>(object);
}
#define KOYA_DOCUMENT(T)                 \
  template std::string Encode(const T&); \
  template Result<T> Decode(std::string_view)

// {"KEY": "TEXT"}
inline std::string EncodeText(std::string_view key, std::string_view text) {
  boost::json::object out;
  out[key] = boost::json::string_view(text.data(), text.size());
  return boost::json::serialize(out);
}
inline Result<std::string> DecodeText(std::string_view what, std::string_view key,
                                      std::string_view body) {
  ASSIGN_OR_RETURN(boost::json::object object, ParseObject(what, body));
  return RequiredString(what, object, key);
}

}  // namespace koya::wire
