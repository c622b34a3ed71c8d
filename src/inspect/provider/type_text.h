// Converts a type from JSON (["list", "string"], ["object", {"a": "string"}, ["a"]]) to the syntax
// of configurations (list(string), object({a = optional(string)})), while it is read. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koya::inspect::provider {

inline constexpr std::size_t kLongestType = 64 << 10;

class TypeText {
 public:
  void OnText(std::string_view text);
  void OnKey(std::string_view key);
  void OnBegin(bool object);
  void OnEnd();
  void OnOther() { bad_ = true; }  // a number, true, null: not part of a type

  // True once a complete type was read.
  bool done() const { return done_; }
  // The type; "any" if it is invalid, longer than kLongestType, or nested deeper than 64.
  std::string TakeText();

 private:
  struct Level {
    bool object = false;                                     // {…} in a type; else […]
    std::string word;                                        // "list"
    std::vector<std::pair<std::string, std::string>> parts;  // of objects: with names
    std::vector<std::string> optional;
    std::string key;
  };
  void Put(std::string type);
  std::string Text(Level& level);

  std::vector<Level> levels_;
  std::string type_;
  std::size_t bytes_ = 0;
  bool done_ = false;
  bool bad_ = false;
};

}  // namespace koya::inspect::provider
