#include "domain/version_constraint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace koya {
namespace {

constexpr std::string_view kConstraintExample =
    "write, for example, \"~> 1.2\" or \">= 1.0, < 2.0\"";
constexpr std::string_view kBlanks = " \t\r\n";

Failure BadConstraint(std::string_view text, std::string_view why) {
  return FailInvalid("version constraint \"{}\" cannot be read: {}", Printable(text, 140), why);
}

std::string_view Trim(std::string_view text) {
  std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// The operator that an invalid spelling stands for.
std::string_view Meant(std::string_view op) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kMeant{
      {{"=>", ">="}, {"=<", "<="}, {"==", "="}, {"~", "~>"}, {"^", "~>"}, {"<>", "!="}}};
  const auto* found =
      std::ranges::find(kMeant, op, &std::pair<std::string_view, std::string_view>::first);
  return found == kMeant.end() ? std::string_view() : found->second;
}

}  // namespace

// The version in a constraint, whose last numbers may be left out.
struct VersionConstraint::Numbers {
  std::vector<std::string> written;  // one to three, without leading zeros
  std::string prerelease;            // with its "-", or ""
  std::string build;                 // with its "+", or ""

  static Result<Numbers> Parse(std::string_view text) {
    Numbers out;
    std::size_t end = std::min(text.find_first_of("-+"), text.size());
    std::string_view extra = text.substr(end);
    std::size_t plus = std::min(extra.find('+'), extra.size());
    out.prerelease = extra.substr(0, plus);
    out.build = extra.substr(plus);
    std::string_view numbers = text.substr(0, end);
    while (true) {
      std::size_t dot = numbers.find('.');
      std::string_view number = numbers.substr(0, dot);
      if (number == "*" || number == "x" || number == "X") {
        return BadConstraint(text, "there is no wildcard: leave out the numbers that may be any");
      }
      if (number.empty() || number.find_first_not_of("0123456789") != number.npos) {
        return BadConstraint(text, kConstraintExample);
      }
      number.remove_prefix(std::min(number.find_first_not_of('0'), number.size() - 1));
      out.written.emplace_back(number);
      if (dot == numbers.npos) break;
      numbers.remove_prefix(dot + 1);
    }
    if (out.written.size() > 3) return BadConstraint(text, "a version has three numbers at most");
    return out;
  }

  // Nothing: 0.0.0, with whatever prerelease. Fails: kInvalid.
  Result<std::optional<Version>> ToVersion(bool with_build) const {
    std::array<std::string, 3> all{"0", "0", "0"};
    std::ranges::copy(written, all.begin());
    if (std::ranges::all_of(all, [](const std::string& each) { return each == "0"; })) {
      return std::nullopt;
    }
    ASSIGN_OR_RETURN(Version version,
                     Version::Parse(fmt::format("{}.{}.{}{}{}", all[0], all[1], all[2], prerelease,
                                                with_build ? build : std::string())));
    return version;
  }
};

// The numbers before the last one written stay as they are: "~> 1.2.3" ends before 1.3.0. The
// clients of providers hold the major number fast in "~> 1", too.
Status VersionConstraint::SetEnd(Part& part, const Numbers& numbers, ConstraintStyle style) {
  std::uint64_t major = part.boundary ? part.boundary->major() : 0;
  std::uint64_t minor = part.boundary ? part.boundary->minor() : 0;
  bool only_major = numbers.written.size() == 1;
  if (style == ConstraintStyle::kModule) {
    part.nothing = !numbers.prerelease.empty();
    if (only_major) return {};
  }
  std::string end = numbers.written.size() == 3 ? fmt::format("{}.{}.0", major, minor + 1)
                                                : fmt::format("{}.0.0", major + 1);
  ASSIGN_OR_RETURN(part.end, Version::Parse(end));
  return {};
}

Result<VersionConstraint::Part> VersionConstraint::ParsePart(std::string_view text,
                                                             ConstraintStyle style) {
  constexpr std::array<std::pair<std::string_view, Operator>, 8> kOperators{
      {{"", Operator::kEqual},
       {"=", Operator::kEqual},
       {"!=", Operator::kNotEqual},
       {">", Operator::kGreater},
       {">=", Operator::kAtLeast},
       {"<", Operator::kLess},
       {"<=", Operator::kAtMost},
       {"~>", Operator::kAbout}}};
  std::size_t end = std::min(text.find_first_not_of("=!<>~^&|"), text.size());
  std::string_view op = text.substr(0, end);
  const auto* found =
      std::ranges::find(kOperators, op, &std::pair<std::string_view, Operator>::first);
  if (found == kOperators.end()) {
    std::string_view meant = Meant(op);
    return BadConstraint(
        text, meant.empty() ? fmt::format("there is no operator \"{}\"; {}", op, kConstraintExample)
                            : fmt::format("did you mean \"{}\"?", meant));
  }
  std::string_view version = Trim(text.substr(end));
  if (version.starts_with('v') || version.starts_with('V')) {
    if (style == ConstraintStyle::kProvider || version.front() == 'V') {
      return BadConstraint(text, "leave out the \"v\" before the version");
    }
    version.remove_prefix(1);
  }
  if (version.find_first_of(kBlanks) != version.npos) {
    return BadConstraint(text,
                         "write a comma between two constraints; there is no \"or\", and no range");
  }
  ASSIGN_OR_RETURN(Numbers numbers, Numbers::Parse(version));
  Part part{.op = found->second, .boundary = {}, .end = {}};
  bool exact = part.op == Operator::kEqual || part.op == Operator::kNotEqual;
  ASSIGN_OR_RETURN(part.boundary, numbers.ToVersion(exact));
  if (part.op == Operator::kAbout) RETURN_IF_ERROR(SetEnd(part, numbers, style));
  return part;
}

Result<VersionConstraint> VersionConstraint::Parse(std::string_view text, ConstraintStyle style) {
  if (text.size() > kMaxLength) {
    return BadConstraint(
        text, fmt::format("it has {} characters; use at most {}", text.size(), kMaxLength));
  }
  VersionConstraint constraint;
  constraint.text_ = Trim(text);
  std::string_view rest = constraint.text_;
  while (!rest.empty()) {
    std::size_t comma = rest.find(',');
    std::string_view part = Trim(rest.substr(0, comma));
    if (part.empty())
      return BadConstraint(text, fmt::format("a part is empty; {}", kConstraintExample));
    ASSIGN_OR_RETURN(Part parsed, ParsePart(part, style));
    constraint.parts_.push_back(std::move(parsed));
    // A comma at the end is no error to the clients.
    rest = comma == rest.npos ? std::string_view() : Trim(rest.substr(comma + 1));
  }
  return constraint;
}

bool VersionConstraint::Part::Allows(const Version& version) const {
  if (nothing) return false;
  // Build metadata counts where a version is named only.
  switch (op) {
    case Operator::kEqual:
      return boundary && version == *boundary;
    case Operator::kNotEqual:
      return !boundary || version != *boundary;
    case Operator::kGreater:
      return !boundary || version > *boundary;
    case Operator::kAtLeast:
      return !boundary || version >= *boundary;
    case Operator::kLess:
      return boundary && version < *boundary;
    case Operator::kAtMost:
      return boundary && version <= *boundary;
    case Operator::kAbout:
      return (!boundary || version >= *boundary) && (!end || version < *end);
  }
  return false;
}

bool VersionConstraint::Part::Names(const Version& version) const {
  return op == Operator::kEqual && boundary && version == *boundary;
}

bool VersionConstraint::Allows(const Version& version) const {
  bool named = std::ranges::any_of(parts_, [&](const Part& part) { return part.Names(version); });
  if (version.is_prerelease() && !named) return false;
  return std::ranges::all_of(parts_, [&](const Part& part) { return part.Allows(version); });
}

std::optional<Version> VersionConstraint::Newest(std::span<const Version> versions) const {
  std::optional<Version> newest;
  for (const Version& version : versions) {
    if (Allows(version) && (!newest || version > *newest)) newest = version;
  }
  return newest;
}

void VersionConstraint::And(const VersionConstraint& other) {
  parts_.insert(parts_.end(), other.parts_.begin(), other.parts_.end());
  if (!text_.empty() && !other.text_.empty()) text_ += ", ";
  text_ += other.text_;
}

}  // namespace koya
