// Shared parts of forms: errors of a sent form, its fields, the equivalent command, and the page
// that asks for confirmation before an irreversible action.
//
// A page with a form:
//   FormErrors errors;  errors.Add("name", "taken");         // words: form.taken
//   AddFormErrors(view, frame.language, errors);              // [[>_form_errors]] above the form
//   view.Set("f_name", FieldView(frame.language, errors, {.name = "name", .value = page.name}));
//   <div class="field"><label for="name">…</label>{{#f_name}}[[>_input]]{{/f_name}}
//   <p class="hint" id="name_hint">…</p></div>
// Problems link to their fields; fields show their problem and retain the typed value. Pure and
// thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "web/common/page_frame.h"
#include "web/common/refusal.h"

namespace koya::web {

// A hidden field of a form.
struct HiddenField {
  std::string name;
  std::string value;
};
inline KOYA_VIEW(HiddenField, name, value);

struct FormProblem {
  std::string field;  // its name and id; "": the whole form
  std::string word;   // words: "form.WORD"; "": `refusal`
  Refusal refusal;    // of a service
};

// Problems of a sent form, in the order of its fields; empty: none.
class FormErrors {
 public:
  // Adds a problem with our own text, "form.WORD". REQUIRES: that word exists and has no names to
  // fill in.
  FormErrors& Add(std::string field, std::string word);
  // Adds a service's message, preceded by its kind of error in the reader's language.
  FormErrors& AddError(std::string field, Refusal refusal);

  bool empty() const { return problems_.empty(); }
  bool Has(std::string_view field) const;
  const std::vector<FormProblem>& problems() const { return problems_; }

 private:
  std::vector<FormProblem> problems_;
};

// Converts the line ends that browsers send to "\n": pages do not show "\r", a control character.
std::string WithPlainLines(std::string_view text);

// The fields of the piece _form_errors: a box with links to the fields.
void AddFormErrors(View& view, Language language, const FormErrors& errors);

// A text field of one or more lines: pieces _input and _area, which show its problem. A choice from
// a list uses _select, whose options the page adds:
//   {{#f_kind}}[[>_select]]<option value="a"…>…</option></select>[[>_wrong]]{{/f_kind}}
struct FormField {
  std::string_view name;        // also its id; unique in its page: letters, digits, "_"
  std::string_view value = {};  // as typed before
  std::string_view type = "text";
  std::string_view autocomplete = "off";
  unsigned most = 200;  // characters
  bool is_required = false;
  bool has_hint = true;  // an element NAME_hint follows
};
View FieldView(Language language, const FormErrors& errors, const FormField& field);

// Adds the piece _command: the `koya` command equivalent to the page. One per page at most.
void AddCommand(View& view, std::string_view command);
// Quotes a text as one word of a shell command, if necessary.
std::string ShellWord(std::string_view text);

// A separate page that asks for confirmation before an action that is hard to undo. The form has
// csrf, the hidden fields and, where the name must be typed, "typed". REQUIRES: frame.csrf.
struct ConfirmPage {
  // Words: confirm.KEY (the question), confirm.KEY_do (the consequence), confirm.KEY_yes (the
  // button); {what} in them is `what`.
  std::string_view key;
  std::string what;
  std::string action;        // where the form is sent; LocalPath applies
  std::string back = {};     // the cancel link; LocalPath applies
  std::string command = {};  // "": there is none
  bool must_type = false;    // `what` must be typed
  std::string typed = {};    // as typed before
  FormErrors errors = {};
  std::vector<HiddenField> hidden = {};
};
std::string RenderConfirm(const PageFrame& frame, const ConfirmPage& page);

}  // namespace koya::web
