// What a page says of an Error of a service. Services speak English only: in other languages a
// sentence of the reader's stands first, chosen by the bound that was reached, by what the page
// knows of the place where it was typed, or by the kind of the error, and the service's own after
// it, marked as English. English pages have that alone.
//
// A page's struct has a Refusal, its view AddRefusal, its template
//   {{#problem}}<div class="note bad" role="alert">[[>_refused]]</div>{{/problem}}
// What is wrong with a field of a form is FormErrors::Say (form_parts.h). Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "web/language.h"
#include "web/view.h"

namespace koya::web {

// What was to be typed, where the page can say how that is written.
enum class Typed {
  kAnything,  // it cannot
  kNamespaceTitle,
  kNamespaceDescription,
  kPassword,
  kPublicKey,
  kMirrorQuestion,
  kAuditEnd,
  kAuditFilter,
  kSearch,
  kVersion,
  kVersionRemark,
};
// As its words call it, "namespace_title"; "" for kAnything.
std::string_view TypedName(Typed typed);

struct Refusal {
  std::string text = {};  // as an Error's message says it, in English; "": nothing was refused
  ErrorKind kind = ErrorKind::kInvalid;
  LimitName limit = {};            // the bound that was reached, if one was
  Typed typed = Typed::kAnything;  // told of in place of the kind, if that is kInvalid

  // What a page may tell of the error: not its detail.
  static Refusal Of(const Error& error, Typed typed = Typed::kAnything) {
    return {.text = error.message, .kind = error.kind, .limit = error.limit, .typed = typed};
  }
  bool empty() const { return text.empty(); }
};

struct RefusalText {
  std::string told;     // in the reader's language; "": nothing was refused
  std::string english;  // what the service says beyond it; "": `told` is that
};
// Words: "refused.limit.NAME" where there are some for that limit, else "refused.TYPED" or
// "refused.KIND".
RefusalText RefusalTextOf(Language language, const Refusal& refusal);

// The fields of the piece _refused, "problem" and "problem_english".
void AddRefusal(View& view, Language language, const Refusal& refusal);

}  // namespace koya::web
