#include "web/providers/provider_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/encoding.h"
#include "domain/provider_address.h"
#include "markup/fragment.h"
#include "web/common/page_paths.h"
#include "web/common/template_engine.h"
#include "web/common/view.h"
#include "web/providers/provider_docs_pages.h"

namespace koya::web {
namespace {

constexpr std::size_t kMostProtocolsShown = 6;

std::string ProtocolsText(const std::vector<std::string>& protocols) {
  std::string text;
  for (std::size_t i = 0; i < protocols.size() && i < kMostProtocolsShown; ++i) {
    text += (text.empty() ? "" : ", ") + protocols[i];
  }
  return text;
}

}  // namespace

std::string ProviderPath(const ProviderName& name) {
  const std::string address = name.ns + "/" + name.type;
  if (name.host.empty()) return ProviderPath(address);
  return "/-/mirror" + ProviderPath(name.host + "/" + address);
}

std::string ProviderVersionPath(const ProviderName& name, std::string_view version) {
  return ProviderPath(name) + "/" + PercentEncode(version);
}

KOYA_VIEW(ProviderHead, latest, is_prerelease, signature, published_at, published_by, fetches,
          deprecation, docs, hold);

void AddProviderHead(View& view, const ProviderHead& head, ProviderTab tab) {
  const std::string base = ProviderPath(head.name);
  const std::string of_version = ProviderVersionPath(head.name, head.version);
  view.Of(head)
      .Set("provider_ns", head.name.ns)
      .Set("provider_type", head.name.type)
      .Set("provider_host", head.name.host)
      .Set("provider_description", head.description)
      .Set("shown_version", head.version)
      .Set("base_path", base)
      .Set("twin_path", of_version)
      .Set("overview_path", head.version == head.latest ? base : of_version)
      .Set("latest_path", head.menu_end.empty()
                              ? base
                              : ProviderVersionPath(head.name, head.latest) + head.menu_end)
      .Set("is_older", head.version != head.latest && !head.is_prerelease)
      .Set("protocols", ProtocolsText(head.protocols))
      .Set("tab", tab)
      .Set("visibility", VisibilityWord(head.visibility))
      .Set("may_deprecate", head.rights.may_deprecate)
      .Set("may_withdraw", head.rights.may_withdraw)
      .Set("version_path", of_version)
      .Set("versions_count", head.versions)
      .Set("keys_count", head.keys)
      .List("menu", head.menu, [&head](const ShownRelease& each) {
        return View()
            .Of(each)
            .Set("menu_path", ProviderVersionPath(head.name, each.version) + head.menu_end)
            .Set("is_shown", each.version == head.version);
      });
  AddOwners(view, head.owners);
  AddSource(view, head.source);
}

void PlaceProviderPage(PageFrame& frame, const ProviderHead& head, std::string path) {
  const ProviderName& name = head.name;
  if (name.host.empty()) {
    frame.current = Section::kProviders;
    frame.crumbs = {{name.ns, NamespacePath(name.ns)}};
    frame.feed = ProviderFeedPath(name.ns + "/" + name.type);
  } else {
    frame.current = Section::kMirror;
    frame.crumbs = {{name.host, "/-/mirror/packages?q=" + PercentEncode(name.host)}};
  }
  frame.canonical = std::move(path);
  frame.description = head.description;
}

KOYA_VIEW(ShownPackage, platform, size, sha256);
KOYA_VIEW(DocKindCount, kind, pages);
KOYA_VIEW(VersionRow, published_by, platforms, is_here, deprecation, hold);
KOYA_VIEW(WithdrawnRow, version, withdrawn_at, reason, successor);
KOYA_VIEW(ProviderVersionsPage, filter, withdrawn, all_withdrawn, checked_at);

namespace {

constexpr std::chrono::days kSoonEnds{90};
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
      .Set("column_os", platform.substr(0, end))
      .Set("column_arch", platform.substr(std::min(end + 1, platform.size())));
}

// Path of one key on the page of keys.
std::string KeyPath(const ProviderName& name, const std::string& fingerprint) {
  return ProviderPath(name) + "/keys#key-" + AnchorOf(fingerprint);
}

// `now`: from when on the days left are counted.
View KeyView(const PageFrame& frame, const ProviderName& name, const ShownKey& key,
             UnixSeconds now) {
  const SigningKeyRecord& record = key.record;
  const UnixSeconds ends = record.expires_at.value_or(0);
  const bool has_ended = ends != 0 && ends <= now;
  const bool is_removed = record.removed_at.value_or(0) != 0;
  return View()
      .Of(record)
      .Set("user_ids", record.user_ids)
      .Set("created_at", record.created_at)
      .Set("key_id", Grouped(record.key_id))
      .Set("key_fingerprint", Grouped(record.fingerprint))
      .Set("key_anchor", AnchorOf(record.fingerprint))
      .Set("key_path", name.host.empty() ? KeyPath(name, record.fingerprint) : "")
      .Set("key_holder", FirstOf(record.user_ids))
      .Set("has_ended", has_ended)
      .Set("is_in_use", !is_removed && !has_ended)
      .Set("key_left", is_removed ? "" : LeftText(frame.language, ends, now, kSoonEnds))
      .Set("key_releases", key.releases)
      .List("signed_versions", key.newest_signed,
            [&name](const std::string& version) {
              return View()
                  .Set("signed_version", version)
                  .Set("signed_path", ProviderVersionPath(name, version));
            })
      .Set("signed_more", key.releases - std::min(key.releases, key.newest_signed.size()))
      .Set("signed_more_path", PathWith(ProviderPath(name) + "/versions", "filter",
                                        std::string(kSignedByKey) + record.fingerprint));
}

std::vector<View> DocKindViews(const ProviderPage& page) {
  std::vector<View> views;
  for (std::string_view kind : kDocKinds) {
    auto found = std::ranges::find(page.doc_kinds, kind, &DocKindCount::kind);
    if (found != page.doc_kinds.end()) views.push_back(View().Of(*found));
  }
  return views;
}

std::string UsageBlock(const ProviderPage& page) {
  return fmt::format(
      "terraform {{\n  required_providers {{\n    {} = {{\n      source  = \"{}\"\n"
      "      version = \"{}\"\n    }}\n  }}\n}}",
      ProviderLocalName(page.head.name.type), page.source, page.constraint);
}

View VersionRowView(const ProviderVersionsPage& page, const VersionRow& row) {
  return View()
      .Of(row)
      .Set("row_version", row.release.version)
      .Set("row_path", ProviderVersionPath(page.head.name, row.release.version))
      .Set("row_at", row.release.published_at)
      .Set("is_latest", row.release.is_latest)
      .Set("row_key", Grouped(row.key_id))
      .Set("row_key_path", KeyPath(page.head.name, row.key_fingerprint));
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
  AddProviderHead(view, page.head, ProviderTab::kOverview);
  view.Set("usage_block", CodeView("usage", "versions.tf", markup::Fragment::Hcl(UsageBlock(page))))
      .Set("lock_block",
           CodeView("lock", ".terraform.lock.hcl", markup::Fragment::Hcl(LockEntry(page))))
      .List("columns", page.platforms, ColumnView)
      .List("rows", page.rows,
            [&page](const MatrixRow& row) {
              return View()
                  .Of(row.release)
                  .Set("row_path", ProviderVersionPath(page.head.name, row.release.version))
                  .Set("cells", row.states);
            })
      .Set("more_platforms", page.more_platforms)
      .Set("has_elsewhere", std::ranges::any_of(page.rows, elsewhere))
      .Set("platform_count", page.packages.size())
      .Set("lacks_h1", std::ranges::any_of(page.packages, lacks_h1))
      .List("packages", page.packages,
            [](const ShownPackage& package) {
              return View().Of(package).Set("package_h1", FirstOf(package.h1));
            })
      .Set("key", page.key ? std::optional(KeyView(frame, page.head.name, *page.key, page.now))
                           : std::nullopt)
      .List("doc_kinds", DocKindViews(page));
  AddAttachments(view, page.attachments);
  return RenderTemplate("provider", frame.language, view);
}

std::string RenderProviderVersions(const PageFrame& frame, const ProviderVersionsPage& page) {
  View view = FrameView(frame);
  AddProviderHead(view, page.head, ProviderTab::kVersions);
  view.Of(page)
      .List("rows", page.rows, [&page](const VersionRow& row) { return VersionRowView(page, row); })
      .Set("found", page.part.total)
      .Set("has_actions", page.head.rights.may_deprecate || page.head.rights.may_withdraw);
  AddPager(view, page.part, page.path);
  return RenderTemplate("provider_versions", frame.language, view);
}

std::string RenderProviderKeys(const PageFrame& frame, const ProviderKeysPage& page) {
  View view = FrameView(frame);
  AddProviderHead(view, page.head, ProviderTab::kKeys);
  view.List("keys", page.keys,
            [&](const ShownKey& key) { return KeyView(frame, page.head.name, key, page.now); })
      .Set("left_out", page.all_keys - std::min<std::uint64_t>(page.all_keys, page.keys.size()));
  return RenderTemplate("provider_keys", frame.language, view);
}

std::string RenderProviderVersionMissing(const PageFrame& frame,
                                         const ProviderVersionMissingPage& page) {
  View view = FrameView(frame);
  view.Set("provider_ns", page.head.name.ns)
      .Set("provider_type", page.head.name.type)
      .Set("base_path", ProviderPath(page.head.name))
      .Set("wanted", page.wanted)
      .Set("latest", page.head.latest)
      .Set("nearest", page.nearest == page.head.latest ? "" : page.nearest)
      .Set("restore_path",
           page.head.rights.may_withdraw && page.withdrawn
               ? ProviderVersionPath(page.head.name, page.withdrawn->version) + "/restore"
               : "")
      .Set("withdrawn", page.withdrawn);
  return RenderTemplate("provider_missing", frame.language, view);
}

}  // namespace koya::web
