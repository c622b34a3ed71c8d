#include "service/providers/provider_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "domain/provider_docs_record.h"
#include "domain/provider_record.h"
#include "inspect/provider/schema_changes.h"

namespace koya::service {
namespace {

namespace provider = inspect::provider;
using inspect::Change;
using inspect::ChangeKind;
using inspect::ChangeSection;
using inspect::ChangeSign;

constexpr std::size_t kMostPageLines = 2000;  // of pages that are gone or new

Change Told(ChangeSection section, ChangeSign sign, ChangeKind kind, std::string what,
            std::string sentence) {
  return {.section = section,
          .sign = sign,
          .kind = kind,
          .what = std::move(what),
          .place = {},
          .sentence = std::move(sentence)};
}

// "5.0", "5.1" and "6.0": 5 and 6, each with the highest of it. By number, so the last is.
std::map<std::string, std::string> ProtocolsByMajor(const ProviderRelease& release) {
  std::map<std::string, std::string> majors;
  for (const std::string& each : release.protocols) majors[each.substr(0, each.find('.'))] = each;
  return majors;
}

std::string PageWords(const DocName& page) {
  std::string words = fmt::format("page {}/{}", page.kind, page.name);
  return page.language.empty() ? words : words + " in " + page.language;
}

ChangeKind KindOf(provider::ChangeGrade grade) {
  switch (grade) {
    case provider::ChangeGrade::kSafe:
      return ChangeKind::kSafe;
    case provider::ChangeGrade::kCompatible:
      return ChangeKind::kCompatible;
    case provider::ChangeGrade::kReadThis:
      return ChangeKind::kReadThis;
    case provider::ChangeGrade::kBreaking:
      return ChangeKind::kBreaking;
  }
  return ChangeKind::kBreaking;
}

ChangeSign SignOf(provider::ChangeGlyph glyph) {
  switch (glyph) {
    case provider::ChangeGlyph::kAdded:
      return ChangeSign::kAdded;
    case provider::ChangeGlyph::kChanged:
      return ChangeSign::kChanged;
    case provider::ChangeGlyph::kRemoved:
      return ChangeSign::kRemoved;
  }
  return ChangeSign::kChanged;
}

// "it is gone" stands behind a name; a sentence of its own begins with a capital.
std::string Sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text.ends_with('.') ? text : text + ".";
}

std::string SchemaWords(const provider::SchemaChange& change) {
  std::string words(provider::SchemaKindWords(change.kind));
  if (!change.item.empty()) words += fmt::format(" \"{}\"", change.item);
  return change.path.empty() ? words : words + ": " + change.path;
}

}  // namespace

Change UnknownChange(ChangeSection section, std::string what, std::string sentence) {
  Change change = Told(section, ChangeSign::kChanged, ChangeKind::kReadThis, std::move(what),
                       std::move(sentence));
  change.unknown = true;
  return change;
}

void ComparePlatforms(const ProviderRelease& from, const ProviderRelease& to,
                      std::vector<Change>& out) {
  std::set<std::string> before;
  std::set<std::string> after;
  for (const ProviderPackage& each : from.packages) before.insert(each.platform.ToString());
  for (const ProviderPackage& each : to.packages) after.insert(each.platform.ToString());
  for (const std::string& each : before) {
    if (after.contains(each)) continue;
    out.push_back(Told(ChangeSection::kPlatforms, ChangeSign::kRemoved, ChangeKind::kBreaking,
                       "platform " + each,
                       "Removed: the provider can no longer be installed there."));
  }
  for (const std::string& each : after) {
    if (before.contains(each)) continue;
    out.push_back(Told(ChangeSection::kPlatforms, ChangeSign::kAdded, ChangeKind::kCompatible,
                       "platform " + each, "It is new."));
  }
}

void CompareProtocols(const ProviderRelease& from, const ProviderRelease& to,
                      std::vector<Change>& out) {
  const auto before = ProtocolsByMajor(from);
  const auto after = ProtocolsByMajor(to);
  for (const auto& [major, highest] : before) {
    const auto same = after.find(major);
    if (same == after.end()) {
      out.push_back(
          Told(ChangeSection::kProtocols, ChangeSign::kRemoved, ChangeKind::kBreaking,
               "protocol " + major,
               "Removed: programs that speak no other protocol cannot run the provider."));
    } else if (same->second != highest) {
      out.push_back(Told(ChangeSection::kProtocols, ChangeSign::kChanged, ChangeKind::kSafe,
                         "protocol " + major,
                         fmt::format("It is {} now, and was {}.", same->second, highest)));
    }
  }
  for (const auto& [major, highest] : after) {
    if (before.contains(major)) continue;
    out.push_back(Told(ChangeSection::kProtocols, ChangeSign::kAdded, ChangeKind::kCompatible,
                       "protocol " + major, "It is new."));
  }
}

void CompareKeys(const ProviderRelease& from, const ProviderRelease& to, std::vector<Change>& out) {
  if (from.key_fingerprint == to.key_fingerprint) return;
  if (to.key_fingerprint.empty()) {
    out.push_back(
        Told(ChangeSection::kKeys, ChangeSign::kChanged, ChangeKind::kReadThis, "the server's key",
             fmt::format("It will be made, and signs {}; {} was signed by {}.",
                         to.version.ToString(), from.version.ToString(), from.key_fingerprint)));
    return;
  }
  out.push_back(Told(ChangeSection::kKeys, ChangeSign::kChanged, ChangeKind::kReadThis,
                     "key " + to.key_fingerprint,
                     fmt::format("It signed {}; {} was signed by {}.", to.version.ToString(),
                                 from.version.ToString(), from.key_fingerprint)));
}

void ComparePages(const std::vector<DocName>& before, const std::vector<DocName>& after,
                  std::vector<Change>& out) {
  std::vector<DocName> gone;
  std::vector<DocName> added;
  std::ranges::set_difference(before, after, std::back_inserter(gone));
  std::ranges::set_difference(after, before, std::back_inserter(added));
  const std::size_t all = gone.size() + added.size();
  gone.resize(std::min(gone.size(), kMostPageLines));
  added.resize(std::min(added.size(), kMostPageLines - gone.size()));
  for (const DocName& each : gone) {
    out.push_back(Told(ChangeSection::kDocs, ChangeSign::kRemoved, ChangeKind::kSafe,
                       PageWords(each), "It is gone."));
  }
  for (const DocName& each : added) {
    out.push_back(Told(ChangeSection::kDocs, ChangeSign::kAdded, ChangeKind::kSafe, PageWords(each),
                       "It is new."));
  }
  if (const std::size_t more = all - gone.size() - added.size(); more > 0) {
    out.push_back(Told(ChangeSection::kDocs, ChangeSign::kChanged, ChangeKind::kSafe, "pages",
                       fmt::format("{} more are gone or new.", more)));
  }
}

bool WasReadWhole(const DocsSummary& summary) {
  return std::ranges::none_of(summary.warnings, [](const ReadWarning& warning) {
    return warning.file.contains("_schema.json");
  });
}

void TellSchema(const provider::SchemaComparison& comparison, bool whole,
                std::vector<Change>& out) {
  for (const provider::SchemaChange& each : comparison.changes()) {
    out.push_back(Told(ChangeSection::kSchema, SignOf(each.glyph), KindOf(each.grade),
                       SchemaWords(each), Sentence(each.sentence)));
    if (whole || out.back().kind != ChangeKind::kBreaking) continue;
    out.back().kind = ChangeKind::kReadThis;
    out.back().unknown = true;
    out.back().sentence += " Or it is in the part that could not be read.";
  }
  if (comparison.left_out() > 0) {
    out.push_back(Told(ChangeSection::kSchema, ChangeSign::kChanged,
                       whole ? KindOf(comparison.worst()) : ChangeKind::kReadThis, "schema",
                       fmt::format("{} more changes.", comparison.left_out())));
    out.back().unknown = !whole;
  }
}

}  // namespace koya::service
