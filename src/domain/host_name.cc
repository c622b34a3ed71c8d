#include "domain/host_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/decimal.h"
#include "base/idna.h"
#include "base/text.h"

namespace koya {
namespace {

// More than the UTF-8 of any name whose ASCII form fits.
constexpr std::size_t kMaxBytes = 4096;
constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxLabel = 63;
constexpr unsigned kMaxPort = 65535;

enum class Punycode { kRefused, kTaken };

Failure BadHost(std::string_view text, std::string_view rule) {
  return FailInvalid("host name \"{}\" is not allowed: {}", Printable(text, 80), rule);
}

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool BeginsPunycode(std::string_view label) {
  return label.size() >= 4 && EqualsIgnoreCase(label.substr(0, 4), "xn--");
}

// Any of the four characters that UTS #46 takes for a full stop.
std::size_t FullStopAt(std::string_view text) {
  constexpr std::array<std::string_view, 4> kStops{".", "。", "．", "｡"};
  for (std::string_view stop : kStops) {
    if (text.starts_with(stop)) return stop.size();
  }
  return 0;
}

bool HasPunycode(std::string_view name) {
  bool at_start = true;
  while (!name.empty()) {
    if (at_start && BeginsPunycode(name)) return true;
    std::size_t stop = FullStopAt(name);
    at_start = stop != 0;
    name.remove_prefix(std::max<std::size_t>(stop, 1));
  }
  return false;
}

// What people write although it is more than a host name.
Status CheckShape(std::string_view text) {
  if (text.empty()) {
    return FailInvalid("the host name is empty: write it like registry.example.com");
  }
  if (text.size() > kMaxBytes) {
    return BadHost(
        text, fmt::format("it has {} bytes; use at most {} characters", text.size(), kMaxName));
  }
  // Before the "@" may stand a password: it is not repeated.
  if (std::size_t at = text.rfind('@'); at != text.npos) {
    return BadHost(text.substr(at + 1), "leave out what stands before the \"@\"");
  }
  if (text.find("://") != text.npos) {
    return BadHost(text, "it is a URL; write the host alone, like registry.example.com");
  }
  if (text.find_first_of("/?#\\") != text.npos) {
    return BadHost(text, "leave the path out; write the host alone, like registry.example.com");
  }
  if (text.front() == '[' || std::ranges::count(text, ':') > 1) {
    return BadHost(text, "clients take no IPv6 address here; give the server a name");
  }
  if (!IsUtf8(text)) return BadHost(text, "it is not UTF-8");
  return {};
}

// ":8443" of "8443", "" of "443".
Result<std::string> NormalPort(std::string_view text, std::string_view digits) {
  const unsigned port = ParseDecimal<unsigned>(digits).value_or(0);
  if (port == 0 || port > kMaxPort) {
    return BadHost(text, "after the \":\" stands a port, a number from 1 to 65535");
  }
  return port == 443 ? std::string() : fmt::format(":{}", port);
}

// ---- ASCII: nearly every name, so it never wakes ICU ----

std::string_view LabelProblem(std::string_view label) {
  if (label.empty()) return "a label is empty; write one full stop between labels";
  if (label.size() > kMaxLabel) return "a label has more than 63 characters; use fewer";
  bool known = std::ranges::all_of(
      label, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-'; });
  if (!known) return "use letters, digits and \"-\" only, with full stops between labels";
  if (label.front() == '-' || label.back() == '-') {
    return "begin and end every label with a letter or a digit";
  }
  if (label.size() > 3 && label.substr(2, 2) == "--")
    return "a label may not have \"--\" in third place";
  return {};
}

Result<std::string> NormalAscii(std::string_view text, std::string_view name) {
  std::string lower = AsciiLower(name);
  std::string_view rest = lower;
  // One full stop at the end is kept: clients hold the two spellings apart.
  if (rest.size() > 1 && rest.ends_with('.')) rest.remove_suffix(1);
  if (rest.size() > kMaxName) return BadHost(text, "it has more than 253 characters; use fewer");
  for (bool more = true; more;) {
    std::size_t stop = rest.find('.');
    more = stop != rest.npos;
    if (auto problem = LabelProblem(rest.substr(0, stop)); !problem.empty()) {
      return BadHost(text, problem);
    }
    if (more) rest.remove_prefix(stop + 1);
  }
  return lower;
}

// ---- the rest, by UTS #46 ----

struct Spellings {
  std::string ascii;
  std::string display;
};

Result<Spellings> NormalUnicode(std::string_view text, std::string_view name) {
  idna::Converted ascii = idna::NameToAscii(name);
  if (!ascii.problem.empty()) return BadHost(text, ascii.problem);
  if (!IsAscii(ascii.text)) return BadHost(text, "its characters cannot be read as a name");
  idna::Converted display = idna::NameToUnicode(ascii.text);
  if (!display.problem.empty()) return BadHost(text, display.problem);
  idna::Converted again = idna::NameToAscii(display.text);
  if (!again.problem.empty() || again.text != ascii.text || ascii.text.empty() ||
      ascii.text.front() == '.' || ascii.text.size() > kMaxName + 1) {
    return BadHost(text, "it is no name that a server can have; use plain letters");
  }
  return Spellings{std::move(ascii.text), std::move(display.text)};
}

Result<Spellings> Normalize(std::string_view text, std::string_view name, Punycode punycode) {
  if (name.empty()) return BadHost(text, "the name before the port is missing");
  bool has_punycode = HasPunycode(name);
  if (has_punycode && punycode == Punycode::kRefused) {
    return BadHost(text, "clients do not take punycode (\"xn--\"); write the letters themselves");
  }
  if (!IsAscii(name) || has_punycode) return NormalUnicode(text, name);
  ASSIGN_OR_RETURN(std::string lower, NormalAscii(text, name));
  return Spellings{lower, lower};
}

Result<Spellings> ParseHost(std::string_view text, Punycode punycode) {
  RETURN_IF_ERROR(CheckShape(text));
  std::size_t colon = text.find(':');
  std::string port;
  if (colon != text.npos) {
    ASSIGN_OR_RETURN(port, NormalPort(text, text.substr(colon + 1)));
  }
  ASSIGN_OR_RETURN(Spellings spellings, Normalize(text, text.substr(0, colon), punycode));
  spellings.ascii += port;
  spellings.display += port;
  return spellings;
}

}  // namespace

Result<HostName> HostName::Parse(std::string_view text) {
  ASSIGN_OR_RETURN(Spellings spellings, ParseHost(text, Punycode::kRefused));
  return HostName(std::move(spellings.ascii), std::move(spellings.display));
}

Result<HostName> HostName::ParseWire(std::string_view text) {
  ASSIGN_OR_RETURN(Spellings spellings, ParseHost(text, Punycode::kTaken));
  return HostName(std::move(spellings.ascii), std::move(spellings.display));
}

}  // namespace koya
