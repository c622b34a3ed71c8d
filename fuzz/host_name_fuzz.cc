// Host names: an accepted one has one spelling, which both readers accept; a rejection has a
// reason.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "domain/host_name.h"

namespace koya {
namespace {

void Must(bool holds) {
  if (!holds) std::abort();
}

void Check(const Result<HostName>& host) {
  if (!host) {
    Must(host.error().kind == ErrorKind::kInvalid && !host.error().message.empty());
    Must(IsUtf8(host.error().message) && host.error().message.size() < 3000);
    return;
  }
  const std::string& ascii = host->ascii();
  Must(!ascii.empty() && ascii.size() <= 260 && ascii == AsciiLower(ascii));
  Must(std::ranges::all_of(ascii, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == ':';
  }));
  Must(IsUtf8(host->display()));
  const auto again = HostName::ParseWire(ascii);
  Must(again && *again == *host && again->display() == host->display());
  const auto shown = HostName::Parse(host->display());
  Must(shown && *shown == *host);
}

}  // namespace
}  // namespace koya

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using koya::HostName;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto people = HostName::Parse(text);
  const auto wire = HostName::ParseWire(text);
  koya::Check(people);
  koya::Check(wire);
  // What people may write is a part of what the wire may hold.
  if (people && !(wire && *wire == *people)) std::abort();
  return 0;
}
