// What was typed into a form, while somebody signs in first or the form is made anew: short fields
// go in the address of the page that has the form, and with one that is long all go as one hidden
// field from page to page, until a POST brings them to where the form was sent. They are no
// secrets: nobody but the browser keeps them, and all that comes of them is a form that is filled
// in.
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
class Visit;

inline constexpr std::string_view kKeptField = "kept";       // the hidden field
inline constexpr std::string_view kKeptAtField = "kept_at";  // where it goes, in the sign-in form
// Of one field that goes in an address, in bytes; and of all that go as a hidden field, encoded.
// With it the sign-in form is below Form::kMostBytes.
inline constexpr std::size_t kMostInAddress = 300;
inline constexpr std::size_t kMostKeptBytes = std::size_t{40} << 10;

// `path` with those fields of the form as its query, those that were cleared too: the form that is
// there reads them, and begins with what was typed. Names of secrets are never among `kept`; what
// is longer than `most` is left out, and what looks like a token or a private key.
std::string RefilledPath(std::string_view path, const Form& form,
                         std::span<const std::string_view> kept, std::size_t most = kMostInAddress);

// Whether one of those fields is too long for an address.
bool IsLongForm(const Form& form, std::span<const std::string_view> kept);

// Those fields as one text in base64url; "": there are none. The first that are too much together
// are left out, and what looks like a token or a private key.
std::string KeepForm(const Form& form, std::span<const std::string_view> kept);
// Fails (kInvalid): KeepForm made no such text.
Result<Form> ReadKeptForm(std::string_view text);

// 401: the page to sign in on, which keeps the form. `to`: the address of the page that has it, for
// who signs in with a provider. `visit` outlives it.
Awaitable<http::Response> AskToSignIn(Visit& visit, std::string to, web::KeptForm kept);

}  // namespace koya::api
