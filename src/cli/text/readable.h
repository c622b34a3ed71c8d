// Flags whose values are read into something. What cannot be read is an error of usage, told while
// the command line is read, so that every command ends alike with it: for CLI::Option::check.
#pragma once

#include <string>
#include <utility>

namespace koya::cli {

// `parse` takes a text and returns a Result, which is thrown away: the command reads it again.
template <class Parse>
auto ReadableBy(Parse parse) {
  return [parse = std::move(parse)](const std::string& text) -> std::string {
    auto value = parse(text);
    return value ? std::string() : std::move(value).error().message;
  };
}

}  // namespace koya::cli
