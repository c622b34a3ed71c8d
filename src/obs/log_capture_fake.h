// For tests: a LineWriter that writes into a file without a name, and what arrived there as JSON.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "base/file.h"
#include "obs/line_writer.h"

namespace koya {

class LogCapture {
 public:
  // With room for every line of a test, however late the writer's thread gets to run.
  LogCapture()
      : file_(::memfd_create("log", MFD_CLOEXEC)),
        writer_({.descriptor = file_.get(), .max_buffered_bytes = std::size_t{1} << 30}) {}

  LineWriter& writer() { return writer_; }

  std::string Text() {
    writer_.Flush(std::chrono::minutes(1));
    std::string text(static_cast<std::size_t>(::lseek(file_.get(), 0, SEEK_END)), '\0');
    ssize_t got = ::pread(file_.get(), text.data(), text.size(), 0);
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
  }

  // Throws when a line is not JSON.
  std::vector<boost::json::object> Lines() {
    std::vector<boost::json::object> lines;
    std::string text = Text();
    std::string_view rest = text;
    for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
      lines.push_back(boost::json::parse(rest.substr(0, end)).as_object());
      rest.remove_prefix(end + 1);
    }
    return lines;
  }

 private:
  UniqueFd file_;
  LineWriter writer_;
};

}  // namespace koya
