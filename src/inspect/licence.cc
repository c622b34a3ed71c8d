#include <algorithm>
#include <array>

#include "inspect/documents.h"

namespace koya::inspect {
namespace {

// Licences are recognized by words; a longer text is not a licence.
constexpr std::size_t kMaxLicence = 256 << 10;
// Where titles stand: further below licences name one another.
constexpr std::size_t kTitle = 400;

struct Fingerprint {
  std::string_view spdx;
  // All of them stand in it, in letters of one case and with single blanks.
  std::array<std::string_view, 3> words;
  bool in_title = false;
};

// The first that fits counts: those that name others stand before them.
constexpr std::array<Fingerprint, 20> kLicences{{
    {"MPL-2.0", {"mozilla public license", "version 2.0", ""}, true},
    {"AGPL-3.0", {"gnu affero general public license", "version 3", ""}, true},
    {"LGPL-3.0", {"gnu lesser general public license", "version 3", ""}, true},
    {"LGPL-2.1", {"gnu lesser general public license", "version 2.1", ""}, true},
    {"GPL-3.0", {"gnu general public license", "version 3", ""}, true},
    {"GPL-2.0", {"gnu general public license", "version 2", ""}, true},
    {"BUSL-1.1", {"business source license", "licensor", ""}, true},
    {"EPL-2.0", {"eclipse public license", "v 2.0", ""}, true},
    {"EUPL-1.2", {"european union public licence", "1.2", ""}, true},
    {"Apache-2.0", {"apache license", "version 2.0", ""}, true},
    {"CC0-1.0", {"cc0 1.0 universal", "", ""}},
    {"CC-BY-4.0", {"creative commons attribution 4.0 international", "", ""}},
    {"Unlicense", {"this is free and unencumbered software", "public domain", ""}},
    {"BSL-1.0", {"boost software license", "version 1.0", ""}, true},
    {"ISC",
     {"permission to use, copy, modify, and", "above copyright notice and this permission notice",
      "appear in all copies"}},
    {"0BSD", {"permission to use, copy, modify, and", "with or without fee is hereby granted", ""}},
    {"BSD-3-Clause",
     {"redistribution and use in source and binary forms", "endorse or promote products", ""}},
    {"BSD-2-Clause",
     {"redistribution and use in source and binary forms", "this list of conditions", ""}},
    {"MIT",
     {"permission is hereby granted, free of charge",
      "the above copyright notice and this permission notice", ""}},
    {"MIT-0", {"permission is hereby granted, free of charge", "without restriction", ""}},
}};

// In lower case, with single blanks for whatever stands between words.
std::string Flattened(std::string_view text) {
  constexpr std::string_view kNoWord = " \t\r\n*#>=_`";
  std::string out;
  for (char c : text) {
    bool blank = kNoWord.find(c) != kNoWord.npos;
    if (blank && (out.empty() || out.back() == ' ')) continue;
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    out += blank ? ' ' : c;
  }
  return out;
}

// What stands behind "SPDX-License-Identifier:", if it looks like an expression.
std::string NamedLicence(std::string_view text) {
  constexpr std::string_view kName = "SPDX-License-Identifier:";
  std::size_t at = text.find(kName);
  if (at == text.npos) return {};
  std::string_view rest = text.substr(at + kName.size());
  rest = rest.substr(0, rest.find_first_of("\r\n"));
  std::size_t begin = std::min(rest.find_first_not_of(" \t"), rest.size());
  rest.remove_prefix(begin);
  rest = rest.substr(0, rest.find_last_not_of(" \t*/-#") + 1);
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+() ";
  bool sound = rest.size() <= 100 && rest.find_first_not_of(kAllowed) == rest.npos;
  return sound ? std::string(rest) : std::string();
}

}  // namespace

Licence GuessLicence(std::string file, std::string_view text) {
  Licence licence{.spdx = {}, .file = std::move(file), .evidence = {}};
  text = text.substr(0, kMaxLicence);
  licence.spdx = NamedLicence(text);
  if (!licence.spdx.empty()) {
    licence.evidence = "SPDX-License-Identifier: " + licence.spdx;
    return licence;
  }
  std::string flat = Flattened(text);
  for (const Fingerprint& each : kLicences) {
    bool fits = std::ranges::all_of(each.words, [&](std::string_view words) {
      return std::string_view(flat).substr(0, each.in_title ? kTitle : flat.size()).find(words) !=
             std::string::npos;
    });
    if (!fits) continue;
    licence.spdx = each.spdx;
    for (std::string_view words : each.words) {
      if (words.empty()) continue;
      licence.evidence += licence.evidence.empty() ? "\"" : ", \"";
      licence.evidence += words;
      licence.evidence += '"';
    }
    break;
  }
  return licence;
}

}  // namespace koya::inspect
