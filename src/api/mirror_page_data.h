// What pages of a provider of another registry are filled with: what is known here of it. Nothing
// is fetched for a page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/task.h"
#include "domain/platform.h"
#include "domain/upstream_record.h"
#include "domain/version.h"

namespace koya::service {
struct JudgedSummary;
struct PullVerdict;
}  // namespace koya::service
namespace koya::web {
struct MirrorHead;
struct MirrorRow;
struct PageFrame;
struct ProviderHead;
struct ProviderPage;
enum class ShownVerdict;
}  // namespace koya::web

namespace koya::api {

struct Call;
class PageAnswer;

// A version as it is known here: listed by its registry, pinned, or both.
struct MirroredVersion {
  Version version;
  std::vector<Platform> platforms;  // that its registry lists; empty: it does not say
};

struct MirroredView {
  UpstreamProvider provider;
  std::vector<MirroredVersion> versions;  // newest first; not empty
  Version latest;
  Version shown;
  std::optional<UpstreamRelease> release;  // of `shown`; nothing: it is not pinned
  UnixSeconds checked_at = 0;              // when its registry confirmed the list; 0: never
  bool has_docs = false;                   // whether there may be pages of docs
};

// What all pages of the mirror begin with.
Task<web::MirrorHead> ReadMirrorHead(Call& call);
// The frame of such a page, for `path`.
web::PageFrame& PlaceMirrorPage(PageAnswer& answer, const Call& call, std::string path);

// What the rules say of something; `may_pull`: whether its registry may be asked.
web::ShownVerdict VerdictOf(const service::PullVerdict& verdict, bool may_pull);

// From when on a list of versions counts as fresh.
UnixSeconds FreshSince(const Call& call);
// A row of a list of stored packages, without its fetches.
web::MirrorRow MirrorRowOf(const service::JudgedSummary& judged, bool is_module,
                           UnixSeconds fresh_since);

// {hostname}, {namespace} and `type`. Fails: kNotFound.
Result<UpstreamProvider> MirroredProviderOfPage(const Call& call, std::string_view type);

// `version`: nothing for the newest. Fails: kNotFound: nothing is known here of the provider, or of
// that version.
Task<MirroredView> ReadMirroredView(Call& call, UpstreamProvider provider,
                                    std::optional<Version> version);

web::ProviderHead HeadOf(const MirroredView& view);
// The overview. Reads the few versions that it shows.
Task<web::ProviderPage> OverviewOf(Call& call, const MirroredView& view);

}  // namespace koya::api
