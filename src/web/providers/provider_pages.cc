#include "web/providers/provider_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/percent_encoding.h"
#include "domain/provider_address.h"
#include "inspect/documents.h"
#include "markup/fragment.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/words.h"
#include "web/providers/doc_groups.h"

namespace koya::web {
namespace {

constexpr UnixSeconds kOneDay = 86'400;
constexpr UnixSeconds kSoonEnds = 90 * kOneDay;
constexpr std::size_t kDigitsOfGroup = 4;

// "7B210FA49E5CD388" as people compare it: "7B21 0FA4 9E5C D388".
std::string Grouped(std::string_view digits) {
  std::string text;
  for (std::size_t at = 0; at < digits.size(); at += kDigitsOfGroup) {
    if (at > 0) text += ' ';
    text += digits.substr(at, kDigitsOfGroup);
  }
  return text;
}

// What names a key on the page of keys: of a fingerprint all of it.
std::string AnchorOf(std::string_view fingerprint) {
  std::string anchor;
  for (char c : fingerprint) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (plain) anchor += c;
  }
  return anchor;
}

std::string FirstOf(const std::vector<std::string>& texts) {
  return texts.empty() ? std::string() : texts.front();
}

// The two lines of a column's head.
View ColumnView(const std::string& platform) {
  const std::size_t end = std::min(platform.find('_'), platform.size());
  return View()
      .Text("column_os", platform.substr(0, end))
      .Text("column_arch", platform.substr(std::min(end + 1, platform.size())));
}

View CellView(PlatformState state) {
  return View()
      .Flag("is_here", state == PlatformState::kHere)
      .Flag("is_elsewhere", state == PlatformState::kElsewhere)
      .Flag("is_not_built", state == PlatformState::kNotBuilt);
}

std::vector<View> MatrixViews(const PageFrame& frame, const ProviderPage& page) {
  std::vector<View> rows;
  rows.reserve(page.rows.size());
  for (const MatrixRow& row : page.rows) {
    std::vector<View> cells;
    cells.reserve(row.states.size());
    for (PlatformState state : row.states) cells.push_back(CellView(state));
    View view;
    view.Text("row_version", row.release.version)
        .Text("row_path", ProviderVersionPath(page.head.name, row.release.version))
        .Flag("is_latest", row.release.is_latest)
        .Flag("is_deprecated", row.release.is_deprecated)
        .Flag("has_row_date", row.release.published_at != 0)
        .List("cells", std::move(cells));
    AddTime(view, "row", frame.language, row.release.published_at);
    rows.push_back(std::move(view));
  }
  return rows;
}

std::vector<View> PackageViews(const ProviderPage& page) {
  std::vector<View> views;
  views.reserve(page.packages.size());
  for (const ShownPackage& package : page.packages) {
    views.push_back(View()
                        .Text("package_platform", package.platform)
                        .Text("package_size", package.size == 0 ? "" : SizeText(package.size))
                        .Text("package_h1", FirstOf(package.h1))
                        .Text("package_sha256", package.sha256)
                        .Flag("is_kept", package.is_here));
  }
  return views;
}

// Path of one key on the page of keys.
std::string KeyPath(const ProviderName& name, const std::string& fingerprint) {
  return ProviderPath(name) + "/keys#key-" + AnchorOf(fingerprint);
}

// The versions that the key signed: the newest by name, all of them as a list.
void AddSigned(View& view, const ProviderName& name, const ShownKey& key) {
  std::vector<View> versions;
  for (const std::string& version : key.newest_signed) {
    versions.push_back(View()
                           .Text("signed_version", version)
                           .Text("signed_path", ProviderVersionPath(name, version)));
  }
  const std::uint64_t more = key.releases - std::min(key.releases, key.newest_signed.size());
  view.Text("key_releases", key.releases == 0 ? "" : NumberText(key.releases))
      .List("signed_versions", std::move(versions))
      .Text("signed_more", more == 0 ? "" : NumberText(more))
      .Text("signed_more_path", PathWith(ProviderPath(name) + "/versions", "filter",
                                         std::string(kSignedByKey) + key.fingerprint));
}

// `now`: from when on the days left are counted.
View KeyView(const PageFrame& frame, const ProviderName& name, const ShownKey& key,
             UnixSeconds now) {
  const UnixSeconds left = key.expires_at - now;
  const bool ends = key.expires_at != 0;
  View view;
  view.Text("key_id", Grouped(key.key_id))
      .Text("key_fingerprint", Grouped(key.fingerprint))
      .Text("key_anchor", AnchorOf(key.fingerprint))
      .Text("key_path", name.host.empty() ? KeyPath(name, key.fingerprint) : "")
      .Text("key_holder", FirstOf(key.user_ids))
      .Text("key_algorithm", key.algorithm)
      .Text("key_added_by", key.added_by)
      .Flag("is_server_made", key.server_made)
      .Flag("has_created", key.created_at != 0)
      .Flag("has_added", key.added_at != 0)
      .Flag("has_end", ends)
      .Flag("has_ended", ends && left <= 0)
      .Flag("is_removed", key.removed_at != 0)
      .Flag("is_in_use", key.removed_at == 0 && (!ends || left > 0))
      .Text("key_left", ends && key.removed_at == 0 && left > 0 && left < kSoonEnds
                            ? DurationText(frame.language, std::chrono::seconds(left))
                            : "");
  AddSigned(view, name, key);
  std::vector<View> holders;
  for (const std::string& id : key.user_ids) holders.push_back(View().Text("user_id", id));
  view.List("user_ids", std::move(holders));
  AddTime(view, "key_created", frame.language, key.created_at);
  AddTime(view, "key_added", frame.language, key.added_at);
  AddTime(view, "key_end", frame.language, key.expires_at);
  AddTime(view, "key_removed", frame.language, key.removed_at);
  return view;
}

std::vector<View> DocKindViews(const ProviderPage& page) {
  std::vector<View> views;
  const std::string docs = ProviderVersionPath(page.head.name, page.head.version) + "/docs";
  for (std::string_view kind : kDocKinds) {
    auto found = std::ranges::find(page.doc_kinds, kind, &DocKindCount::kind);
    if (found == page.doc_kinds.end()) continue;
    const DocKindCount& each = *found;
    View view;
    view.Text("kind_path", each.kind == "overview"
                               ? docs
                               : docs + "?group=" + PercentEncode("kind:" + each.kind))
        .Text("kind_pages", NumberText(each.pages));
    AddDocKind(view, each.kind);
    views.push_back(std::move(view));
  }
  return views;
}

std::string UsageBlock(const ProviderPage& page) {
  return fmt::format(
      "terraform {{\n  required_providers {{\n    {} = {{\n      source  = \"{}\"\n"
      "      version = \"{}\"\n    }}\n  }}\n}}",
      ProviderLocalName(page.head.name.type), page.source, page.constraint);
}

std::vector<View> ColumnViews(const ProviderPage& page) {
  std::vector<View> views;
  for (const std::string& platform : page.platforms) views.push_back(ColumnView(platform));
  return views;
}

View VersionRowView(const PageFrame& frame, const ProviderVersionsPage& page,
                    const VersionRow& row) {
  const std::string path = ProviderVersionPath(page.head.name, row.release.version);
  View view;
  view.Text("row_version", row.release.version)
      .Text("row_path", path)
      .Text("row_publisher", row.published_by)
      .Text("row_platforms", NumberText(row.platforms))
      .Text("row_deprecation", row.deprecation)
      .Text("row_lang", inspect::GuessLanguage(row.deprecation))
      .Text("row_key", Grouped(row.key_id))
      .Text("row_key_path", KeyPath(page.head.name, row.key_fingerprint))
      .Flag("is_latest", row.release.is_latest)
      .Flag("is_deprecated", row.release.is_deprecated)
      .Flag("is_kept", row.is_here)
      .Text("deprecate_path", page.may_deprecate ? path + "/deprecate" : "")
      .Text("withdraw_path", page.may_withdraw ? path + "/withdraw" : "")
      .Flag("has_row_date", row.release.published_at != 0);
  AddTime(view, "row", frame.language, row.release.published_at);
  return view;
}

View WithdrawnView(const PageFrame& frame, const WithdrawnRow& row) {
  View view;
  view.Text("withdrawn_version", row.version)
      .Text("withdrawn_reason", row.reason)
      .Text("reason_lang", inspect::GuessLanguage(row.reason));
  AddTime(view, "withdrawn", frame.language, row.withdrawn_at);
  return view;
}

}  // namespace

std::string LockEntry(const ProviderPage& page) {
  std::vector<std::string> hashes;
  for (const ShownPackage& package : page.packages) {
    hashes.insert(hashes.end(), package.h1.begin(), package.h1.end());
    hashes.push_back("zh:" + package.sha256);
  }
  std::ranges::sort(hashes);  // as clients write them
  const auto same = std::ranges::unique(hashes);
  hashes.erase(same.begin(), same.end());
  std::string entry = fmt::format(
      "provider \"{}\" {{\n  version     = \"{}\"\n  constraints = \"{}\"\n"
      "  hashes = [\n",
      page.source, page.head.version, page.constraint);
  for (const std::string& hash : hashes) entry += fmt::format("    \"{}\",\n", hash);
  return entry + "  ]\n}";
}

std::string RenderProvider(const PageFrame& frame, const ProviderPage& page) {
  const auto lacks_h1 = [](const ShownPackage& package) { return package.h1.empty(); };
  const auto elsewhere = [](const MatrixRow& row) {
    return std::ranges::count(row.states, PlatformState::kElsewhere) > 0;
  };
  View view = FrameView(frame);
  AddProviderHead(view, page.head, ProviderTab::kOverview, frame.language);
  view.Maybe("usage_block",
             CodeView("usage", "versions.tf", markup::Fragment::Hcl(UsageBlock(page))))
      .Maybe("lock_block",
             CodeView("lock", ".terraform.lock.hcl", markup::Fragment::Hcl(LockEntry(page))))
      .List("columns", ColumnViews(page))
      .List("rows", MatrixViews(frame, page))
      .Text("more_platforms", page.more_platforms == 0 ? "" : NumberText(page.more_platforms))
      .Flag("has_elsewhere", std::ranges::any_of(page.rows, elsewhere))
      .Text("platform_count", NumberText(page.packages.size()))
      .Flag("lacks_h1", std::ranges::any_of(page.packages, lacks_h1))
      .Flag("has_packages", !page.packages.empty())
      .List("packages", PackageViews(page))
      .Maybe("key", page.key ? std::optional(KeyView(frame, page.head.name, *page.key, page.now))
                             : std::nullopt)
      .Flag("is_mirrored", !page.head.name.host.empty())
      .Flag("has_doc_kinds", !page.doc_kinds.empty())
      .List("doc_kinds", DocKindViews(page));
  return RenderTemplate("provider", frame.language, view);
}

std::string RenderProviderVersions(const PageFrame& frame, const ProviderVersionsPage& page) {
  View view = FrameView(frame);
  AddProviderHead(view, page.head, ProviderTab::kVersions, frame.language);
  std::vector<View> rows;
  for (const VersionRow& row : page.rows) rows.push_back(VersionRowView(frame, page, row));
  std::vector<View> withdrawn;
  for (const WithdrawnRow& row : page.withdrawn) withdrawn.push_back(WithdrawnView(frame, row));
  view.Text("filter", page.filter)
      .Flag("has_rows", !rows.empty())
      .List("rows", std::move(rows))
      .Text("found", NumberText(page.part.total))
      .Flag("is_mirrored", !page.head.name.host.empty())
      .Flag("has_checked", page.checked_at != 0)
      .Flag("has_actions", page.may_deprecate || page.may_withdraw)
      .Flag("has_withdrawn", !withdrawn.empty())
      .List("withdrawn", std::move(withdrawn))
      .Text("withdrawn_count", NumberText(page.all_withdrawn));
  AddMoment(view, "checked", frame.language, page.checked_at);
  AddPager(view, page.part, page.path);
  return RenderTemplate("provider_versions", frame.language, view);
}

std::string RenderProviderKeys(const PageFrame& frame, const ProviderKeysPage& page) {
  View view = FrameView(frame);
  AddProviderHead(view, page.head, ProviderTab::kKeys, frame.language);
  std::vector<View> keys;
  for (const ShownKey& key : page.keys) {
    keys.push_back(KeyView(frame, page.head.name, key, page.now));
  }
  view.List("keys", std::move(keys))
      .Text("left_out",
            page.all_keys > page.keys.size() ? NumberText(page.all_keys - page.keys.size()) : "");
  return RenderTemplate("provider_keys", frame.language, view);
}

std::string RenderProviderVersionMissing(const PageFrame& frame,
                                         const ProviderVersionMissingPage& page) {
  View view = FrameView(frame);
  view.Text("provider_ns", page.head.name.ns)
      .Text("provider_type", page.head.name.type)
      .Text("title_provider", TitleText(page.head.name.ns + "/" + page.head.name.type))
      .Text("wanted", page.wanted)
      .Text("latest", page.head.latest)
      .Text("latest_path", ProviderPath(page.head.name))
      .Text("nearest", page.nearest == page.head.latest ? "" : page.nearest)
      .Text("nearest_path",
            page.nearest.empty() ? "" : ProviderVersionPath(page.head.name, page.nearest))
      .Text("versions_path", ProviderPath(page.head.name) + "/versions")
      .Text("successor", page.withdrawn ? page.withdrawn->successor : "")
      .Text("successor_path", page.withdrawn && !page.withdrawn->successor.empty()
                                  ? ProviderVersionPath(page.head.name, page.withdrawn->successor)
                                  : "")
      .Flag("is_unknown", !page.withdrawn)
      .Maybe("withdrawn",
             page.withdrawn ? std::optional(WithdrawnView(frame, *page.withdrawn)) : std::nullopt);
  return RenderTemplate("provider_missing", frame.language, view);
}

}  // namespace koya::web
