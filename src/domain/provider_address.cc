#include "domain/provider_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/idna.h"
#include "base/text.h"

namespace koya {
namespace {

constexpr std::size_t kMaxAscii = 63;  // octets in a DNS label
// Longer than the UTF-8 of any label whose ASCII form fits, decomposed spellings included: what
// is longer need not be looked at.
constexpr std::size_t kMaxPartBytes = 1024;

bool IsLowerAlnum(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); }
bool HasOnlyAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// The parts of an address, which differ in this only.
struct PartKind {
  std::string_view name;  // for errors
  bool underscores;       // "_" is allowed inside
};
constexpr PartKind kNamespacePart{"namespace", true};
constexpr PartKind kTypePart{"type", false};

Failure BadProviderPart(PartKind kind, std::string_view part, std::string_view rule) {
  return FailInvalid("{} \"{}\" is not allowed: {}", kind.name, Printable(part, 80), rule);
}

// What holds for every part, before and after it is normalised. Clients look for "." and "--" first
// too, so that no punycode gets in.
Status CheckSpelling(PartKind kind, std::string_view part) {
  if (part.empty()) {
    return FailInvalid(
        "the {} is empty: a provider address is NAMESPACE/TYPE, for example "
        "acme/demo",
        kind.name);
  }
  if (part.size() > kMaxPartBytes) {
    return BadProviderPart(
        kind, part, fmt::format("it has {} bytes; use at most {} letters", part.size(), kMaxAscii));
  }
  if (part.find('.') != std::string_view::npos) {
    return BadProviderPart(kind, part, "leave out the \".\"; use letters, digits and \"-\" only");
  }
  if (!kind.underscores && part.contains('_')) {
    return BadProviderPart(kind, part,
                           "clients do not take \"_\" in provider types; write \"-\" instead");
  }
  if (part.size() >= 4 && EqualsIgnoreCase(part.substr(0, 4), "xn--")) {
    return BadProviderPart(kind, part,
                           "clients do not take punycode in provider addresses; write the letters "
                           "themselves");
  }
  if (part.find("--") != std::string_view::npos) {
    return BadProviderPart(kind, part,
                           "clients do not take \"--\" in provider addresses; write one \"-\"");
  }
  constexpr std::string_view kInsideOnly = "-_";
  if (kInsideOnly.contains(part.front()) || kInsideOnly.contains(part.back())) {
    return BadProviderPart(kind, part, "begin and end it with a letter or a digit");
  }
  return {};
}

// ---- ASCII: nearly every address, so it never wakes ICU ----

Result<std::string> NormalizeAscii(PartKind kind, std::string_view part) {
  if (part.size() > kMaxAscii) {
    return BadProviderPart(
        kind, part, fmt::format("it has {} characters; use at most {}", part.size(), kMaxAscii));
  }
  std::string lower = AsciiLower(part);
  // CheckSpelling decides about "_".
  if (!std::ranges::all_of(lower, [](char c) { return IsLowerAlnum(c) || c == '-' || c == '_'; })) {
    return BadProviderPart(kind, part, "use letters, digits and \"-\" only");
  }
  return lower;
}

// ---- the rest, by UTS #46 ----

// Fails: kInvalid.
Result<std::string> ToUnicode(PartKind kind, std::string_view part, std::string_view label) {
  idna::Converted converted =
      kind.underscores ? idna::LabelWithUnderscoresToUnicode(label) : idna::LabelToUnicode(label);
  if (!converted.problem.empty()) return BadProviderPart(kind, part, converted.problem);
  return std::move(converted.text);
}

// For its length.
Status CheckAsciiForm(PartKind kind, std::string_view part, std::string_view label) {
  const idna::Converted converted =
      kind.underscores ? idna::LabelWithUnderscoresToAscii(label) : idna::LabelToAscii(label);
  return converted.problem.empty() ? Status() : BadProviderPart(kind, part, converted.problem);
}

Result<std::string> NormalizeUnicode(PartKind kind, std::string_view part) {
  if (!IsUtf8(part)) return BadProviderPart(kind, part, "it is not UTF-8");
  ASSIGN_OR_RETURN(std::string label, ToUnicode(kind, part, part));
  // Full-width letters and the like become ASCII only now.
  RETURN_IF_ERROR(CheckSpelling(kind, label));
  if (HasOnlyAscii(label)) return NormalizeAscii(kind, label);
  RETURN_IF_ERROR(CheckAsciiForm(kind, part, label));
  ASSIGN_OR_RETURN(std::string again, ToUnicode(kind, part, label));
  if (again != label)
    return BadProviderPart(kind, part, "it has more than one spelling; use plain letters");
  return label;
}

Result<std::string> NormalizePart(PartKind kind, std::string_view part) {
  RETURN_IF_ERROR(CheckSpelling(kind, part));
  return HasOnlyAscii(part) ? NormalizeAscii(kind, part) : NormalizeUnicode(kind, part);
}

}  // namespace

Result<std::string> NormalizeProviderNamespace(std::string_view ns) {
  return NormalizePart(kNamespacePart, ns);
}

Result<std::string> NormalizeProviderType(std::string_view type) {
  return NormalizePart(kTypePart, type);
}

std::string NamespaceWarning(std::string_view ns) {
  if (!ns.contains('_')) return {};
  return fmt::format(
      "OpenTofu, and Terraform before 1.16, reject providers of the namespace \"{}\", because it "
      "contains \"_\"; for those clients publish in a namespace without \"_\"",
      ns);
}

Result<ProviderAddress> ProviderAddress::Parse(std::string_view text) {
  auto slashes = std::ranges::count(text, '/');
  if (slashes != 1) {
    return FailInvalid(
        "\"{}\" is not a provider address: write NAMESPACE/TYPE, for example "
        "acme/demo{}",
        Printable(text), slashes == 2 ? ", without the host name" : "");
  }
  std::size_t slash = text.find('/');
  return FromParts(text.substr(0, slash), text.substr(slash + 1));
}

Result<ProviderAddress> ProviderAddress::FromParts(std::string_view ns, std::string_view type) {
  ASSIGN_OR_RETURN(std::string normal_ns, NormalizeProviderNamespace(ns));
  ASSIGN_OR_RETURN(std::string normal_type, NormalizeProviderType(type));
  return ProviderAddress(std::move(normal_ns), std::move(normal_type));
}

std::string ReservedReason(const ProviderAddress& address) {
  if (address.ns() == "builtin") {
    return "the namespace \"builtin\" is reserved: clients use it for what they have built in; "
           "choose another namespace";
  }
  if (address.ns() == "search") {
    return "the namespace \"search\" is reserved: the registry API uses the word itself; choose "
           "another namespace";
  }
  // Longer prefixes first: the rest of the type must be the name that the author meant.
  constexpr std::array<std::string_view, 4> kPrefixes{"terraform-provider-", "opentofu-provider-",
                                                      "terraform-", "opentofu-"};
  std::string_view rest = address.type();
  auto begins = [&](std::string_view prefix) { return rest.starts_with(prefix); };
  const auto* first = std::ranges::find_if(kPrefixes, begins);
  if (first == kPrefixes.end()) return {};
  // The rest must be free itself.
  for (const auto* found = first; found != kPrefixes.end();
       found = std::ranges::find_if(kPrefixes, begins)) {
    rest.remove_prefix(found->size());
  }
  return fmt::format(
      "clients refuse provider types that begin with \"{}\", which belongs to the names of the "
      "repository and the program only; write {}/{}",
      *first, address.ns(), rest);
}

std::string ProviderLocalName(std::string_view type) {
  const bool digit = !type.empty() && type.front() >= '0' && type.front() <= '9';
  return (digit ? "provider-" : "") + std::string(type);
}

}  // namespace koya
