// Shows a service's Error on a page. Services produce English messages only: in other languages a
// sentence in the reader's language precedes it, chosen by the limit that was reached, by the field
// in which the text was typed, or by the kind of the error; the service's message follows, marked
// as English. English pages show only that message.
//
// A page's struct has a Refusal, its view AddRefusal, its template
//   {{#problem}}<div class="note bad" role="alert">[[>_refused]]</div>{{/problem}}
// For an error of a form field use FormErrors::Say (form_parts.h). Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "web/common/language.h"
#include "web/common/view.h"

namespace koya::web {

// The kind of text that was typed, if the page can describe its format.
enum class Typed {
  kAnything,  // no description
  kNamespaceTitle,
  kNamespaceDescription,
  kPassword,
  kPublicKey,
  kMirrorQuestion,
  kLockFile,
  kAuditEnd,
  kAuditFilter,
  kSearch,
  kVersion,
  kVersionRemark,
};
// Its name in the words, "namespace_title"; "" for kAnything.
std::string_view TypedName(Typed typed);

struct Refusal {
  std::string text = {};  // an Error's message, in English; "": no error
  ErrorKind kind = ErrorKind::kInvalid;
  LimitName limit = {};            // the limit that was reached, if any
  Typed typed = Typed::kAnything;  // replaces the kind, if that is kInvalid

  // The part of the error that a page may show: not its detail.
  static Refusal Of(const Error& error, Typed typed = Typed::kAnything) {
    return {.text = error.message, .kind = error.kind, .limit = error.limit, .typed = typed};
  }
  bool empty() const { return text.empty(); }
};

struct RefusalText {
  std::string told;     // in the reader's language; "": no error
  std::string english;  // the service's message; "": `told` is that message
};
// Words: "refused.limit.NAME" if that limit has one, else "refused.TYPED" or "refused.KIND".
RefusalText RefusalTextOf(Language language, const Refusal& refusal);

// Adds the fields of the piece _refused, "problem" and "problem_english".
void AddRefusal(View& view, Language language, const Refusal& refusal);

}  // namespace koya::web
