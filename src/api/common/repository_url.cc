#include "api/common/repository_url.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "http/url.h"
#include "web/common/view.h"

namespace koya::api {
namespace {

constexpr std::string_view kGithubIssuer = "https://token.actions.githubusercontent.com";
constexpr std::string_view kEnterprisePath = "/_services/token";

std::string_view ClaimOf(const wire::Provenance& provenance, std::string_view name) {
  const auto found = provenance.find(std::string(name));
  return found == provenance.end() ? std::string_view() : std::string_view(found->second);
}

// "acme/vpc", "group/subgroup/vpc": nothing that another part of a URL could begin with.
bool IsRepositoryPath(std::string_view text) {
  auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/';
  };
  return std::ranges::all_of(text, is_plain) && text.contains('/') && !text.contains("//") &&
         !text.contains("..") && !text.starts_with('/') && !text.ends_with('/');
}

// "https://gitlab.example.com:8443" of an issuer; "" of one that is no https URL. User information
// is not part of an origin.
std::string IssuerOrigin(std::string_view issuer) {
  const Result<http::Url> url = http::ParseUrl(issuer);
  return url && url->scheme == "https" ? url->Origin() : std::string();
}

std::string JoinedUrl(std::string origin, std::string_view path) {
  if (origin.empty() || !IsRepositoryPath(path)) return {};
  return origin.append("/").append(path);
}

// Of git: SHA-1, or SHA-256.
bool IsCommit(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

std::string RepositoryUrl(const wire::Provenance& provenance) {
  const std::string_view issuer = ClaimOf(provenance, "iss");
  const std::string_view repository = ClaimOf(provenance, "repository");
  const bool is_github =
      issuer == kGithubIssuer || issuer.starts_with(std::string(kGithubIssuer) + "/");
  if (is_github) return JoinedUrl("https://github.com", repository);
  if (issuer.ends_with(kEnterprisePath)) return JoinedUrl(IssuerOrigin(issuer), repository);
  return JoinedUrl(IssuerOrigin(issuer), ClaimOf(provenance, "project_path"));
}

Result<std::optional<SourceRepository>> SourceToPublish(std::string_view provenance,
                                                        std::string_view stated) {
  std::optional<SourceRepository> claimed;
  if (auto url = SourceRepository::Parse(RepositoryUrl(ProvenanceToWire(provenance)))) {
    claimed = *std::move(url);
  }
  if (stated.empty()) return claimed;
  Result<SourceRepository> source = SourceRepository::Parse(stated);
  if (!source) return FailRefused("source_url cannot be stored: {}", source.error().message);
  // Forges compare without letter case.
  if (claimed && !EqualsIgnoreCase(claimed->url(), source->url())) {
    return FailRefused(
        "source_url is {}, but the CI job that publishes the version belongs to {}: leave "
        "source_url out, or publish from a job of that repository",
        source->url(), claimed->url());
  }
  if (!claimed || source->directory().empty()) return claimed ? claimed : *std::move(source);
  return SourceRepository::Parse(claimed->url() + "//" + source->directory());
}

web::ShownSource ShownSourceOf(const std::optional<SourceRepository>& source,
                               const wire::Provenance& provenance) {
  constexpr std::size_t kMostOfPath = 80;
  if (!source) return {};
  const std::string& url = source->url();
  const std::string_view path =
      std::string_view(url).substr(url.find('/', std::string_view("https://").size()) + 1);
  web::ShownSource shown{.url = url, .text = std::string(CutUtf8(path, kMostOfPath))};
  if (shown.text.size() < path.size()) shown.text += "…";
  const std::string_view commit = ClaimOf(provenance, "sha");
  if (!IsCommit(commit) || !EqualsIgnoreCase(RepositoryUrl(provenance), url)) return shown;
  const bool is_github = ClaimOf(provenance, "project_path").empty();
  shown.url.append(is_github ? "/tree/" : "/-/tree/").append(commit);
  if (!source->directory().empty()) shown.url.append("/").append(source->directory());
  shown.text.append(" @ ").append(commit.substr(0, 7));
  return shown;
}

std::string SourceUrl(const std::optional<SourceRepository>& source,
                      const wire::Provenance& provenance) {
  return ShownSourceOf(source, provenance).url;
}

}  // namespace koya::api
