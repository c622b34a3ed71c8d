// Renders the pages of signing in: sign-in, consent of `tofu login`, first run; and the
// administrator's pages of sign-in providers and their tests.
//
// Each page is a struct and a function that renders it as a whole HTML document. Texts may be
// anything: they are escaped, isolated and made well-formed. Pure and thread-safe.
// REQUIRES of pages with a form: frame.csrf is not empty.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "domain/access.h"
#include "domain/identity_record.h"
#include "web/common/form_parts.h"
#include "web/common/page_frame.h"
#include "web/common/refusal.h"

namespace koya::web {

// An OpenID Connect provider that users can sign in with.
struct SignInProvider {
  std::string label;
  std::string path;  // starts the sign-in; LocalPath applies
};

// Why the sign-in page is shown.
enum class SignInReason {
  kNone,
  kClientLogin,   // `tofu login` needs to identify the user
  kPage,          // to see `wanted`
  kFirstRunDone,  // the administrator `username` was created
};

enum class SignInProblem {
  kNone,
  kRefused,           // for any reason: no such user, wrong password, disabled
  kThrottled,         // too many attempts; `retry_after`
  kProviderFailed,    // `failed_provider` denied it, or its response is unusable
  kProviderDisabled,  // `failed_provider`
  kStaleForm,         // the form's csrf token has ended
};

// GET and POST /login; fields username, password, to and csrf.
struct SignInPage {
  std::string username;  // as typed before
  std::string to;        // where to go afterwards; LocalPath applies
  std::vector<SignInProvider> providers;
  bool has_local_accounts = true;  // false: no form, providers only
  SignInReason reason = SignInReason::kNone;
  std::string wanted;  // of kPage: "platform/network/aws"
  SignInProblem problem = SignInProblem::kNone;
  std::chrono::seconds retry_after{0};  // of kThrottled
  std::string failed_provider;          // of kProviderFailed: its label
  std::string request_id;               // of kProviderFailed
};
std::string RenderSignIn(const PageFrame& frame, const SignInPage& page);

// Shown after sign-out.
std::string RenderSignedOut(const PageFrame& frame);

// GET /oauth/authorize of a signed-in user, frame.account; fields decision=allow|deny, csrf and
// `hidden`, to POST /oauth/authorize. Needs ContentSecurityPolicy(kConsent).
struct ConsentPage {
  std::string host;          // of this registry, as clients name it
  std::string client_id;     // "terraform-cli"
  std::string redirect_uri;  // "http://localhost:10005/login"
  Scope scope = Scope::kRead;
  std::chrono::seconds life{0};  // of the token
  UnixSeconds ends = 0;          // expiry, if the token is created now
  std::vector<HiddenField> hidden;
};
std::string RenderConsent(const PageFrame& frame, const ConsentPage& page);

// After decision=deny: the client gets no response, since it would wait forever anyway. `host`: of
// this registry, as clients name it.
std::string RenderDenied(const PageFrame& frame, std::string_view host);

enum class FirstRunProblem {
  kToken,          // wrong, used, or older than an hour
  kUsername,       // not a valid account name
  kPasswordShort,  // fewer characters than password_min, or the user name
  kPasswordsDiffer,
  kName,       // not a name for the registry
  kThrottled,  // too many attempts; `retry_after`
  kStaleForm,  // the form's csrf token has ended
};

// GET and POST /-/first-run, while there is no administrator; fields token, username, password,
// password_again, name, visibility, csrf.
struct FirstRunPage {
  std::string username;                       // as typed before
  std::string name = {};                      // of the registry, as typed before
  bool asks_name = true;                      // false: the settings have one
  std::optional<Visibility> visibility = {};  // as chosen before
  bool asks_visibility = true;                // false: the settings decide it for new namespaces
  std::vector<FirstRunProblem> problems;      // each at most once
  unsigned password_min = 0;                  // characters
  std::chrono::seconds retry_after{0};        // of kThrottled
};
std::string RenderFirstRun(const PageFrame& frame, const FirstRunPage& page);

// ---- the administrator's pages of sign-in providers and their tests

// GET /-/admin/sign-in, and POST: a new one. REQUIRES: frame.csrf.
struct AdminProvidersPage {
  std::vector<IdentityProviderRecord> providers = {};  // IdentityProviders::kMostProviders at most
  // Fields of the form, as typed; client_secret, which is never shown again, is another. `groups`
  // has a line THEIRS=OURS for each mapped group.
  std::string name = {}, issuer = {}, client_id = {}, groups_claim = {}, groups = {};
  FormErrors errors = {};
};
std::string RenderAdminProviders(const PageFrame& frame, const AdminProvidersPage& page);

// GET /-/admin/sign-in/{name}; POST to the same path tests the provider and enables a good one;
// with the field do=disable, disables it. REQUIRES: frame.csrf.
struct AdminProviderPage {
  struct Finding {
    bool good = false;
    std::string text;  // in English
  };
  static constexpr std::size_t kMostMappings = 50;

  IdentityProviderRecord provider;  // kMostMappings of its groups are shown
  std::string callback;             // where it sends users back to
  bool is_tested = false;
  std::vector<Finding> findings;
};
std::string RenderAdminProvider(const PageFrame& frame, const AdminProviderPage& page);

// Result of a trial sign-in, which creates no session.
struct AdminTrialPage {
  static constexpr std::size_t kMostGroups = 50;

  std::string provider;
  Refusal problem;  // why it failed; empty: it succeeded
  std::string wanted_name;
  std::vector<std::pair<std::string, std::string>> claims;
  std::vector<std::string> theirs;  // the provider's groups, kMostGroups at most
  std::vector<std::string> groups;  // resulting groups here, kMostGroups at most
  bool has_groups_claim = false;
};
std::string RenderAdminTrial(const PageFrame& frame, const AdminTrialPage& page);

}  // namespace koya::web
