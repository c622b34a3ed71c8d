// Checks whether a registry implements the module and provider protocols as the clients expect.
// Pure: responses in, findings out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/finding.h"
#include "doctor/recorded_answer.h"
#include "domain/digest.h"
#include "domain/version.h"
#include "http/url.h"

namespace koya::doctor {

// Checks the response for something that cannot exist: 404 with a JSON document is correct.
Finding JudgeUnknown(const std::string& step, const RecordedAnswer& exchange, bool token_was_sent);

struct VersionsVerdict {
  Findings findings;
  std::optional<Version> newest;  // the version that clients would choose; not a prerelease
};
VersionsVerdict JudgeVersions(const RecordedAnswer& exchange, bool token_was_sent);

enum class ClientKind { kTerraform, kOpenTofu };

struct ArchiveLocation {
  http::Url url;                   // without parameters for the client's fetcher
  std::optional<Digest> checksum;  // of "?checksum=sha256:…"
  std::string suffix;              // ".tar.gz" or ".zip"
  friend bool operator==(const ArchiveLocation&, const ArchiveLocation&) = default;
};
struct DownloadVerdict {
  Findings findings;
  std::optional<ArchiveLocation> archive;  // absent when it is not an archive over http(s)
};
// Checks the response of …/:version/download as the given client reads it.
DownloadVerdict JudgeDownload(const RecordedAnswer& exchange, ClientKind client);

struct ArchiveFacts {
  unsigned head_status = 0;
  unsigned status = 0;
  std::uint64_t size = 0;
  std::string first_bytes;  // at least four, if there are
  Digest digest = Digest::Of("");
};
Findings JudgeArchive(const ArchiveLocation& location, const ArchiveFacts& facts);

}  // namespace koya::doctor
