// Adapts parsers to checks of flags, for CLI::Option::check. A value that cannot be parsed is a
// usage error of the command line, so that all commands fail alike.
#pragma once

#include <string>
#include <utility>

namespace koya::cli {

// `parse` takes a text and returns a Result, which is discarded: the command parses the text again.
template <class Parse>
auto ReadableBy(Parse parse) {
  return [parse = std::move(parse)](const std::string& text) -> std::string {
    auto value = parse(text);
    return value ? std::string() : std::move(value).error().message;
  };
}

}  // namespace koya::cli
