#include "web/common/refusal.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "domain/search_query.h"
#include "web/common/words.h"

namespace koya::web {
namespace {

// Sentences for fixed limits that users can reach in a form.
std::string LimitSentence(Language language, LimitName limit) {
  if (limit != LimitName("fixed.search_parts")) return {};
  const std::string most = fmt::to_string(kMostSearchParts);
  const std::array<Filling, 1> fillings{{{"most", most}}};
  return FilledWord(language, fmt::format("refused.limit.{}", limit.text()), fillings);
}

}  // namespace

std::string_view TypedName(Typed typed) {
  switch (typed) {
    case Typed::kAnything:
      return "";
    case Typed::kNamespaceTitle:
      return "namespace_title";
    case Typed::kNamespaceDescription:
      return "namespace_description";
    case Typed::kPassword:
      return "password";
    case Typed::kPublicKey:
      return "public_key";
    case Typed::kMirrorQuestion:
      return "mirror_question";
    case Typed::kLockFile:
      return "lock_file";
    case Typed::kAuditEnd:
      return "audit_end";
    case Typed::kAuditFilter:
      return "audit_filter";
    case Typed::kSearch:
      return "search";
    case Typed::kVersion:
      return "version";
    case Typed::kVersionRemark:
      return "version_remark";
  }
  return "";
}

RefusalText RefusalTextOf(Language language, const Refusal& refusal) {
  if (refusal.empty()) return {};
  if (language == Language::kEnglish) return {.told = refusal.text, .english = {}};
  std::string told = LimitSentence(language, refusal.limit);
  if (told.empty()) {
    const bool is_typed = refusal.kind == ErrorKind::kInvalid && refusal.typed != Typed::kAnything;
    const std::string_view which =
        is_typed ? TypedName(refusal.typed) : ErrorKindName(refusal.kind);
    told = FilledWord(language, fmt::format("refused.{}", which), {});
  }
  return {.told = std::move(told), .english = refusal.text};
}

void AddRefusal(View& view, Language language, const Refusal& refusal) {
  const RefusalText text = RefusalTextOf(language, refusal);
  view.Set("problem", text.told).Set("problem_english", text.english);
}

}  // namespace koya::web
