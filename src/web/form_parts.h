// What forms have in common: what was wrong with what was sent, the fields themselves, the command
// that does the same, and the page that asks before something is done for good.
//
// A page with a form:
//   FormErrors errors;  errors.Add("name", "taken");         // words: form.taken
//   AddFormErrors(view, frame.language, errors);              // [[>_form_errors]] above the form
//   view.Maybe("f_name", FieldView(frame.language, errors, {.name = "name", .value = page.name}));
//   <div class="field"><label for="name">…</label>{{#f_name}}[[>_input]]{{/f_name}}
//   <p class="hint" id="name_hint">…</p></div>
// Problems lead to their fields, fields say what is wrong with them, and keep what was typed.
// Pure and thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "web/page_frame.h"
#include "web/refusal.h"

namespace koya::web {

// A field of a form that the reader does not see.
struct HiddenField {
  std::string name;
  std::string value;
};

struct FormProblem {
  std::string field;  // its name and id; "": of the whole form
  std::string word;   // words: "form.WORD"; "": `refusal`
  Refusal refusal;    // of a service
};

// What is wrong with a form that was sent, in the order of its fields; empty: nothing.
class FormErrors {
 public:
  // In words of ours, "form.WORD". REQUIRES: there are such words, without names to be filled in.
  FormErrors& Add(std::string field, std::string word);
  // What a service says, and before it what kind of refusal that is, in the reader's language.
  FormErrors& Say(std::string field, Refusal refusal);

  bool empty() const { return problems_.empty(); }
  bool Has(std::string_view field) const;
  const std::vector<FormProblem>& problems() const { return problems_; }

 private:
  std::vector<FormProblem> problems_;
};

// Lines end as browsers send them, and are shown with "\n" alone: "\r" is a control character.
std::string WithPlainLines(std::string_view text);

// The fields of the piece _form_errors: a box with links to the fields.
void AddFormErrors(View& view, Language language, const FormErrors& errors);

// A line or some lines that are typed: pieces _input and _area, which say what is wrong with it.
// One of a list is chosen with _select, whose options the page adds:
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

// What was typed into a form that was not taken, as pages carry it to where it is filled in again.
struct KeptForm {
  std::string action;  // where it goes; LocalPath applies
  std::string text;    // base64url; "": nothing is carried
};
// The fields `kept` and `kept_at`, as hidden fields are named.
void AddKeptForm(View& view, const KeptForm& kept);

// Views for {{#hidden}}<input type="hidden" name="{{hidden_name}}"
// value="{{hidden_value}}">{{/hidden}}.
std::vector<View> HiddenViews(const std::vector<HiddenField>& fields);

// The piece _command: the `koya` command that does what the page does. A page has one at most.
void AddCommand(View& view, std::string_view command);
// A text as one word of a shell's command: as it is, or in quotes.
std::string ShellWord(std::string_view text);

// Asks before something is done that is not undone so easily, on a page of its own. The form has
// csrf, the hidden fields and, where the name must be typed, "typed". REQUIRES: frame.csrf.
struct ConfirmPage {
  // Words: confirm.KEY (the question), confirm.KEY_do (what comes of it), confirm.KEY_yes (the
  // button); {what} in them is `what`.
  std::string_view key;
  std::string what;
  std::string action;        // where the form is sent; LocalPath applies
  std::string back = {};     // where whoever changes their mind goes; the same
  std::string command = {};  // "": no command does it
  bool must_type = false;    // `what` must be typed
  std::string typed = {};    // as typed before
  FormErrors errors = {};
  std::vector<HiddenField> hidden = {};
};
std::string RenderConfirm(const PageFrame& frame, const ConfirmPage& page);

}  // namespace koya::web
