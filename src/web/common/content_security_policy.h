// The Content-Security-Policy of pages: a page may only load and use what this server sends.
#pragma once

#include <string_view>

namespace koya::web {

enum class PageKind {
  kOrdinary,
  // The response to its form redirects to the client that waits on http://localhost:PORT, and
  // Chromium applies form-action to redirects too.
  kConsent,
};

// The value of the field Content-Security-Policy. It needs no hashes: no page has an inline script
// or style.
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
