"""Modules of the platform team of Kumo Works, a company that does not exist."""
from hcl import Block, Folder, Input, Module, Output

AWS = {"aws": ("hashicorp/aws", ">= 5.40, < 7.0")}

NETWORK = Module(
    "platform/network/aws",
    "VPC, subnets, NAT and flow logs for one environment, the same in every region.",
    providers=AWS,
    readme="""
        Every environment at Kumo Works begins with this module. It lays out a network in up to six zones, gives
        private subnets a way out, and keeps flow logs for thirty days.

        > [!NOTE]
        > Since 4.0.0 zones are named by whoever uses the module. Nothing moves when a region gains a zone.

        ## Usage

        ```hcl
        module "network" {
          source  = "HOST/platform/network/aws"
          version = "~> 4.2"

          name  = "payments-prod"
          cidr  = "10.40.0.0/16"
          zones = ["eu-central-1a", "eu-central-1b"]
        }
        ```

        ## What it lays out

        | subnet | size in a /16 | way out | for |
        |---|---|---|---|
        | public | /24 | internet gateway | load balancers |
        | private | /20 | NAT, one a zone or one in all | services |
        | data | /24 | none | databases, caches |

        ## Moving from 3.x

        1. Name the zones: `zones = ["eu-central-1a", …]`, in the order that 3.x chose them.
        2. Replace `single_nat = true` by `nat = "one"`.
        3. `tofu plan` shows moves only. If it wants to destroy a subnet, the order of the zones is another.

        - [x] Flow logs are encrypted with the account's key
        - [x] Addresses of NAT gateways stay when zones are added
        - [ ] IPv6 only subnets

        Questions: `#platform-network`.
    """,
    root=Folder(
        inputs=(
            Input("name", "string", "What the environment is called; all names begin with it.", more="""
                validation {
                  condition     = can(regex("^[a-z][a-z0-9-]{2,31}$", var.name))
                  error_message = "The name takes lower-case letters, digits and hyphens, 3 to 32 of them."
                }
            """),
            Input("cidr", "string", "The range of addresses of the whole network, /16 to /20.", more="""
                validation {
                  condition     = can(cidrhost(var.cidr, 0))
                  error_message = "This is no range of IPv4 addresses, as 10.40.0.0/16."
                }
            """),
            Input("zones", "list(string)", "Availability zones that get subnets, two to six.", since="4.0.0"),
            Input("single_nat", "bool", "One NAT gateway for all zones.", "false", until="4.0.0"),
            Input("nat", "string", "How private subnets get out: per-zone, one or none.", '"per-zone"', since="4.0.0",
                  more="""
                validation {
                  condition     = contains(["per-zone", "one", "none"], var.nat)
                  error_message = "NAT is per-zone, one or none."
                }
            """),
            Input("subnets", """
                map(object({
                  newbits = number
                  netnum  = optional(number, 0)
                  public  = optional(bool, false)
                  routes = optional(list(object({
                    cidr   = string
                    target = string
                  })), [])
                  tags = optional(map(string), {})
                }))""", "Further subnets by name, cut out of the network's range.", "{}", since="3.1.0"),
            Input("flow_logs", "object({ enabled = optional(bool, true), days = optional(number, 30) })",
                  "Whether flow logs are kept, and for how long.", "{}"),
            Input("endpoints", "set(string)", "AWS services that are reached without leaving the network.",
                  '["s3", "dynamodb"]', since="4.1.0"),
            Input("dns_servers", "list(string)", "Resolvers that hosts are told; AWS' own when empty.", "[]"),
            Input("transit_gateway_id", "string", "The transit gateway to attach to.", "null", since="4.2.0"),
            Input("tags", "map(string)", "Tags of everything that has tags.", "{}"),
            Input("ipv6", "bool", "Addresses of both kinds in every subnet.", "false", since="4.3.0-rc.1"),
        ),
        outputs=(
            Output("vpc_id", "aws_vpc.this.id", "The network's id."),
            Output("cidr", "aws_vpc.this.cidr_block", "The range of addresses of the whole network."),
            Output("public_subnet_ids", "[for each in aws_subnet.public : each.id]",
                   "Public subnets, in the order of the zones."),
            Output("private_subnet_ids", "[for each in aws_subnet.private : each.id]",
                   "Private subnets, in the order of the zones."),
            Output("data_subnet_ids", "[for each in aws_subnet.data : each.id]", "Subnets without a way out.",
                   since="3.1.0"),
            Output("nat_addresses", "[for each in aws_eip.nat : each.public_ip]",
                   "Where traffic of private subnets comes from, for others' allow lists."),
            Output("flow_log_group", "one(aws_cloudwatch_log_group.flow[*].name)", "The group of the flow logs."),
            Output("attachment_id", "one(aws_ec2_transit_gateway_vpc_attachment.this[*].id)",
                   "The attachment to the transit gateway.", since="4.2.0"),
        ),
        blocks=(
            Block('resource "aws_vpc" "this"', """
                cidr_block           = var.cidr
                enable_dns_support   = true
                enable_dns_hostnames = true
                tags                 = merge(var.tags, { Name = var.name })

                lifecycle {
                  prevent_destroy = true
                }
            """),
            Block('resource "aws_internet_gateway" "this"', "vpc_id = aws_vpc.this.id"),
            Block('resource "aws_subnet" "public"', """
                for_each          = toset(var.zones)
                vpc_id            = aws_vpc.this.id
                availability_zone = each.value
                cidr_block        = cidrsubnet(var.cidr, 8, index(var.zones, each.value))
            """),
            Block('resource "aws_subnet" "private"', """
                for_each          = toset(var.zones)
                vpc_id            = aws_vpc.this.id
                availability_zone = each.value
                cidr_block        = cidrsubnet(var.cidr, 4, index(var.zones, each.value) + 1)
            """),
            Block('resource "aws_subnet" "data"', """
                for_each          = toset(var.zones)
                vpc_id            = aws_vpc.this.id
                availability_zone = each.value
                cidr_block        = cidrsubnet(var.cidr, 8, index(var.zones, each.value) + 240)
            """, since="3.1.0"),
            Block('resource "aws_eip" "nat"', """
                for_each = toset(var.nat == "none" ? [] : var.nat == "one" ? slice(var.zones, 0, 1) : var.zones)
                domain   = "vpc"
            """),
            Block('resource "aws_nat_gateway" "this"', """
                for_each      = aws_eip.nat
                allocation_id = each.value.id
                subnet_id     = aws_subnet.public[each.key].id
            """),
            Block('resource "aws_route_table" "public"', "vpc_id = aws_vpc.this.id"),
            Block('resource "aws_route_table" "private"', """
                for_each = toset(var.zones)
                vpc_id   = aws_vpc.this.id
            """),
            Block('resource "aws_cloudwatch_log_group" "flow"', """
                count             = var.flow_logs.enabled ? 1 : 0
                name              = "/network/${var.name}/flow"
                retention_in_days = var.flow_logs.days
            """),
            Block('resource "aws_flow_log" "this"', """
                count           = var.flow_logs.enabled ? 1 : 0
                vpc_id          = aws_vpc.this.id
                traffic_type    = "ALL"
                log_destination = aws_cloudwatch_log_group.flow[0].arn
            """),
            Block('resource "aws_ec2_transit_gateway_vpc_attachment" "this"', """
                count              = var.transit_gateway_id == null ? 0 : 1
                transit_gateway_id = var.transit_gateway_id
                vpc_id             = aws_vpc.this.id
                subnet_ids         = [for each in aws_subnet.private : each.id]
            """, since="4.2.0"),
            Block('data "aws_region" "this"', ""),
            Block('module "endpoints"', """
                source   = "./modules/endpoints"
                vpc_id   = aws_vpc.this.id
                services = var.endpoints
            """, since="4.1.0"),
            Block("moved", "from = aws_nat_gateway.single\nto   = aws_nat_gateway.this", since="4.0.0"),
        )),
    submodules={
        "endpoints": Folder(
            text="Gateway and interface endpoints for services of AWS.",
            inputs=(Input("vpc_id", "string", "The network."),
                    Input("services", "set(string)", "Short names of the services, as s3.")),
            outputs=(Output("ids", "{ for name, each in aws_vpc_endpoint.this : name => each.id }",
                            "The endpoints by service."),),
            blocks=(Block('resource "aws_vpc_endpoint" "this"', """
                for_each     = var.services
                vpc_id       = var.vpc_id
                service_name = "com.amazonaws.${each.value}"
            """),)),
        "peering": Folder(
            text="Joins two networks, routes included.",
            inputs=(Input("requester_vpc_id", "string", "The network that asks."),
                    Input("accepter_vpc_id", "string", "The network that is asked."),
                    Input("auto_accept", "bool", "Both are in this account.", "true")),
            outputs=(Output("id", "aws_vpc_peering_connection.this.id", "The connection."),),
            blocks=(Block('resource "aws_vpc_peering_connection" "this"', """
                vpc_id      = var.requester_vpc_id
                peer_vpc_id = var.accepter_vpc_id
                auto_accept = var.auto_accept
            """),)),
    },
    examples={
        "minimal": """
            module "network" {
              source = "../.."

              name  = "try-out"
              cidr  = "10.99.0.0/20"
              zones = ["eu-central-1a", "eu-central-1b"]
              nat   = "one"
            }
        """,
        "complete": """
            module "network" {
              source = "../.."

              name  = "payments-prod"
              cidr  = "10.40.0.0/16"
              zones = ["eu-central-1a", "eu-central-1b", "eu-central-1c"]

              flow_logs          = { days = 90 }
              endpoints          = ["s3", "dynamodb", "ecr.api", "ecr.dkr"]
              transit_gateway_id = "tgw-0123456789abcdef0"
              tags               = { owner = "payments" }
            }

            output "addresses" {
              value = module.network.nat_addresses
            }
        """,
    },
    tests="""
        mock_provider "aws" {}

        run "one_nat_gateway" {
          variables {
            name  = "try-out"
            cidr  = "10.99.0.0/20"
            zones = ["eu-central-1a", "eu-central-1b"]
            nat   = "one"
          }

          assert {
            condition     = length(aws_nat_gateway.this) == 1
            error_message = "One NAT gateway is enough."
          }
        }
    """,
    history=(
        ("3.0.0", "First version for all regions."),
        ("3.1.0", "Subnets without a way out, for databases."),
        ("3.1.1", "Flow logs are tagged."),
        ("4.0.0", "Zones are named; `single_nat` is replaced by `nat`."),
        ("4.1.0", "Endpoints for services of AWS."),
        ("4.1.1", "The order of outputs follows the zones."),
        ("4.2.0", "Attaches to a transit gateway."),
        ("4.3.0-rc.1", "IPv6."),
    ),
    deprecated={"3.1.1": "3.x gets no fixes any more; move to 4.x, which the README tells in three steps."},
    withdrawn={"3.0.0": "Routed private subnets of two zones to each other; use 3.1.0."},
)

CLUSTER = Module(
    "platform/cluster/aws",
    "A Kubernetes cluster on EKS with node groups, workload identity and upgrades that wait for Tuesdays.",
    providers=AWS | {"kubernetes": ("hashicorp/kubernetes", "~> 2.30"), "tls": ("hashicorp/tls", "~> 4.0")},
    client=">= 1.8",
    readme="""
        ## What you get

        * a private API server, reached through the VPN
        * node groups that are replaced one node at a time
        * an OIDC issuer, so that pods need no keys

        ```hcl
        module "cluster" {
          source  = "HOST/platform/cluster/aws"
          version = "~> 2.1"

          name       = "payments-prod"
          kubernetes = "1.33"
          subnet_ids = module.network.private_subnet_ids
        }
        ```

        > [!WARNING]
        > Lowering `kubernetes` destroys the cluster. The module refuses it unless `allow_downgrade` is set.
    """,
    root=Folder(
        inputs=(
            Input("name", "string", "What the cluster is called."),
            Input("kubernetes", "string", "The version of Kubernetes, as 1.33."),
            Input("subnet_ids", "list(string)", "Where nodes live: private subnets of at least two zones."),
            Input("node_groups", """
                map(object({
                  instance_types = list(string)
                  min            = optional(number, 1)
                  max            = optional(number, 6)
                  spot           = optional(bool, false)
                  labels         = optional(map(string), {})
                  taints = optional(list(object({
                    key    = string
                    value  = optional(string)
                    effect = string
                  })), [])
                }))""", "Groups of nodes by name.", """
                {
                  general = { instance_types = ["m7g.large"] }
                }"""),
            Input("allow_downgrade", "bool", "Let the version of Kubernetes go down.", "false", since="2.1.0"),
            Input("log_types", "set(string)", "What the control plane logs.", '["audit", "authenticator"]'),
            Input("admin_role_arns", "list(string)", "Who may do everything.", "[]", until="2.0.0"),
            Input("access", "map(object({ role_arn = string, policy = string }))",
                  "Who may do what, by name.", "{}", since="2.0.0"),
        ),
        outputs=(
            Output("endpoint", "aws_eks_cluster.this.endpoint", "The API server's address."),
            Output("certificate_authority", "aws_eks_cluster.this.certificate_authority[0].data",
                   "The API server's certificate authority, in base64.", "sensitive = true"),
            Output("oidc_issuer", "aws_eks_cluster.this.identity[0].oidc[0].issuer", "Who signs the pods' identities."),
        ),
        blocks=(
            Block('module "network"', """
                source  = "HOST/platform/network/aws"
                version = "~> 4.1"

                name  = var.name
                cidr  = "10.64.0.0/16"
                zones = ["eu-central-1a", "eu-central-1b"]
            """, since="2.1.0"),
            Block('resource "aws_eks_cluster" "this"', """
                name    = var.name
                version = var.kubernetes

                vpc_config {
                  subnet_ids             = var.subnet_ids
                  endpoint_public_access = false
                }
            """),
            Block('resource "aws_eks_node_group" "this"', """
                for_each       = var.node_groups
                cluster_name   = aws_eks_cluster.this.name
                instance_types = each.value.instance_types
            """),
            Block('resource "aws_iam_openid_connect_provider" "this"', """
                url             = aws_eks_cluster.this.identity[0].oidc[0].issuer
                client_id_list  = ["sts.amazonaws.com"]
                thumbprint_list = [data.tls_certificate.issuer.certificates[0].sha1_fingerprint]
            """),
            Block('resource "kubernetes_namespace" "system"', 'metadata {\n  name = "kumo-system"\n}'),
            Block('data "tls_certificate" "issuer"', "url = aws_eks_cluster.this.identity[0].oidc[0].issuer"),
        )),
    history=(("1.0.0", "First version."), ("1.1.0", "Audit logs."), ("2.0.0", "`access` instead of `admin_role_arns`."),
             ("2.1.0", "Downgrades are refused unless they are meant.")),
)

DNS = Module(
    "platform/dns/aws",
    "A public or private zone with its records, and DNSSEC where it is public.",
    providers=AWS,
    readme="""
        Records are given as a map, so that a reordered list destroys nothing.

        ```hcl
        records = {
          www  = { type = "CNAME", values = ["edge.example.com"] }
          mail = { type = "MX", values = ["10 mx1.example.com", "20 mx2.example.com"], ttl = 3600 }
        }
        ```
    """,
    root=Folder(
        inputs=(Input("zone", "string", "The zone's name, without a dot at the end."),
                Input("records", "map(object({ type = string, values = list(string), ttl = optional(number, 300) }))",
                      "Records by name.", "{}"),
                Input("private_vpc_ids", "set(string)", "Networks that see a private zone; public when empty.", "[]"),
                Input("dnssec", "bool", "Sign the zone.", "true", since="1.1.0")),
        outputs=(Output("zone_id", "aws_route53_zone.this.zone_id", "The zone's id."),
                 Output("name_servers", "aws_route53_zone.this.name_servers", "To be entered at the registrar.")),
        blocks=(Block('resource "aws_route53_zone" "this"', "name = var.zone"),
                Block('resource "aws_route53_record" "this"', """
                    for_each = var.records
                    zone_id  = aws_route53_zone.this.zone_id
                    name     = each.key
                    type     = each.value.type
                    ttl      = each.value.ttl
                    records  = each.value.values
                """),
                Block('resource "aws_route53_hosted_zone_dnssec" "this"', "hosted_zone_id = aws_route53_zone.this.id",
                      since="1.1.0"))),
    history=(("1.0.0", "First version."), ("1.1.0", "DNSSEC."), ("1.1.1", "Records of the apex.")),
)

BUCKET = Module(
    "platform/bucket/aws",
    "A bucket that nobody can make public by accident: encrypted, versioned, with a lifecycle.",
    providers=AWS,
    readme="""
        | what | always | unless |
        |---|---|---|
        | public access | blocked | never |
        | encryption | SSE-KMS with the account's key | `kms_key_arn` |
        | versions | kept for 90 days | `keep_versions` |

        > [!TIP]
        > For static sites use `edge/cdn/aws`, which puts a private bucket behind the edge.
    """,
    root=Folder(
        inputs=(Input("name", "string", "The bucket's name; unique in the world."),
                Input("kms_key_arn", "string", "Another key than the account's.", "null"),
                Input("keep_versions", "number", "Days for which old versions are kept.", "90", since="2.0.0"),
                Input("readers", "list(string)", "Roles that may read.", "[]"),
                Input("writers", "list(string)", "Roles that may write.", "[]")),
        outputs=(Output("arn", "aws_s3_bucket.this.arn", "The bucket's ARN."),
                 Output("name", "aws_s3_bucket.this.bucket", "The bucket's name.")),
        blocks=(Block('resource "aws_s3_bucket" "this"', "bucket = var.name"),
                Block('resource "aws_s3_bucket_versioning" "this"', """
                    bucket = aws_s3_bucket.this.id

                    versioning_configuration {
                      status = "Enabled"
                    }
                """),
                Block('resource "aws_s3_bucket_public_access_block" "this"', "bucket = aws_s3_bucket.this.id"))),
    history=(("1.0.0", "First version."), ("2.0.0", "Old versions go after 90 days."), ("2.0.1", "Policy for readers."),
             ("2.1.0", "Policy for writers.")),
)

MODULES = (NETWORK, CLUSTER, DNS, BUCKET)
