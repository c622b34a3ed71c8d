// Form fields that survive a sign-in or a new form: short ones go into the address of the page that
// has the form; if one is long, all go as one hidden field from page to page, until a POST brings
// them to the action of the form. They are not secrets: only the browser stores them, and all that
// comes of them is a form that is filled in.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/task.h"

namespace koya::http {
struct Response;
}
namespace koya::web {
struct KeptForm;
}

namespace koya::api {

class Form;
class PageContext;

inline constexpr std::string_view kKeptField = "kept";       // the hidden field
inline constexpr std::string_view kKeptAtField = "kept_at";  // its action, in the sign-in form
// Limits in bytes: of one field in an address; and of all fields in a hidden field, encoded. With
// it the sign-in form stays below Form::kMostBytes.
inline constexpr std::size_t kMostInAddress = 300;
inline constexpr std::size_t kMostKeptBytes = std::size_t{40} << 10;

// `path` with the `kept` fields of the form as its query, cleared ones included: the form on that
// page reads them and starts with the typed values. `kept` never names secrets; values longer than
// `most`, and values that look like a token or a private key, are left out.
std::string RefilledPath(std::string_view path, const Form& form,
                         std::span<const std::string_view> kept, std::size_t most = kMostInAddress);

// True if one of those fields is too long for an address.
bool IsLongForm(const Form& form, std::span<const std::string_view> kept);

// Encodes those fields as one text in base64url; "": there are none. Fields over the total limit
// are left out, as are values that look like a token or a private key.
std::string KeepForm(const Form& form, std::span<const std::string_view> kept);
// Fails: kInvalid: not a text from KeepForm.
Result<Form> ReadKeptForm(std::string_view text);

// 401: the sign-in page, which carries the form along. `to`: the address of the page that has the
// form, for a sign-in with another provider. `visit` must outlive it.
Awaitable<http::Response> AskToSignIn(PageContext& visit, std::string to, web::KeptForm kept);

}  // namespace koya::api
