#include "wire/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <cstdint>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace koya::wire {
namespace {

namespace json = boost::json;
using ParseError = boost::system::error_code;
using JsonText = json::string_view;

constexpr std::size_t kMostLevels = 32;

// Memory up to a bound, for the values and for the parser's stack of them.
class BoundedMemory final : public json::memory_resource {
 public:
  explicit BoundedMemory(std::size_t most) : left_(most) {}

 private:
  // Boost.JSON 1.81 takes memory for keys with one alignment and gives it back with another; all
  // that it asks for are within what plain new gives.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (bytes > left_ || alignment > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
      throw std::bad_alloc();  // the interface knows no other way
    }
    left_ -= bytes;
    return ::operator new(bytes);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t /*alignment*/) override {
    left_ += bytes;
    ::operator delete(memory, bytes);
  }
  bool do_is_equal(const json::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::size_t left_;
};

// Builds the value, leaving out members that are not wanted.
class Builder {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  Builder(const json::storage_ptr& storage, const JsonLimits& bounds)
      : stack_(storage), wanted_(bounds.members), unique_(bounds.unique_members) {
    stack_.reset(storage);
  }

  json::value Release() { return stack_.release(); }

  bool on_document_begin(ParseError&) { return true; }
  bool on_document_end(ParseError&) { return true; }

  bool on_object_begin(ParseError&) {
    if (unique_) names_.emplace_back();
    return Begin();
  }
  bool on_object_end(std::size_t, ParseError&) {
    if (unique_) names_.pop_back();
    return End([this](std::size_t members) { stack_.push_object(members); });
  }
  bool on_array_begin(ParseError&) { return Begin(); }
  bool on_array_end(std::size_t elements, ParseError&) {
    return End([this, elements](std::size_t) { stack_.push_array(elements); });
  }

  bool on_key_part(JsonText part, std::size_t, ParseError&) {
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(JsonText part, std::size_t, ParseError& ec) {
    key_.append(part.data(), part.size());
    if (unique_ && !names_.back().insert(key_).second) {
      ec = make_error_code(boost::system::errc::invalid_argument);
      return false;
    }
    if (!skipping_ && (wanted_.empty() || std::ranges::find(wanted_, key_) != wanted_.end())) {
      ++members_.back();
      stack_.push_key(key_);
    } else if (!skipping_) {
      skipping_ = true;
      skipped_levels_ = 0;
    }
    key_.clear();
    return true;
  }

  bool on_string_part(JsonText part, std::size_t, ParseError&) {
    if (!skipping_) stack_.push_chars(part);
    return true;
  }
  bool on_string(JsonText text, std::size_t, ParseError&) {
    return Put([this, text] { stack_.push_string(text); });
  }
  bool on_number_part(JsonText, ParseError&) { return true; }
  bool on_int64(std::int64_t number, JsonText, ParseError&) {
    return Put([this, number] { stack_.push_int64(number); });
  }
  bool on_uint64(std::uint64_t number, JsonText, ParseError&) {
    return Put([this, number] { stack_.push_uint64(number); });
  }
  bool on_double(double number, JsonText, ParseError&) {
    return Put([this, number] { stack_.push_double(number); });
  }
  bool on_bool(bool flag, ParseError&) {
    return Put([this, flag] { stack_.push_bool(flag); });
  }
  bool on_null(ParseError&) {
    return Put([this] { stack_.push_null(); });
  }
  bool on_comment_part(JsonText, ParseError&) { return true; }
  bool on_comment(JsonText, ParseError&) { return true; }

 private:
  template <class Push>
  bool Put(const Push& push) {
    if (!skipping_) {
      push();
    } else if (skipped_levels_ == 0) {
      skipping_ = false;
    }
    return true;
  }
  bool Begin() {
    skipping_ ? void(++skipped_levels_) : members_.push_back(0);
    return true;
  }
  template <class Push>
  bool End(const Push& push) {
    if (skipping_) {
      if (--skipped_levels_ == 0) skipping_ = false;
      return true;
    }
    std::size_t members = members_.back();
    members_.pop_back();
    push(members);
    return true;
  }

  json::value_stack stack_;
  std::span<const std::string_view> wanted_;
  bool unique_;
  std::vector<std::size_t> members_;  // of each object or array that is open: how many were kept
  std::vector<std::set<std::string>> names_;  // of each object that is open, when they are watched
  std::string key_;                           // as far as it was read
  bool skipping_ = false;           // the value that comes, or is being read, is not wanted
  std::size_t skipped_levels_ = 0;  // how deep in it
};

}  // namespace

json::value ParseBounded(std::string_view text, const JsonLimits& bounds, ParseError& ec) {
  json::parse_options options;
  options.max_depth = kMostLevels;
  try {
    json::storage_ptr storage = json::make_shared_resource<BoundedMemory>(bounds.storage);
    json::basic_parser<Builder> parser(options, storage, bounds);
    std::size_t read = parser.write_some(false, text.data(), text.size(), ec);
    if (!ec && read < text.size()) ec = json::make_error_code(json::error::extra_data);
    return ec ? json::value() : parser.handler().Release();
  } catch (const std::bad_alloc&) {
    ec = make_error_code(boost::system::errc::not_enough_memory);
    return {};
  }
}

namespace {

namespace json = boost::json;

const json::value* Find(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::string CopyOf(const json::string& text) { return std::string(text.data(), text.size()); }

}  // namespace

Failure MustBe(std::string_view what, std::string_view key, std::string_view wanted) {
  return FailInvalid("{}: \"{}\" must be {}", what, key, wanted);
}

Result<json::object> ParseObject(std::string_view what, std::string_view body,
                                 const JsonLimits& bounds) {
  boost::system::error_code ec;
  json::value value = ParseBounded(body, bounds, ec);
  if (ec == boost::system::errc::not_enough_memory) {
    return FailLimit(
        ErrorKind::kInvalid, "fixed.json_storage",
        fmt::format("{} would take more than {} MiB of memory", what, bounds.storage >> 20));
  }
  if (ec == boost::system::errc::invalid_argument) {
    return FailInvalid(
        "{} has a member twice, so its value is "
        "ambiguous",
        what);
  }
  if (ec) {
    return FailInvalid("{} is not valid JSON: {}", what, ec.message());
  }
  if (!value.is_object()) {
    return FailInvalid("{} must be a JSON object", what);
  }
  return std::move(value.get_object());
}

Result<std::string> OptionalString(std::string_view what, const json::object& object,
                                   std::string_view key) {
  const json::value* value = Find(object, key);
  if (value == nullptr) return std::string();
  if (!value->is_string()) return MustBe(what, key, "a string");
  return CopyOf(value->get_string());
}

Result<std::vector<std::string>> OptionalStrings(std::string_view what, const json::object& object,
                                                 std::string_view key) {
  std::vector<std::string> out;
  const json::value* value = Find(object, key);
  if (value == nullptr) return out;
  if (!value->is_array()) return MustBe(what, key, "an array of strings");
  for (const json::value& element : value->get_array()) {
    if (!element.is_string()) return MustBe(what, key, "an array of strings");
    out.push_back(CopyOf(element.get_string()));
  }
  return out;
}

Result<std::optional<std::uint64_t>> OptionalNumber(std::string_view what,
                                                    const json::object& object,
                                                    std::string_view key) {
  const json::value* value = Find(object, key);
  if (value == nullptr) return std::optional<std::uint64_t>();
  boost::system::error_code ec;
  auto number = value->to_number<std::uint64_t>(ec);
  if (ec) return MustBe(what, key, "a whole number");
  return std::optional(number);
}

Result<bool> OptionalBool(std::string_view what, const json::object& object, std::string_view key) {
  const json::value* value = Find(object, key);
  if (value == nullptr) return false;
  if (!value->is_bool()) return MustBe(what, key, "true or false");
  return value->get_bool();
}

Result<std::string> RequiredString(std::string_view what, const json::object& object,
                                   std::string_view key) {
  ASSIGN_OR_RETURN(std::string text, OptionalString(what, object, key));
  if (text.empty()) return MustBe(what, key, "given, and not empty");
  return text;
}

Result<const json::array*> RequiredArray(std::string_view what, const json::object& object,
                                         std::string_view key) {
  const json::value* value = Find(object, key);
  if (value == nullptr || !value->is_array()) return MustBe(what, key, "an array");
  return &value->get_array();
}

Result<const json::object*> ElementObject(std::string_view what, const json::value& element,
                                          std::string_view key) {
  if (!element.is_object()) return MustBe(what, key, "an array of objects");
  return &element.get_object();
}

}  // namespace koya::wire
