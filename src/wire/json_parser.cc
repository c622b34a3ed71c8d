#include "wire/json_parser.h"

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

}  // namespace koya::wire
