#include "base/idna.h"

#include <unicode/bytestream.h>
#include <unicode/idna.h>
#include <unicode/stringpiece.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

namespace koya::idna {
namespace {

std::unique_ptr<const icu::IDNA> MakeInstance(std::uint32_t more_options) {
  UErrorCode code = U_ZERO_ERROR;
  std::unique_ptr<const icu::IDNA> made(icu::IDNA::createUTS46Instance(
      UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII |
          UIDNA_NONTRANSITIONAL_TO_UNICODE | more_options,
      code));
  // Its tables are part of the library: without them nothing can go on.
  if (U_FAILURE(code) || made == nullptr) throw std::bad_alloc();
  return made;
}

// The instances are immutable, so threads share them.
const icu::IDNA& Strict() {
  static const std::unique_ptr<const icu::IDNA> kInstance = MakeInstance(UIDNA_USE_STD3_RULES);
  return *kInstance;
}
const icu::IDNA& WithoutStd3() {
  static const std::unique_ptr<const icu::IDNA> kInstance = MakeInstance(0);
  return *kInstance;
}

constexpr std::string_view kBadCharacter =
    "it holds a character that host names may not have; use letters, digits and \"-\" only";

// What the STD3 rules reject, except "_": other ASCII characters, and the three that decompose to
// such. Source: UTS #46, section 5, disallowed_STD3_valid.
bool BreaksStd3(std::string_view text) {
  const bool ascii = std::ranges::any_of(text, [](char c) {
    const bool alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return static_cast<unsigned char>(c) < 0x80 && !alnum && c != '-' && c != '_';
  });
  return ascii || text.contains("\u2260") || text.contains("\u226E") || text.contains("\u226F");
}

// Why UTS #46 refuses something, as something to do; "" when it does not.
std::string_view Problem(std::uint32_t errors) {
  constexpr std::uint32_t kPunycode = UIDNA_ERROR_PUNYCODE | UIDNA_ERROR_INVALID_ACE_LABEL;
  constexpr std::uint32_t kHyphens =
      UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4;
  if (errors == 0) return {};
  if ((errors & UIDNA_ERROR_EMPTY_LABEL) != 0) return "it holds invisible characters only";
  if ((errors & UIDNA_ERROR_LABEL_TOO_LONG) != 0) {
    return "it has more than 63 characters in its ASCII form (punycode); use fewer";
  }
  if ((errors & UIDNA_ERROR_DOMAIN_NAME_TOO_LONG) != 0) {
    return "it has more than 253 characters in its ASCII form (punycode); use fewer";
  }
  if ((errors & UIDNA_ERROR_LABEL_HAS_DOT) != 0) {
    return "leave out the full stop; use letters, digits and \"-\" only";
  }
  if ((errors & kPunycode) != 0) return "write the letters themselves, not punycode";
  if ((errors & kHyphens) != 0) {
    return "begin and end it with a letter or a digit, without \"--\" inside";
  }
  if ((errors & UIDNA_ERROR_LEADING_COMBINING_MARK) != 0) {
    return "it begins with a mark that belongs to a letter before it; begin with a letter";
  }
  if ((errors & UIDNA_ERROR_BIDI) != 0) {
    return "it mixes right-to-left letters with others in a way that host names may not; use "
           "letters of one direction";
  }
  if ((errors & (UIDNA_ERROR_CONTEXTJ | UIDNA_ERROR_CONTEXTO_PUNCTUATION |
                 UIDNA_ERROR_CONTEXTO_DIGITS)) != 0) {
    return "it holds a joiner where none may stand; leave invisible characters out";
  }
  return kBadCharacter;
}

using Function = void (icu::IDNA::*)(icu::StringPiece, icu::ByteSink&, icu::IDNAInfo&,
                                     UErrorCode&) const;

Converted Convert(const icu::IDNA& instance, Function function, std::string_view text) {
  Converted converted;
  icu::StringByteSink<std::string> sink(&converted.text);
  icu::IDNAInfo info;
  UErrorCode code = U_ZERO_ERROR;
  icu::StringPiece piece(text.data(), static_cast<std::int32_t>(text.size()));
  (instance.*function)(piece, sink, info, code);
  converted.problem =
      U_FAILURE(code) ? "its characters cannot be read as a name" : Problem(info.getErrors());
  return converted;
}

Converted ConvertWithUnderscores(Function function, std::string_view label) {
  Converted converted = Convert(WithoutStd3(), function, label);
  if (converted.problem.empty() && BreaksStd3(converted.text)) converted.problem = kBadCharacter;
  return converted;
}

}  // namespace

Converted LabelToUnicode(std::string_view label) {
  return Convert(Strict(), &icu::IDNA::labelToUnicodeUTF8, label);
}
Converted LabelToAscii(std::string_view label) {
  return Convert(Strict(), &icu::IDNA::labelToASCII_UTF8, label);
}
Converted LabelWithUnderscoresToUnicode(std::string_view label) {
  return ConvertWithUnderscores(&icu::IDNA::labelToUnicodeUTF8, label);
}
Converted LabelWithUnderscoresToAscii(std::string_view label) {
  return ConvertWithUnderscores(&icu::IDNA::labelToASCII_UTF8, label);
}
Converted NameToUnicode(std::string_view name) {
  return Convert(Strict(), &icu::IDNA::nameToUnicodeUTF8, name);
}
Converted NameToAscii(std::string_view name) {
  return Convert(Strict(), &icu::IDNA::nameToASCII_UTF8, name);
}

}  // namespace koya::idna
