"""Modules of the other teams: data, security, edge and finance."""
from hcl import Block, Folder, Input, Module, Output
from platform_team import AWS

POSTGRES = Module(
    "data/postgres/aws",
    "PostgreSQL on RDS: parameters that are safe, backups that were tried, credentials that nobody sees.",
    providers=AWS | {"random": ("hashicorp/random", "~> 3.6")},
    readme="""
        ## Passwords

        The password of the owner is made here and written to Secrets Manager; it is in no state and no output.

        | size | for | connections |
        |---|---|---|
        | small | trying out | 100 |
        | medium | one service | 400 |
        | large | several services | 1,600 |
    """,
    root=Folder(
        inputs=(Input("name", "string", "What the instance is called."),
                Input("subnet_ids", "list(string)", "Subnets without a way out, in two zones or more."),
                Input("size", "string", "small, medium or large.", '"small"', more="""
                    validation {
                      condition     = contains(["small", "medium", "large"], var.size)
                      error_message = "The size is small, medium or large."
                    }
                """),
                Input("major_version", "number", "The major version of PostgreSQL.", "16"),
                Input("owner_password", "string", "The owner's password; made when it is left out.", "null",
                      more="sensitive = true\nephemeral = true", since="2.0.0"),
                Input("parameters", "map(string)", "Further settings of PostgreSQL.", "{}"),
                Input("backup", "object({ days = optional(number, 14), window = optional(string, \"02:00-03:00\") })",
                      "How long backups are kept, and when they are made.", "{}"),
                Input("deletion_protection", "bool", "Refuse to be destroyed.", "true")),
        outputs=(Output("address", "aws_db_instance.this.address", "Host name to connect to."),
                 Output("port", "aws_db_instance.this.port", "Port to connect to."),
                 Output("secret_arn", "aws_secretsmanager_secret.owner.arn", "Where the password is."),
                 Output("url", '"postgresql://owner@${aws_db_instance.this.address}"', "Without the password.",
                        "sensitive = true", since="2.0.0")),
        blocks=(Block('resource "aws_db_instance" "this"', """
                    identifier          = var.name
                    engine              = "postgres"
                    engine_version      = var.major_version
                    deletion_protection = var.deletion_protection
                """),
                Block('resource "aws_db_parameter_group" "this"', 'family = "postgres${var.major_version}"'),
                Block('resource "aws_db_subnet_group" "this"', "subnet_ids = var.subnet_ids"),
                Block('resource "aws_secretsmanager_secret" "owner"', 'name = "${var.name}/owner"'),
                Block('resource "random_password" "owner"', "length = 40", until="2.0.0"),
                Block('ephemeral "random_password" "owner"', "length = 40", since="2.0.0"))),
    client=">= 1.11",
    examples={"minimal": """
        module "database" {
          source = "../.."

          name       = "try-out"
          subnet_ids = ["subnet-0a", "subnet-0b"]
        }
    """},
    history=(("1.0.0", "First version."), ("1.1.0", "Backups are kept for two weeks."),
             ("1.2.0", "PostgreSQL 16."), ("2.0.0", "Passwords are ephemeral and leave the state."),
             ("2.0.1", "The parameter group is replaced in place.")),
)

WAREHOUSE = Module(
    "data/warehouse/google",
    "BigQuery datasets with row access by group, and a bill for each team.",
    providers={"google": ("hashicorp/google", "~> 6.0")},
    root=Folder(
        inputs=(Input("project", "string", "The project that pays."),
                Input("datasets", "map(object({ owners = set(string), readers = optional(set(string), []), "
                                  "region = optional(string, \"EU\") }))", "Datasets by name."),
                Input("expire_days", "number", "Tables go after so many days; never when null.", "null")),
        outputs=(Output("dataset_ids", "{ for name, each in google_bigquery_dataset.this : name => each.id }",
                        "Datasets by name."),),
        blocks=(Block('resource "google_bigquery_dataset" "this"', "for_each   = var.datasets\ndataset_id = each.key"),
                Block('resource "google_bigquery_dataset_iam_member" "reader"',
                      'role   = "roles/bigquery.dataViewer"\nmember = "group:readers@example.com"'))),
    history=(("0.8.0", "For those who try it."), ("0.9.0", "Regions."), ("1.0.0", "Stable.")),
)

STREAM = Module(
    "data/stream/aws",
    "Kafka on MSK with topics, quotas and schema checks.",
    providers=AWS | {"kafka": ("mongey/kafka", "~> 0.8")},
    root=Folder(
        inputs=(Input("name", "string", "What the cluster is called."),
                Input("brokers", "number", "How many brokers, a multiple of the zones.", "3"),
                Input("topics", "map(object({ partitions = optional(number, 6), retention_hours = optional(number, 72) }))",
                      "Topics by name.", "{}"),
                Input("schema_registry", "bool", "Refuse messages that fit no schema.", "true", since="1.1.0")),
        outputs=(Output("bootstrap", "aws_msk_cluster.this.bootstrap_brokers_sasl_iam", "Where clients begin."),),
        blocks=(Block('resource "aws_msk_cluster" "this"', "cluster_name = var.name"),
                Block('resource "kafka_topic" "this"', "for_each = var.topics\nname     = each.key"))),
    history=(("1.0.0", "First version."), ("1.1.0", "Schema checks.")),
)

BACKUP = Module(
    "data/backup/azurerm",
    "Vaults and plans for backups, and a test that restores one every week.",
    providers={"azurerm": ("hashicorp/azurerm", "~> 4.0")},
    root=Folder(
        inputs=(Input("resource_group", "string", "Where the vault is."),
                Input("plans", "map(object({ schedule = string, keep_days = number }))", "Plans by name."),
                Input("restore_test", "bool", "Restore the newest backup every Sunday.", "true")),
        outputs=(Output("vault_id", "azurerm_data_protection_backup_vault.this.id", "The vault."),),
        blocks=(Block('resource "azurerm_data_protection_backup_vault" "this"', 'redundancy = "GeoRedundant"'),)),
    history=(("1.0.0", "First version."), ("1.0.1", "Vaults are geo-redundant.")),
)

ROLE = Module(
    "security/iam-role/aws",
    "A role for a workload: who may take it, what it may do, for how long.",
    providers=AWS,
    readme="""
        Trust is written as a sentence, not as a policy document:

        ```hcl
        trust = {
          github = { repository = "kumo-works/payments", branch = "main" }
        }
        ```
    """,
    root=Folder(
        inputs=(Input("name", "string", "The role's name."),
                Input("trust", """
                    object({
                      github     = optional(object({ repository = string, branch = optional(string) }))
                      kubernetes = optional(object({ cluster = string, namespace = string, account = string }))
                    })""", "Who may take the role."),
                Input("policy_json", "string", "What it may do."),
                Input("max_hours", "number", "How long a session lasts at most.", "1", more="""
                    validation {
                      condition     = var.max_hours >= 1 && var.max_hours <= 12
                      error_message = "Sessions last 1 to 12 hours."
                    }
                """)),
        outputs=(Output("arn", "aws_iam_role.this.arn", "The role."),),
        blocks=(Block('resource "aws_iam_role" "this"', "name                 = var.name\n"
                      "max_session_duration = var.max_hours * 3600"),
                Block('resource "aws_iam_role_policy" "this"', "role   = aws_iam_role.this.id\n"
                      "policy = var.policy_json"))),
    history=(("1.0.0", "First version."), ("1.1.0", "Workloads of Kubernetes."), ("1.2.0", "Sessions of up to 12 hours.")),
)

SECRETS = Module(
    "security/secrets/vault",
    "A mount with policies by team, and leases that end.",
    providers={"vault": ("hashicorp/vault", "~> 4.4")},
    root=Folder(
        inputs=(Input("team", "string", "The team that owns the mount."),
                Input("readers", "set(string)", "Groups that may read.", "[]"),
                Input("max_lease", "string", "How long a lease lasts at most.", '"24h"')),
        outputs=(Output("path", "vault_mount.this.path", "Where the secrets are."),),
        blocks=(Block('resource "vault_mount" "this"', 'path = "teams/${var.team}"\ntype = "kv-v2"'),
                Block('resource "vault_policy" "reader"', 'name   = "${var.team}-reader"\npolicy = "path \\"teams/*\\" {}"'))),
    history=(("1.0.0", "First version."), ("1.0.1", "Leases end after a day.")),
)

TRAIL = Module(
    "security/audit-trail/aws",
    "Every call to the API of every account, kept for seven years where nobody can change it.",
    providers=AWS,
    root=Folder(
        inputs=(Input("bucket", "string", "Where the trail is kept."),
                Input("years", "number", "For how long.", "7"),
                Input("alarm_topic_arn", "string", "Who is told when the trail stops.", "null")),
        outputs=(Output("trail_arn", "aws_cloudtrail.this.arn", "The trail."),),
        blocks=(Block('resource "aws_cloudtrail" "this"', "name           = \"organization\"\ns3_bucket_name = var.bucket"),
                Block('resource "aws_s3_bucket_object_lock_configuration" "this"', "bucket = var.bucket"))),
    history=(("2.0.0", "One trail for the organization."), ("2.1.0", "An alarm when the trail stops.")),
)

CDN = Module(
    "edge/cdn/aws",
    "静的サイトと API を CloudFront 経由で配信します。",
    title="edge/cdn",
    providers=AWS,
    readme="""
        非公開の S3 バケットをオリジンにして、CloudFront のディストリビューション、証明書、DNS レコードをまとめて作成します。

        ## 使い方

        ```hcl
        module "cdn" {
          source  = "HOST/edge/cdn/aws"
          version = "~> 1.3"

          domain = "www.example.com"
          bucket = module.site.name
        }
        ```

        > [!IMPORTANT]
        > 証明書は us-east-1 に作成されます。プロバイダーの別名 `aws.us_east_1` を必ず渡してください。

        ## 入力の考え方

        | 入力 | 既定値 | 説明 |
        |---|---|---|
        | `domain` | なし | 公開するドメイン名 |
        | `cache_seconds` | 300 | オブジェクトをキャッシュする秒数 |
        | `waf_acl_arn` | なし | `edge/waf/aws` の出力を渡します |

        - キャッシュの無効化はデプロイのパイプラインから行います。
        - ログは 90 日間保存されます。
    """,
    root=Folder(
        inputs=(Input("domain", "string", "公開するドメイン名。"),
                Input("bucket", "string", "オリジンにするバケットの名前。"),
                Input("cache_seconds", "number", "オブジェクトをキャッシュする秒数。", "300"),
                Input("waf_acl_arn", "string", "適用する Web ACL の ARN。", "null", since="1.2.0"),
                Input("log_days", "number", "ログを保存する日数。", "90", since="1.3.0")),
        outputs=(Output("distribution_id", "aws_cloudfront_distribution.this.id", "キャッシュの無効化に使う ID。"),
                 Output("domain_name", "aws_cloudfront_distribution.this.domain_name", "CNAME の宛先。")),
        blocks=(Block('resource "aws_cloudfront_distribution" "this"', "enabled = true\naliases = [var.domain]"),
                Block('resource "aws_acm_certificate" "this"', 'domain_name       = var.domain\nvalidation_method = "DNS"'),
                Block('resource "aws_cloudfront_origin_access_control" "this"', "name = var.bucket"))),
    history=(("1.0.0", "最初のバージョン。"), ("1.1.0", "HTTP/3 に対応。"), ("1.2.0", "Web ACL を指定できるようにした。"),
             ("1.3.0", "ログの保存期間を変更できるようにした。")),
)

WAF = Module(
    "edge/waf/aws",
    "面向公网服务的 Web ACL：托管规则、限流和地域限制。",
    title="edge/waf",
    providers=AWS,
    readme="""
        为 CloudFront 或负载均衡器创建 Web ACL。默认只计数、不拦截；确认没有误报后，再把 `mode` 改为 `block`。

        ## 用法

        ```hcl
        module "waf" {
          source  = "HOST/edge/waf/aws"
          version = "~> 2.0"

          name  = "shop"
          scope = "CLOUDFRONT"
          mode  = "count"
        }
        ```

        ## 规则

        1. AWS 托管的通用规则集
        2. 按来源 IP 限流，五分钟内超过 `rate_limit` 次请求即触发
        3. 只允许 `countries` 中的国家或地区；留空则不限制

        > [!CAUTION]
        > 升级到 2.0.0 时，原来的 `block` 布尔值改成了 `mode`，请先执行 plan 并确认没有资源被删除。
    """,
    root=Folder(
        inputs=(Input("name", "string", "Web ACL 的名称。"),
                Input("scope", "string", "作用范围：CLOUDFRONT 或 REGIONAL。", '"REGIONAL"'),
                Input("block", "bool", "是否拦截。", "false", until="2.0.0"),
                Input("mode", "string", "count 只计数，block 拦截。", '"count"', since="2.0.0"),
                Input("rate_limit", "number", "五分钟内单个 IP 的请求数上限。", "2000"),
                Input("countries", "set(string)", "允许访问的国家或地区代码。", "[]", since="1.1.0")),
        outputs=(Output("acl_arn", "aws_wafv2_web_acl.this.arn", "交给 CDN 或负载均衡器使用的 ARN。"),),
        blocks=(Block('resource "aws_wafv2_web_acl" "this"', "name  = var.name\nscope = var.scope"),)),
    history=(("1.0.0", "首个版本。"), ("1.1.0", "支持地域限制。"), ("2.0.0", "用 `mode` 取代 `block`。")),
)

SITE = Module(
    "edge/site/aws",
    "A static site on a public bucket.",
    providers=AWS,
    root=Folder(
        inputs=(Input("domain", "string", "Where the site is."),),
        outputs=(Output("address", "aws_s3_bucket_website_configuration.this.website_endpoint", "Where the site is."),),
        blocks=(Block('resource "aws_s3_bucket_website_configuration" "this"', "bucket = var.domain"),)),
    history=(("0.3.0", "First version."), ("0.4.0", "Redirects.")),
    deprecated={"0.3.0": "Public buckets are refused from 2027 on; use edge/cdn/aws.",
                "0.4.0": "Public buckets are refused from 2027 on; use edge/cdn/aws."},
)

LEDGER = Module(
    "finance/ledger/aws",
    "The ledger's database and queue; for the finance team.",
    providers=AWS,
    root=Folder(
        inputs=(Input("environment", "string", "production or rehearsal."),),
        outputs=(Output("queue_url", "aws_sqs_queue.this.url", "Where entries are sent."),),
        blocks=(Block('module "database"', """
                    source     = "HOST/data/postgres/aws"
                    version    = "~> 1.2"
                    name       = "ledger"
                    subnet_ids = []
                """),
                Block('resource "aws_sqs_queue" "this"', 'name       = "ledger.fifo"\nfifo_queue = true'))),
    history=(("1.0.0", "First version."), ("1.0.1", "The queue keeps its order.")),
)

MODULES = (POSTGRES, WAREHOUSE, STREAM, BACKUP, ROLE, SECRETS, TRAIL, CDN, WAF, SITE, LEDGER)
