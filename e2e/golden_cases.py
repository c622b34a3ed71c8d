"""The requests of golden_answers.py, by the pattern of the route. A name in angle brackets stands for a value that
differs from run to run (GoldenRegistry.values).
"""
import collections

# `fields`: of the request, by name.
Case = collections.namedtuple("Case", "path method fields", defaults=("GET", {}))

NET = "platform/network/aws"
LEDGER = "finance/ledger/aws"      # private
VAULT = "security/secrets/vault"   # internal
HOST = "kumo/inventory"
OTHER = "registry.terraform.io"
DEMO, NETWORK = f"{OTHER}/acme/demo", f"{OTHER}/acme/net/aws"
ARCHIVE = "terraform-provider-inventory_2.3.1_linux_amd64.zip"
DEMO_FILE = "terraform-provider-demo_1.0.0"
CSV, JSON, GZIP = {"Accept": "text/csv"}, {"Accept": "application/json"}, {"Accept-Encoding": "gzip"}
TOFU = {"User-Agent": "OpenTofu/1.10.6"}
AUTHORIZE = ("/oauth/authorize?client_id=terraform-cli&redirect_uri=http%3A%2F%2Flocalhost%3A10000%2Flogin"
             f"&response_type=code&state={'x' * 40}&code_challenge={'A' * 43}&code_challenge_method=S256")


def module_page(tab, *more):
    """A tab of a module's page: of the newest version, of a private module, and of a missing version."""
    pages = f"/modules/{NET}/4.2.0/{tab}", f"/modules/{LEDGER}/1.0.1/{tab}", f"/modules/{NET}/9.9.9/{tab}"
    return pages + tuple(f"/modules/{NET}/{each}" for each in more)


_MODULE = "/modules/{namespace}/{name}/{system}"
_PROVIDER = "/providers/{namespace}/{type}"
_MIRRORED = "/-/mirror/providers/{hostname}/{namespace}/{type}"
_ORIGIN = "/origin/{hostname}/v1"
_MIRROR_API = "/api/v1/mirror"
_USAGE = "/api/v1/usage"

CLIENTS = {
    "/.well-known/terraform.json": ("/.well-known/terraform.json", Case("/.well-known/terraform.json", fields=GZIP)),
    f"/v1{_MODULE}/versions": (
        f"/v1/modules/{NET}/versions", f"/v1/modules/{LEDGER}/versions", f"/v1/modules/{VAULT}/versions",
        "/v1/modules/platform/nothing/aws/versions", "/v1/modules/_/no%20name/aws/versions",
        Case(f"/v1/modules/{NET}/versions", fields=GZIP)),
    f"/v1{_MODULE}/{{version}}/download": (
        f"/v1/modules/{NET}/4.2.0/download", Case(f"/v1/modules/{NET}/4.2.0/download", fields=TOFU),
        Case(f"/v1/modules/{NET}/v3.1.1/download", fields=JSON), f"/v1/modules/{LEDGER}/1.0.1/download",
        f"/v1/modules/{NET}/3.0.0/download", f"/v1/modules/{NET}/9.9.9/download", f"/v1/modules/{NET}/x/download"),
    f"/download{_MODULE}/{{version}}/{{file}}": (
        f"/download/modules/{NET}/4.2.0/network-4.2.0.tar.gz", f"/download/modules/{NET}/4.2.0/aws.tar.gz",
        Case(f"/download/modules/{NET}/4.2.0/network-4.2.0.tar.gz", fields={"Range": "bytes=0-9"}),
        Case(f"/download/modules/{NET}/4.2.0/network-4.2.0.tar.gz", fields={"Range": "bytes=99999999-"}),
        f"/download/modules/{LEDGER}/1.0.1/ledger-1.0.1.tar.gz", "<linked>"),
    f"/v1{_PROVIDER}/versions": (f"/v1/providers/{HOST}/versions", "/v1/providers/kumo/nothing/versions"),
    f"/v1{_PROVIDER}/{{version}}/download/{{os}}/{{arch}}": (
        f"/v1/providers/{HOST}/2.3.1/download/linux/amd64", f"/v1/providers/{HOST}/2.3.1/download/plan9/amd64",
        f"/v1/providers/{HOST}/9.9.9/download/linux/amd64"),
    f"/download{_PROVIDER}/{{version}}/{{file}}": (
        f"/download/providers/{HOST}/2.3.1/{ARCHIVE}",
        f"/download/providers/{HOST}/2.3.1/terraform-provider-inventory_2.3.1_SHA256SUMS",
        f"/download/providers/{HOST}/2.3.1/terraform-provider-inventory_2.3.1_SHA256SUMS.sig",
        f"/download/providers/{HOST}/2.3.1/nothing.zip"),
    "/mirror/{hostname}/{namespace}/{type}/{file}": (
        f"/mirror/{DEMO}/index.json", f"/mirror/{DEMO}/1.0.0.json", f"/mirror/{DEMO}/9.9.9.json",
        f"/mirror/{OTHER}/acme/nothing/index.json", f"/mirror/{OTHER}/denied/demo/index.json",
        f"/mirror/registry.example.com/acme/demo/index.json", f"/mirror/koya.example.com/{HOST}/index.json",
        "/mirror/registry.opentofu.org/example-cloud/compute/5.3.0.json", f"/mirror/{DEMO}/nothing.txt"),
    "/mirror/{hostname}/{namespace}/{type}/{version}/{file}": (
        f"/mirror/{DEMO}/1.0.0/{DEMO_FILE}_linux_amd64.zip", f"/mirror/{DEMO}/1.0.0/{DEMO_FILE}_SHA256SUMS",
        f"/mirror/{DEMO}/1.0.0/{DEMO_FILE}_SHA256SUMS.sig", f"/mirror/{DEMO}/1.0.0/nothing.zip"),
    f"{_ORIGIN}{_PROVIDER}/versions": (
        f"/origin/{OTHER}/v1/providers/acme/demo/versions", f"/origin/{OTHER}/v1/providers/acme/nothing/versions",
        f"/origin/{OTHER}/v1/providers/denied/demo/versions", "/origin/nowhere.example.com/v1/providers/a/b/versions"),
    f"{_ORIGIN}{_PROVIDER}/{{version}}/download/{{os}}/{{arch}}": (
        f"/origin/{OTHER}/v1/providers/acme/demo/1.0.0/download/linux/amd64",
        f"/origin/{OTHER}/v1/providers/acme/demo/1.0.0/download/plan9/amd64",
        f"/origin/{OTHER}/v1/providers/denied/demo/1.0.0/download/linux/amd64"),
    f"{_ORIGIN}{_PROVIDER}/{{version}}/attachments/{{file}}": (
        f"/origin/{OTHER}/v1/providers/acme/demo/1.0.0/attachments/nothing.cdx.json",
        f"/origin/{OTHER}/v1/providers/denied/demo/1.0.0/attachments/nothing.cdx.json"),
    f"{_ORIGIN}{_MODULE}/versions": (
        f"/origin/{OTHER}/v1/modules/acme/net/aws/versions", f"/origin/{OTHER}/v1/modules/acme/nothing/aws/versions",
        f"/origin/{OTHER}/v1/modules/a/denied/aws/versions"),
    f"{_ORIGIN}{_MODULE}/{{version}}/download": (
        f"/origin/{OTHER}/v1/modules/acme/net/aws/1.0.0/download",
        Case(f"/origin/{OTHER}/v1/modules/acme/net/aws/1.0.0/download", fields=JSON),
        f"/origin/{OTHER}/v1/modules/acme/net/aws/9.9.9/download"),
    f"{_ORIGIN}{_MODULE}/{{version}}/{{file}}": (
        f"/origin/{OTHER}/v1/modules/acme/net/aws/1.0.0/net-1.0.0.tar.gz",
        f"/origin/{OTHER}/v1/modules/acme/net/aws/1.0.0/nothing.tar.gz"),
    "/origin/{hostname}/.well-known/terraform.json": (
        f"/origin/{OTHER}/.well-known/terraform.json", "/origin/-/.well-known/terraform.json"),
    f"/api/v1/renovate/modules/{{hostname}}/{{namespace}}/{{name}}/{{system}}": (
        f"/api/v1/renovate/modules/koya.example.com/{NET}", f"/api/v1/renovate/modules/koya.example.com/{LEDGER}",
        f"/api/v1/renovate/modules/koya.example.com/{VAULT}", f"/api/v1/renovate/modules/{NETWORK}",
        "/api/v1/renovate/modules/nowhere.example.com/a/b/c"),
    "/api/v1/renovate/providers/{hostname}/{namespace}/{type}": (
        f"/api/v1/renovate/providers/koya.example.com/{HOST}", f"/api/v1/renovate/providers/{DEMO}",
        f"/api/v1/renovate/providers/{OTHER}/denied/demo", "/api/v1/renovate/providers/koya.example.com/kumo/nothing"),
    # Documents that other registries have, too.
    "/v1/modules": ("/v1/modules", "/v1/modules?limit=2&offset=2", "/v1/modules?namespace=finance",
                    "/v1/modules?provider=vault", "/v1/modules?limit=0", "/v1/modules?limit=x"),
    "/v1/modules/search": ("/v1/modules/search?q=subnet", "/v1/modules/search", "/v1/modules/search?q=kind:nothing"),
    "/v1/modules/{namespace}": ("/v1/modules/data", "/v1/modules/finance", "/v1/modules/nobody"),
    "/v1/modules/{namespace}/{name}": ("/v1/modules/platform/network", "/v1/modules/platform/nothing"),
    f"/v1{_MODULE}": (f"/v1/modules/{NET}", f"/v1/modules/{LEDGER}", "/v1/modules/platform/network/google"),
    f"/v1{_MODULE}/download": (f"/v1/modules/{NET}/download", f"/v1/modules/{LEDGER}/download"),
    f"/v1{_MODULE}/{{version}}": (f"/v1/modules/{NET}/3.1.1", f"/v1/modules/{NET}/3.0.0", f"/v1/modules/{NET}/9.9.9"),
    f"/v2{_MODULE}/downloads/summary": (
        f"/v2/modules/{NET}/downloads/summary", f"/v2/modules/{LEDGER}/downloads/summary"),
    "/v1/providers": ("/v1/providers", "/v1/providers?limit=1000"),
    "/v1/providers/search": ("/v1/providers/search?q=inventory", "/v1/providers/search"),
    "/v1/providers/{namespace}": ("/v1/providers/kumo", "/v1/providers/nobody"),
    f"/v1{_PROVIDER}": (f"/v1/providers/{HOST}", "/v1/providers/kumo/nothing"),
    f"/v1{_PROVIDER}/{{version}}": (f"/v1/providers/{HOST}/1.9.8", f"/v1/providers/{HOST}/9.9.9"),
}
FRONT = {
    "/": ("/", Case("/", fields=GZIP), Case("/", fields={"Cookie": "lang=ja; theme=dark"})),
    "/login": ("/login", "/login?to=/-/settings"),
    "/oauth/authorize": (AUTHORIZE, "/oauth/authorize", AUTHORIZE.replace("localhost", "evil.example.com")),
    "/-/first-run": ("/-/first-run",),
    "/-/oidc/{name}/start": ("/-/oidc/kumo/start?to=/modules", "/-/oidc/nothing/start"),
    "/-/oidc/{name}/callback": ("/-/oidc/kumo/callback?error=access_denied&state=x", "/-/oidc/nothing/callback"),
    "/-/assets/{file}": ("/-/assets/<css>", "/-/assets/<js>", "/-/assets/<svg>", "/-/assets/nothing.css",
                         Case("/-/assets/<css>", fields=GZIP)),
    "/-/opensearch.xml": ("/-/opensearch.xml",),
    "/favicon.ico": ("/favicon.ico",),
    "/llms.txt": ("/llms.txt",),
    "/robots.txt": ("/robots.txt",),
    "/search": ("/search?q=subnet", "/search?q=network&sort=newest", "/search?q=zzyzx", "/search?q=netwrok",
                "/search?q=kind:nothing", "/search", "/search?q=ledger&kind=input", "/search?q=demo&page=2",
                "/search?q=trusted+publishing&kind=guide"),
    "/modules": ("/modules", "/modules?page=2", "/modules?q=zzyzx", "/modules?ns=finance", "/modules?sort=newest"),
    "/providers": ("/providers", "/providers?q=zzyzx"),
    "/-/setup": ("/-/setup", "/-/setup?tool=terraform&system=windows&purpose=mirror&sign_in=file",
                 "/-/setup?system=github"),
    "/-/cli/": ("/-/cli/", Case("/-/cli/", fields={"Accept": "text/html"})),
    "/-/cli/install.sh": ("/-/cli/install.sh",),
    "/-/cli/{file}": ("/-/cli/koya-linux-amd64.tar.gz",),
    "/-/settings": ("/-/settings",),
    "/-/notifications/end": ("/-/notifications/end?user=x&key=x",),
    "/-/notifications/confirm": ("/-/notifications/confirm?key=x",),
    "/-/notifications": ("/-/notifications", "/-/notifications?before=2"),
    "/-/settings/password": ("/-/settings/password",),
    "/-/settings/tokens": ("/-/settings/tokens",),
    "/-/settings/tokens/new": ("/-/settings/tokens/new",),
    "/-/settings/tokens/{name}/revoke": (
        "/-/settings/tokens/laptop-of-owner/revoke", "/-/settings/tokens/nothing/revoke"),
    "/-/feeds/{file}": ("/-/feeds/all.atom", "/-/feeds/platform.atom", "/-/feeds/finance.atom", "/-/feeds/nothing"),
    "/-/feeds/modules/{namespace}/{name}/{file}": (
        "/-/feeds/modules/platform/network/aws.atom", "/-/feeds/modules/finance/ledger/aws.atom"),
    "/-/feeds/providers/{namespace}/{file}": (
        "/-/feeds/providers/kumo/inventory.atom", "/-/feeds/providers/kumo/nothing.atom"),
    "/-/badges/modules/{namespace}/{name}/{file}": (
        "/-/badges/modules/platform/network/aws.svg", "/-/badges/modules/platform/network/aws.verified.svg",
        "/-/badges/modules/finance/ledger/aws.svg", "/-/badges/modules/platform/network/nothing"),
    "/-/badges/providers/{namespace}/{file}": (
        "/-/badges/providers/kumo/inventory.svg", "/-/badges/providers/kumo/inventory.verified.svg",
        "/-/badges/providers/kumo/nothing.svg"),
    "/-/docs": ("/-/docs", "/-/docs?q=trusted+publishing", "/-/docs?q=zzyzx", "/-/docs?q=%22open"),
    "/-/docs/api": ("/-/docs/api",),
    "/-/docs/api/{name}": ("/-/docs/api/search", "/-/docs/api/nothing"),
    "/-/docs/errors": ("/-/docs/errors",),
    "/-/docs/errors/{name}": ("/-/docs/errors/not_found", "/-/docs/errors/nothing"),
    "/-/docs/accessibility": ("/-/docs/accessibility",),
    "/-/docs/{name}": ("/-/docs/tokens", "/-/docs/nothing"),
}
MODULES = {
    _MODULE: (f"/modules/{NET}", f"/modules/{NET}.md", f"/modules/{NET}.json", f"/modules/{LEDGER}",
              f"/modules/{VAULT}", "/modules/edge/site/aws", "/modules/edge/waf/aws", "/modules/platform/nothing/aws"),
    f"{_MODULE}/{{version}}": (
        f"/modules/{NET}/4.3.0-rc.1", f"/modules/{NET}/4.2.0.md", f"/modules/{NET}/4.2.0.json", f"/modules/{NET}/3.1.1",
        f"/modules/{NET}/3.0.0", f"/modules/{NET}/9.9.9", f"/modules/{NET}/inputs", f"/modules/{NET}/x",
        f"/modules/{LEDGER}/1.0.1.json", "/modules/data/postgres/aws/latest"),
    f"{_MODULE}/{{version}}/versions": module_page(
        "versions", "latest/versions?constraint=~%3E+3.1", "latest/versions?constraint=nonsense"),
    f"{_MODULE}/{{version}}/changes": module_page(
        "changes", "4.2.0/changes?from=3.1.1&to=4.2.0", "4.2.0/changes?from=x&to=4.2.0"),
    f"{_MODULE}/{{version}}/used-by": module_page("used-by"),
    f"{_MODULE}/{{version}}/deprecate": module_page("deprecate", "3.1.1/deprecate"),
    f"{_MODULE}/{{version}}/withdraw": module_page("withdraw"),
    f"{_MODULE}/{{version}}/restore": module_page("restore", "3.0.0/restore"),
}
INSIDE = {
    f"{_MODULE}/{{version}}/inputs": module_page("inputs", "4.2.0/inputs?q=zone&sort=name", "4.2.0/inputs?q=zzyzx"),
    f"{_MODULE}/{{version}}/outputs": module_page("outputs"),
    f"{_MODULE}/{{version}}/resources": module_page("resources"),
    f"{_MODULE}/{{version}}/dependencies": module_page("dependencies"),
    f"{_MODULE}/{{version}}/submodules": module_page("submodules"),
    f"{_MODULE}/{{version}}/submodules/{{path...}}": module_page("submodules/peering", "4.2.0/submodules/nothing"),
    f"{_MODULE}/{{version}}/examples": module_page("examples"),
    f"{_MODULE}/{{version}}/examples/{{path...}}": module_page("examples/minimal", "4.2.0/examples/nothing"),
    f"{_MODULE}/{{version}}/changes/source": module_page(
        "changes/source", "4.2.0/changes/source?from=3.1.1", "4.2.0/changes/source?from=x"),
    f"{_MODULE}/{{version}}/usage": module_page(
        "usage", "4.2.0/usage?name=payments&cidr=10.0.0.0%2F16", "4.2.0/usage?cidr=nonsense"),
    f"{_MODULE}/{{version}}/files": module_page("files"),
    f"{_MODULE}/{{version}}/files/{{path...}}": module_page(
        "files/README.md", "4.2.0/files/main.tf", "4.2.0/files/main.tf?raw", "4.2.0/files/modules",
        "4.2.0/files/nothing"),
}
PROVIDERS = {
    _PROVIDER: (f"/providers/{HOST}", f"/providers/{HOST}.md", f"/providers/{HOST}.json", "/providers/kumo/nothing"),
    f"{_PROVIDER}/{{version}}": (f"/providers/{HOST}/1.9.8", f"/providers/{HOST}/latest", f"/providers/{HOST}/9.9.9"),
    f"{_PROVIDER}/versions": (f"/providers/{HOST}/versions", f"/providers/{HOST}/versions?filter=~%3E+2.0"),
    f"{_PROVIDER}/keys": (f"/providers/{HOST}/keys",),
    f"{_PROVIDER}/changes": (f"/providers/{HOST}/changes?from=1.9.8&to=2.3.1", f"/providers/{HOST}/changes?from=x"),
    f"{_PROVIDER}/usage": (f"/providers/{HOST}/usage", "/providers/kumo/nothing/usage"),
    f"{_PROVIDER}/{{version}}/docs": (f"/providers/{HOST}/2.3.1/docs", f"/providers/{HOST}/2.3.1/docs?filter=rack"),
    f"{_PROVIDER}/{{version}}/docs/{{kind}}/{{name}}": (
        f"/providers/{HOST}/2.3.1/docs/resources/host", f"/providers/{HOST}/2.3.1/docs/resources/host.md",
        f"/providers/{HOST}/2.3.1/docs/functions/label", f"/providers/{HOST}/2.3.1/docs/resources/nothing"),
    f"{_PROVIDER}/{{version}}/docs/cdktf/{{language}}/{{kind}}/{{name}}": (
        f"/providers/{HOST}/2.3.1/docs/cdktf/python/resources/rack",),
    f"{_PROVIDER}/{{version}}/deprecate": (f"/providers/{HOST}/1.9.8/deprecate", f"/providers/{HOST}/9.9.9/deprecate"),
    f"{_PROVIDER}/{{version}}/withdraw": (f"/providers/{HOST}/2.3.0/withdraw",),
    f"{_PROVIDER}/{{version}}/restore": (f"/providers/{HOST}/2.3.0/restore",),
    "/-/mirror": ("/-/mirror",),
    "/-/mirror/packages": ("/-/mirror/packages", "/-/mirror/packages?kind=modules", "/-/mirror/packages?q=zzyzx"),
    "/-/mirror/upstreams": ("/-/mirror/upstreams",),
    "/-/mirror/upstreams/{hostname}": (
        "/-/mirror/upstreams/registry.terraform.io", "/-/mirror/upstreams/nothing.example"),
    "/-/mirror/policy": ("/-/mirror/policy",),
    "/-/mirror/keys/{hostname}/{namespace}": (
        f"/-/mirror/keys/{OTHER}/acme", f"/-/mirror/keys/{OTHER}/nothing"),
    "/-/mirror/policy/held": ("/-/mirror/policy/held", "/-/mirror/policy/held?page=x"),
    "/-/verify": ("/-/verify",),
    "/-/mirror/explain": (
        f"/-/mirror/explain?address={DEMO}&version=1.0.0", "/-/mirror/explain?address=denied/demo",
        "/-/mirror/explain?address=nonsense", "/-/mirror/explain"),
    "/-/mirror/explain.json": (
        f"/-/mirror/explain.json?address={DEMO}&version=1.0.0", "/-/mirror/explain.json?address=nonsense",
        "/-/mirror/explain.json"),
    _MIRRORED: (f"/-/mirror/providers/{DEMO}", f"/-/mirror/providers/{DEMO}.md",
                f"/-/mirror/providers/{OTHER}/acme/nothing"),
    f"{_MIRRORED}/{{version}}": (f"/-/mirror/providers/{DEMO}/1.0.0", f"/-/mirror/providers/{DEMO}/9.9.9"),
    f"{_MIRRORED}/versions": (f"/-/mirror/providers/{DEMO}/versions",),
    f"{_MIRRORED}/usage": (f"/-/mirror/providers/{DEMO}/usage",),
    f"{_MIRRORED}/{{version}}/docs": (f"/-/mirror/providers/{DEMO}/1.0.0/docs",),
    f"{_MIRRORED}/{{version}}/docs/{{kind}}/{{name}}": (
        f"/-/mirror/providers/{DEMO}/1.0.0/docs/resources/thing",
        f"/-/mirror/providers/{DEMO}/1.0.0/docs/resources/nothing"),
    f"{_MIRRORED}/{{version}}/docs/cdktf/{{language}}/{{kind}}/{{name}}": (
        f"/-/mirror/providers/{DEMO}/1.0.0/docs/cdktf/python/resources/thing",),
}
ADMINISTRATION = {
    "/namespaces": ("/namespaces", "/namespaces?page=9"),
    "/namespaces/{namespace}": ("/namespaces/platform", "/namespaces/finance", "/namespaces/nobody"),
    "/namespaces/{namespace}/keys": ("/namespaces/kumo/keys", "/namespaces/finance/keys"),
    "/namespaces/{namespace}/keys/{key_id}/remove": (
        "/namespaces/kumo/keys/<key-made>/remove", "/namespaces/kumo/keys/nothing/remove"),
    "/namespaces/{namespace}/people": ("/namespaces/platform/people", "/namespaces/finance/people"),
    "/namespaces/{namespace}/people/remove": (
        "/namespaces/platform/people/remove?kind=service&name=ci-platform", "/namespaces/platform/people/remove"),
    "/namespaces/{namespace}/publishing": ("/namespaces/platform/publishing",),
    "/namespaces/{namespace}/publishing/{id}/remove": (
        "/namespaces/platform/publishing/<trust>/remove", "/namespaces/platform/publishing/nothing/remove"),
    "/namespaces/{namespace}/settings": ("/namespaces/platform/settings", "/namespaces/finance/settings"),
    "/namespaces/{namespace}/activity": ("/namespaces/platform/activity", "/namespaces/finance/activity"),
    "/namespaces/{namespace}/usage": ("/namespaces/platform/usage", "/namespaces/finance/usage"),
    "/-/admin": ("/-/admin",),
    "/-/admin/audit": ("/-/admin/audit", "/-/admin/audit?action=namespace", "/-/admin/audit?since=nonsense"),
    "/-/admin/audit/{id}": ("/-/admin/audit/1", "/-/admin/audit/999999"),
    "/-/admin/audit/proof": ("/-/admin/audit/proof", "/-/admin/audit/proof?walk=yes"),
    "/-/admin/audit/export/{file}": (
        "/-/admin/audit/export/audit.csv?action=namespace", "/-/admin/audit/export/audit.jsonl?action=group",
        "/-/admin/audit/export/nothing"),
    "/-/admin/grants": ("/-/admin/grants", "/-/admin/grants?q=fin"),
    "/-/admin/users": ("/-/admin/users", "/-/admin/users?q=zzyzx"),
    "/-/admin/users/{name}": ("/-/admin/users/ben@kumo.example", "/-/admin/users/nobody"),
    "/-/admin/users/{name}/delete": ("/-/admin/users/ben@kumo.example/delete",),
    "/-/admin/services": ("/-/admin/services", "/-/admin/services?q=zzyzx"),
    "/-/admin/services/{name}/delete": ("/-/admin/services/ci-data/delete", "/-/admin/services/nothing/delete"),
    "/-/admin/tokens": ("/-/admin/tokens", "/-/admin/tokens?filter=never_expires", "/-/admin/tokens?filter=nonsense"),
    "/-/admin/tokens/{name}/revoke": ("/-/admin/tokens/shop/revoke", "/-/admin/tokens/nothing/revoke"),
    "/-/admin/groups": ("/-/admin/groups",),
    "/-/admin/groups/{name}": ("/-/admin/groups/platform-team", "/-/admin/groups/nothing"),
    "/-/admin/groups/{name}/delete": ("/-/admin/groups/platform-team/delete",),
    "/-/admin/grants/why": (
        "/-/admin/grants/why?kind=user&who=ben@kumo.example&ns=platform&may=publish",
        "/-/admin/grants/why?kind=user&who=nobody&ns=finance&may=read", "/-/admin/grants/why"),
    "/-/admin/sign-in": ("/-/admin/sign-in",),
    "/-/admin/sign-in/{name}": ("/-/admin/sign-in/kumo", "/-/admin/sign-in/nothing"),
    "/-/admin/sign-in/{name}/trial": ("/-/admin/sign-in/kumo/trial",),
    "/-/admin/storage": ("/-/admin/storage",),
    "/-/admin/health": ("/-/admin/health",),
}
API = {
    "/api/openapi.json": ("/api/openapi.json",),
    "/api/v1/search": (
        "/api/v1/search?q=subnet", "/api/v1/search?q=ledger&sort=newest&limit=3", "/api/v1/search",
        "/api/v1/search?q=subnet&sort=x", "/api/v1/search?q=trusted+publishing+kind:guide&limit=1",
        "/api/v1/search?q=subnet+system:aws+deprecated:no"),
    f"/api/v1{_MODULE}/diff": (
        f"/api/v1/modules/{NET}/diff?from=3.1.1&to=4.2.0", f"/api/v1/modules/{NET}/diff?from=3.1.1",
        f"/api/v1/modules/{NET}/diff?from=3.0.0&to=4.2.0"),
    f"/api/v1{_MODULE}/{{version}}": (f"/api/v1/modules/{NET}/4.2.0", f"/api/v1/modules/{LEDGER}/1.0.1"),
    f"/api/v1{_MODULE}/{{version}}/readme": (f"/api/v1/modules/{NET}/4.2.0/readme",),
    f"/api/v1{_PROVIDER}/{{version}}/drafts": (f"/api/v1/providers/{HOST}/3.0.0/drafts",),
    f"/api/v1{_PROVIDER}/{{version}}/drafts/{{id}}": (
        f"/api/v1/providers/{HOST}/3.0.0/drafts/<draft>", f"/api/v1/providers/{HOST}/3.0.0/drafts/nothing"),
    f"/api/v1{_MODULE}/diff/source": (
        f"/api/v1/modules/{NET}/diff/source?from=3.1.1&to=4.2.0", f"/api/v1/modules/{NET}/diff/source?from=3.1.1",
        f"/api/v1/modules/{NET}/diff/source?from=3.0.0&to=4.2.0"),
    f"/api/v1{_PROVIDER}/diff": (f"/api/v1/providers/{HOST}/diff?from=1.9.8&to=2.3.1",),
    f"/api/v1{_PROVIDER}/{{version}}": (f"/api/v1/providers/{HOST}/2.3.1", f"/api/v1/providers/{HOST}/9.9.9"),
    f"/api/v1{_MODULE}/{{version}}/attachments/{{file}}": (f"/api/v1/modules/{NET}/4.2.0/attachments/none.spdx.json",),
    f"/api/v1{_PROVIDER}/{{version}}/attachments/{{file}}": (
        f"/api/v1/providers/{HOST}/2.3.1/attachments/none.spdx.json",),
    f"/api/v1{_PROVIDER}/{{version}}/docs": (f"/api/v1/providers/{HOST}/2.3.1/docs",),
    f"/api/v1{_PROVIDER}/{{version}}/docs/{{kind}}/{{name}}": (
        f"/api/v1/providers/{HOST}/2.3.1/docs/resources/rack",
        f"/api/v1/providers/{HOST}/2.3.1/docs/resources/rack?language=python",
        f"/api/v1/providers/{HOST}/2.3.1/docs/resources/rack?language=cobol",
        f"/api/v1/providers/{HOST}/2.3.1/docs/resources/nothing"),
    f"/api/v1{_PROVIDER}/{{version}}/schema": (f"/api/v1/providers/{HOST}/2.3.1/schema",),
    f"/api/v1{_PROVIDER}/{{version}}/schema/{{kind}}/{{name}}": (
        f"/api/v1/providers/{HOST}/2.3.1/schema/provider/inventory",
        f"/api/v1/providers/{HOST}/2.3.1/schema/resource/nothing"),
    "/api/v1/namespaces/{namespace}/keys": ("/api/v1/namespaces/kumo/keys", "/api/v1/namespaces/finance/keys"),
    "/api/v1/mirror/keys/{hostname}/{namespace}": (
        f"/api/v1/mirror/keys/{OTHER}/acme", f"/api/v1/mirror/keys/{OTHER}/nothing"),
    "/api/v1/policy": ("/api/v1/policy",),
    "/api/v1/policy/explain": (
        f"/api/v1/policy/explain?address={DEMO}&version=1.0.0",
        "/api/v1/policy/explain?address=nonsense", "/api/v1/policy/explain"),
    "/api/v1/policy/held": ("/api/v1/policy/held",),
    "/api/v1/policy/revisions": ("/api/v1/policy/revisions",),
    "/api/v1/policy/revisions/{revision}": ("/api/v1/policy/revisions/1", "/api/v1/policy/revisions/x"),
    "/api/v1/verify": ("/api/v1/verify", "/api/v1/verify?of=mirror", "/api/v1/verify?of=storage",
                       "/api/v1/verify?of=nothing"),
    f"{_MIRROR_API}/status": (f"{_MIRROR_API}/status?days=2", f"{_MIRROR_API}/status?days=0"),
    f"{_MIRROR_API}/providers": (f"{_MIRROR_API}/providers", f"{_MIRROR_API}/providers?limit=1"),
    f"{_MIRROR_API}{_PROVIDER.replace('/{n', '/{hostname}/{n')}/{{version}}/release": (
        f"{_MIRROR_API}/providers/{DEMO}/1.0.0/release", f"{_MIRROR_API}/providers/{DEMO}/9.9.9/release"),
    f"{_MIRROR_API}{_PROVIDER.replace('/{n', '/{hostname}/{n')}/{{version}}/docs": (
        f"{_MIRROR_API}/providers/{DEMO}/1.0.0/docs", f"{_MIRROR_API}/providers/{OTHER}/denied/demo/1.0.0/docs"),
    f"{_MIRROR_API}{_PROVIDER.replace('/{n', '/{hostname}/{n')}/{{version}}/docs/{{kind}}/{{name}}": (
        f"{_MIRROR_API}/providers/{DEMO}/1.0.0/docs/resources/thing",
        f"{_MIRROR_API}/providers/{DEMO}/1.0.0/docs/resources/nothing"),
    f"{_MIRROR_API}/modules": (f"{_MIRROR_API}/modules",),
}
_MIRRORED_MODULE = f"{_MIRROR_API}/modules/{{hostname}}/{{namespace}}/{{name}}/{{system}}/{{version}}"
API |= {
    _MIRRORED_MODULE: (f"{_MIRROR_API}/modules/{NETWORK}/1.0.0", f"{_MIRROR_API}/modules/{NETWORK}/1.1.0"),
    f"{_MIRRORED_MODULE}/inside": (
        f"{_MIRROR_API}/modules/{NETWORK}/1.0.0/inside", f"{_MIRROR_API}/modules/{NETWORK}/1.1.0/inside"),
    f"{_MIRRORED_MODULE}/readme": (f"{_MIRROR_API}/modules/{NETWORK}/1.0.0/readme",),
    "/api/v1/audit": ("/api/v1/audit?action=namespace", "/api/v1/audit?limit=3&format=jsonl&action=group",
                      "/api/v1/audit?since=nonsense"),
    "/api/v1/audit/verify": ("/api/v1/audit/verify", "/api/v1/audit/verify?expect=nonsense"),
    f"{_USAGE}{_MODULE}": (
        f"{_USAGE}/modules/{NET}", f"{_USAGE}/modules/{NET}?by=consumer", f"{_USAGE}/modules/{NET}?by=nothing",
        Case(f"{_USAGE}/modules/{NET}?by=consumer", fields=CSV), f"{_USAGE}/modules/{LEDGER}"),
    f"{_USAGE}{_PROVIDER}": (f"{_USAGE}/providers/{HOST}", f"{_USAGE}/providers/kumo/nothing"),
    f"{_USAGE}{_MODULE}/used-by": (
        f"{_USAGE}/modules/{NET}/used-by", f"{_USAGE}/modules/{NET}/used-by?days=0", f"{_USAGE}/modules/{LEDGER}/used-by"),
    f"{_USAGE}{_PROVIDER}/used-by": (f"{_USAGE}/providers/{HOST}/used-by", f"{_USAGE}/providers/kumo/nothing/used-by"),
    f"{_USAGE}/mirror/modules/{{hostname}}/{{namespace}}/{{name}}/{{system}}": (f"{_USAGE}/mirror/modules/{NETWORK}",),
    f"{_USAGE}/mirror/providers/{{hostname}}/{{namespace}}/{{type}}": (f"{_USAGE}/mirror/providers/{DEMO}",),
    f"/api/v1/impact{_MODULE}": (f"/api/v1/impact/modules/{NET}", f"/api/v1/impact/modules/{LEDGER}"),
    f"/api/v1/impact{_PROVIDER}": (f"/api/v1/impact/providers/{HOST}", "/api/v1/impact/providers/kumo/nothing"),
    f"{_USAGE}/impact/{{namespace}}/{{name}}/{{system}}/{{version}}": (f"{_USAGE}/impact/{NET}/4.2.0",),
    f"{_USAGE}/impact/{{namespace}}/{{type}}/{{version}}": (f"{_USAGE}/impact/{HOST}/2.3.1",),
    f"{_USAGE}/lag": (f"{_USAGE}/lag?namespace=platform", f"{_USAGE}/lag"),
    f"{_USAGE}/unused": (f"{_USAGE}/unused?namespace=platform", f"{_USAGE}/unused?kind=nothing"),
    "/api/v1/tokens": ("/api/v1/tokens",),
    "/api/v1/whoami": ("/api/v1/whoami",),
    "/api/v1/watches": ("/api/v1/watches",),
    "/api/v1/notifications": ("/api/v1/notifications", "/api/v1/notifications?before=2&limit=3"),
    "/api/v1/sessions": ("/api/v1/sessions", "/api/v1/sessions?user=ben@kumo.example"),
    "/api/v1/idps": ("/api/v1/idps",),
    "/api/v1/admin/replicas": ("/api/v1/admin/replicas",),
    "/api/v1/admin/status": ("/api/v1/admin/status",),
    "/api/v1/admin/backup": ("/api/v1/admin/backup",),
    "/api/v1/admin/backup/records": ("/api/v1/admin/backup/records", "/api/v1/admin/backup/records?session=nothing"),
    "/api/v1/admin/backup/blobs": ("/api/v1/admin/backup/blobs", "/api/v1/admin/backup/blobs?session=nothing"),
    "/api/v1/admin/backup/blobs/{id}": (
        f"/api/v1/admin/backup/blobs/{'0' * 64}", "/api/v1/admin/backup/blobs/nothing"),
    "/api/v1/admin/freeze": ("/api/v1/admin/freeze",),
    "/api/v1/admin/gc": ("/api/v1/admin/gc", "/api/v1/admin/gc?after=x"),
    "/api/v1/users": ("/api/v1/users",),
    "/api/v1/services": ("/api/v1/services",),
    "/api/v1/groups": ("/api/v1/groups",),
    "/api/v1/groups/{name}/members": (
        "/api/v1/groups/platform-team/members", "/api/v1/groups/nothing/members"),
    "/api/v1/namespaces": ("/api/v1/namespaces",),
    "/api/v1/namespaces/{namespace}": ("/api/v1/namespaces/platform", "/api/v1/namespaces/finance"),
    "/api/v1/namespaces/{namespace}/grants": ("/api/v1/namespaces/platform/grants",),
    "/api/v1/namespaces/{namespace}/trust": ("/api/v1/namespaces/platform/trust", "/api/v1/namespaces/nobody/trust"),
    "/api/v1/namespaces/{namespace}/trust/tokens": ("/api/v1/namespaces/platform/trust/tokens",),
}
_BAD = {"Authorization": "Bearer koya_nothing"}
REFUSALS = {  # by reason
    "nothing is there": ("/nothing/here", "/api/v1/nothing", "/v1/nothing", "/-/nothing", "//modules", "/modules/",
                         "/modules/%zz/a/b", "/modules/../-/admin", "/v1/modules/%00/b/c/versions"),
    "another method": tuple(Case(path, method) for path, method in (
        ("/modules", "POST"), ("/-/admin", "DELETE"), ("/v1/modules", "DELETE"), ("/api/v1/users", "PATCH"),
        ("/", "HEAD"), ("/v1/modules", "HEAD"), ("/v1/modules", "OPTIONS"), ("/v1/modules", "BREW"))),
    "a token that is no good": tuple(Case(path, fields=fields) for path, fields in (
        ("/v1/modules", _BAD), ("/modules", _BAD), ("/api/v1/users", _BAD), ("/-/admin", _BAD), ("/login", _BAD),
        ("/.well-known/terraform.json", _BAD), ("/v1/modules", {"Authorization": "Basic dTpw"}))),
    "a token where cookies are usual": tuple(
        Case(path, fields={"Authorization": f"Bearer <token-of-{role}>"})
        for path in (f"/modules/{LEDGER}", "/-/admin", "/-/settings") for role in ("reader", "administrator")),
    "a session that is no good": tuple(Case(path, fields={"Cookie": "__Host-koya=nothing"})
                                       for path in ("/", "/-/settings", f"/modules/{LEDGER}")),
}
_TABLES = {"clients": CLIENTS, "front": FRONT, "modules": MODULES, "inside": INSIDE, "providers": PROVIDERS,
           "administration": ADMINISTRATION, "api": API, "refusals": REFUSALS}
# {room: {route: [case]}}; the answers of a room are in one file.
ROOMS = {room: {route: [each if isinstance(each, Case) else Case(each) for each in cases]
                for route, cases in table.items()} for room, table in _TABLES.items()}

# Texts that the record leaves out, and why.
WITHOUT_TEXT = {
    "/-/docs/{name}": "the text is that of docs/",
    "/-/admin/health": "its numbers differ from run to run",
    "/-/assets/{file}": "the file is that of src/web/assets/",
}


def without_text(route, answer):
    return WITHOUT_TEXT.get(route, "") if answer.status == 200 else ""


_FIRST = ("/-/admin", "/-/settings", "/api/v1/audit", "/api/v1/usage", "/api/v1/tokens", "/api/v1/sessions",
          "/api/v1/admin", "/api/v1/mirror/status", "/-/mirror")
_LAST = ("/download/", "/mirror/", "/origin/")


def turn(question):
    """Where a request stands in the order of all: administrators ask for refusals and fetches before there are any."""
    _, route, case, role, _ = question
    if route.startswith(_FIRST) or route.endswith(("/activity", "/downloads/summary")):
        return 0 if role == "administrator" else 1
    return 3 if route.startswith(_LAST) or "/download" in case.path else 2
