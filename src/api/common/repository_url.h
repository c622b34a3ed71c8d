// The repository that a release was made from, for documents and updaters.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/common/provenance.h"
#include "base/result.h"
#include "domain/source_repository.h"
#include "wire/identity.h"

namespace koya::web {
struct ShownSource;
}

namespace koya::api {

// "https://github.com/acme/vpc": the page of the repository whose CI job published the release. The
// claims are the issuer's, which signed them: `repository` of GitHub (also Enterprise Server, whose
// issuer is https://HOST/_services/token), `project_path` of GitLab. "": no such job, or its claims
// make no plain https URL.
std::string RepositoryUrl(const wire::Provenance& provenance);

// The repository of a version that is being published: of the CI job whose claims are `provenance`
// (as stored), else the one that its publisher states (`stated`: a URL; "": none), whose folder
// counts in both cases. nullopt: not known. Fails: kRefused when `stated` is no URL of a
// repository, or of another one than the job's.
Result<std::optional<SourceRepository>> SourceToPublish(std::string_view provenance,
                                                        std::string_view stated);

// The repository of a published version. Ones from before it was stored have it in their claims.
template <class Record>
std::optional<SourceRepository> SourceOf(const Record& record) {
  if (record.source) return record.source;
  Result<SourceRepository> claimed =
      SourceRepository::Parse(RepositoryUrl(ProvenanceToWire(record.provenance)));
  if (!claimed) return std::nullopt;
  return *std::move(claimed);
}

// Its URL; "": not known.
inline std::string UrlOf(const std::optional<SourceRepository>& source) {
  return source ? source->url() : std::string();
}
// Its folder; "": the top one, or not known.
inline std::string DirectoryOf(const std::optional<SourceRepository>& source) {
  return source ? source->directory() : std::string();
}

// The page of the source of a version whose CI claims are `provenance`: at the commit that they
// name, if they name `source`, too; else the repository's. Empty without a source.
web::ShownSource ShownSourceOf(const std::optional<SourceRepository>& source,
                               const wire::Provenance& provenance);
// Its URL for documents.
std::string SourceUrl(const std::optional<SourceRepository>& source,
                      const wire::Provenance& provenance);

}  // namespace koya::api
