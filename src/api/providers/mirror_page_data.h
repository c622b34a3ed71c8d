// Data of the pages of mirrored providers, read from this server alone: no page fetches anything
// from upstream.
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
#include "web/common/view.h"

namespace koya::service {
struct VerdictSummary;
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

// A version known here: listed by its registry, pinned, or both.
struct MirroredVersion {
  Version version;
  std::vector<Platform> platforms;  // as its registry lists them; empty: unknown
};

struct MirroredView {
  UpstreamProvider provider;
  std::vector<MirroredVersion> versions;  // newest first; not empty
  Version latest;
  Version shown;
  std::optional<UpstreamRelease> release;   // of `shown`; nullopt: it is not pinned
  UnixSeconds checked_at = 0;               // when its registry confirmed the list; 0: never
  bool has_docs = false;                    // whether pages of docs may exist
  std::optional<web::ShownHold> hold = {};  // of `shown`
};

// The common head of all pages of the mirror.
Task<web::MirrorHead> ReadMirrorHead(Call& call);
// The frame of a page of the mirror at `path`.
web::PageFrame& PlaceMirrorPage(PageAnswer& answer, const Call& call, std::string path);

// The verdict of the rules, for display; `may_pull`: whether its registry may be asked.
web::ShownVerdict VerdictOf(const service::PullVerdict& verdict, bool may_pull);

// The earliest time of a check at which a list of versions counts as fresh.
UnixSeconds FreshSince(const Call& call);
// A row of a list of stored packages, without the number of fetches.
web::MirrorRow MirrorRowOf(const service::VerdictSummary& judged, bool is_module,
                           UnixSeconds fresh_since);

// The provider in {hostname}, {namespace} and `type`. Fails: kNotFound.
Result<UpstreamProvider> MirroredProviderOfPage(const Call& call, std::string_view type);

// `version`: nullopt for the newest. Fails: kNotFound: the provider, or that version, is unknown
// here.
Task<MirroredView> ReadMirroredView(Call& call, UpstreamProvider provider,
                                    std::optional<Version> version);

web::ProviderHead HeadOf(const MirroredView& view);
// The overview page. Reads the few versions that it shows.
Task<web::ProviderPage> OverviewOf(Call& call, const MirroredView& view);

}  // namespace koya::api
