// What a browser lets a page do: nothing but what the page itself brings from here.
#pragma once

#include <string_view>

namespace koya::web {

enum class PageKind {
  kOrdinary,
  // Its form is answered with a redirect to the client that waits on http://localhost:PORT, and
  // Chromium applies form-action to redirects too.
  kConsent,
};

// The value of the field Content-Security-Policy. There are no hashes to keep: no page has a script
// or a style of its own.
constexpr std::string_view ContentSecurityPolicy(PageKind kind) {
  switch (kind) {
    case PageKind::kOrdinary:
      return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
             "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    case PageKind::kConsent:
      return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
             "form-action 'self' http://localhost:*; base-uri 'none'; frame-ancestors 'none'";
  }
  return "default-src 'none'";
}

}  // namespace koya::web
