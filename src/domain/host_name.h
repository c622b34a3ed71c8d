// The host name of a registry, with its port unless that is 443: the first part of a full address,
// "registry.example.com/acme/demo".
//
// Normalised as clients do it (svchost ForComparison; golang.org/x/net/idna Lookup): UTS #46
// non-transitional with STD3, hyphen, joiner and bidi rules. Two spellings of one host are equal.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

class HostName {
 public:
  // Parses the form that people write: "Registry.Example.com", "日本.example:8443". Rejects labels
  // in punycode ("xn--…"), as clients do; URLs, user information, empty labels, IPv6 literals, bad
  // ports. Fails: kInvalid, saying what to write.
  static Result<HostName> Parse(std::string_view text);
  // Parses the form on the wire (network mirror paths, credential files), where punycode labels are
  // allowed too. Fails: kInvalid.
  static Result<HostName> ParseWire(std::string_view text);

  // For the wire and for keys: A-labels, lower case, ":port" unless it is 443.
  const std::string& ascii() const { return ascii_; }
  // For display: Unicode labels. `providers mirror` names its folders like this.
  const std::string& display() const { return display_; }
  bool has_port() const { return ascii_.find(':') != std::string::npos; }

  friend bool operator==(const HostName& a, const HostName& b) { return a.ascii_ == b.ascii_; }

 private:
  HostName(std::string ascii, std::string display)
      : ascii_(std::move(ascii)), display_(std::move(display)) {}
  std::string ascii_;
  std::string display_;
};

}  // namespace koya
