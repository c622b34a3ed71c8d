"""Who works at Kumo Works, and what they may do."""

ADMIN = "ada@kumo.example"
USERS = ("ben@kumo.example", "chiyo@kumo.example", "daniel@kumo.example", "emi@kumo.example", "fen@kumo.example",
         "gael@kumo.example")
GROUPS = {
    "platform-team": ("ben@kumo.example", "chiyo@kumo.example"),
    "data-team": ("daniel@kumo.example", "emi@kumo.example"),
    "security-team": ("fen@kumo.example",),
    "finance-team": ("gael@kumo.example",),
}
SERVICES = ("ci-platform", "ci-data", "deploy-payments", "deploy-shop", "deploy-search")
NAMESPACES = {  # who may read them
    "platform": "public", "data": "public", "edge": "public", "kumo": "public",
    "security": "internal", "finance": "private",
}
NAMESPACE_WORDS = {  # title and description
    "platform": ("Platform team", "Networks, clusters, DNS and what else every team stands on.\nQuestions: #platform."),
    "data": ("データ基盤チーム", "PostgreSQL、ストリームなど、データを扱うモジュールです。\n質問は #data へ。"),
    "edge": ("边缘团队", "CDN、WAF等面向公网的模块。"),
    "security": ("Security team", "Keys, audit trails and guard rails. Ask before you copy one."),
    "finance": ("Finance", "The ledger and its neighbours."),
    "kumo": ("Kumo Works", "The provider of our own cloud."),
}
GRANTS = (  # (namespace, role, kind, who)
    ("platform", "owner", "group", "platform-team"), ("platform", "publisher", "service", "ci-platform"),
    ("data", "owner", "group", "data-team"), ("data", "publisher", "service", "ci-data"),
    ("security", "owner", "group", "security-team"), ("security", "reader", "group", "platform-team"),
    ("edge", "publisher", "user", "chiyo@kumo.example"), ("edge", "owner", "group", "platform-team"),
    ("finance", "owner", "group", "finance-team"), ("finance", "reader", "service", "deploy-payments"),
    ("kumo", "owner", "user", "ben@kumo.example"),
)
TOKENS = (  # (name, scope, namespaces, days, service)
    ("publish-platform", "publish", ("platform", "edge"), "90d", "ci-platform"),
    ("publish-data", "publish", ("data",), "365d", "ci-data"),
    ("payments", "read", (), None, "deploy-payments"),
    ("shop", "read", (), "365d", "deploy-shop"),
    ("search", "read", (), "30d", "deploy-search"),
)
# (token, label, {module: {version: how often}}): who fetches what.
FETCHES = (
    ("payments", "payments-prod", {"platform/network/aws": {"4.2.0": 9, "4.1.1": 2},
                                   "data/postgres/aws": {"1.2.0": 4}, "platform/cluster/aws": {"2.1.0": 5},
                                   "finance/ledger/aws": {"1.0.1": 3}}),
    ("payments", "payments-rehearsal", {"platform/network/aws": {"4.2.0": 3}, "data/postgres/aws": {"2.0.1": 2}}),
    ("shop", "shop-prod", {"platform/network/aws": {"3.1.1": 4}, "edge/cdn/aws": {"1.3.0": 6},
                           "edge/waf/aws": {"1.1.0": 2}, "platform/dns/aws": {"1.1.1": 3}}),
    ("search", "search-prod", {"platform/network/aws": {"4.1.1": 3}, "data/stream/aws": {"1.1.0": 2},
                               "platform/bucket/aws": {"2.1.0": 7}}),
)
