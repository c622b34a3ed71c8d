#include "web/mirror/mirror_parts.h"

namespace koya::web {

void AddMirrorHead(View& view, const MirrorHead& head, MirrorTab tab) {
  view.Text("mirror_path", "/-/mirror")
      .Text("packages_path", "/-/mirror/packages")
      .Text("packages_count", NumberText(head.providers + head.modules))
      .Text("upstreams_path", "/-/mirror/upstreams")
      .Text("upstreams_count", NumberText(head.upstreams))
      .Text("policy_path", "/-/mirror/policy")
      .Text("rules_count", NumberText(head.rules))
      .Text("explain_path", "/-/mirror/explain")
      .Flag("tab_status", tab == MirrorTab::kStatus)
      .Flag("tab_packages", tab == MirrorTab::kPackages)
      .Flag("tab_upstreams", tab == MirrorTab::kUpstreams)
      .Flag("tab_policy", tab == MirrorTab::kPolicy)
      .Flag("tab_explain", tab == MirrorTab::kExplain);
}

void AddVerdict(View& view, ShownVerdict verdict, std::string_view rule) {
  view.Flag("is_allowed", verdict == ShownVerdict::kAllowed)
      .Flag("is_denied", verdict == ShownVerdict::kDenied)
      .Flag("is_not_listed", verdict == ShownVerdict::kNotListed)
      .Flag("is_kept_only", verdict == ShownVerdict::kStoredOnly)
      .Text("rule", rule)
      .Text("rule_path",
            verdict == ShownVerdict::kDenied ? "/-/mirror/policy#deny" : "/-/mirror/policy#allow");
}

}  // namespace koya::web
