"""The Helm chart (deploy/helm/koya) against helm, Kubernetes' schemas, and the program itself.

helm and kubeconform are built by `go install` (with KOYA_BUILD_TOOLS=1: it takes minutes), the
schemas are from PyPI and npm; all of them stay in ~/.cache/koya/tools ($KOYA_TOOLS). Each test whose
tool is missing is skipped by name. The program is compared with what the chart says about it: settings, ports, paths, probes.
"""
import contextlib
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
import zipfile

import koya_e2e
from koya_e2e import ROOT

try:
    import yaml
except ImportError:
    yaml = None

CHART = ROOT / "deploy/helm/koya"
CASES = sorted((CHART / "ci").glob("*-values.yaml"))
TOOLS = pathlib.Path(os.environ.get("KOYA_TOOLS", pathlib.Path.home() / ".cache/koya/tools"))
INSTALLED = {"helm": "helm.sh/helm/v3/cmd/helm@v3.16.4",
             "kubeconform": "github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7"}
INSTALL_SECONDS = 400  # a build that is cut off goes on where it was, the next time
# Kubernetes' own kinds from PyPI: the newest release that the chart's users have had for a while.
SCHEMAS = ("kubernetes-validate==1.37.0",
           "85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9", "v1.33.0")
# The others' from npm.
MODELS = {"@kubernetes-models/gateway-api": "2.0.0",
          "@kubernetes-models/prometheus-operator": "6.0.0"}
MODULES = {"HTTPRoute": "gateway-api/gateway.networking.k8s.io/v1",
           "TLSRoute": "gateway-api/gateway.networking.k8s.io/v1alpha2",
           "ServiceMonitor": "prometheus-operator/monitoring.coreos.com/v1"}
POD_IPS = {"0.0.0.0": "10.1.2.3", "[::]": "fd00::1:2"}  # by the address that the Pod listens on
# Settings that the chart writes itself, or that are not for a Pod: `settings` takes all others.
OF_THE_CHART = {
    "server.data", "server.listen", "server.url", "server.insecure_http", "server.trusted_proxies",
    "server.secret_file", "server.secret_previous", "tls.certificate", "tls.key", "metrics.listen",
    "cluster.listen", "cluster.address", "catalog.url", "timeouts.drain", "timeouts.drain_delay",
    "blobs.url", "blobs.s3.endpoint", "blobs.s3.region", "cache.archives_bytes"}
NOT_IN_SETTINGS = OF_THE_CHART | {"server.dev", "server.secret", "upstream.tokens", "cache.folder"}


def run(*words, **more):
    return subprocess.run([str(each) for each in words], capture_output=True, text=True,
                          **{"timeout": 120, **more})


def last_line(text):
    return (text.strip().splitlines() or ["no output"])[-1]


def or_skip(find):
    """`find` returns a path, or says why there is none: then the test is skipped, also the next."""
    found = functools.lru_cache(maxsize=None)(find)

    @functools.wraps(find)
    def path(*arguments):
        result = found(*arguments)
        if isinstance(result, str):
            raise unittest.SkipTest(result)
        return result
    return path


@or_skip
def installed(name):
    program = TOOLS / name
    if program.exists():
        return program
    if not os.environ.get("KOYA_BUILD_TOOLS"):
        return f"{name} is not in {TOOLS}; make portable builds it"
    if not shutil.which("go"):
        return f"{name} is not in {TOOLS}, and go is not on PATH"
    TOOLS.mkdir(parents=True, exist_ok=True)
    try:
        built = run("go", "install", INSTALLED[name], timeout=INSTALL_SECONDS,
                    env={**os.environ, "GOBIN": str(TOOLS)}, cwd=TOOLS)
    except subprocess.TimeoutExpired:
        return f"{name} was not built in {INSTALL_SECONDS} s"
    if built.returncode != 0:
        return f"{name} cannot be built: {last_line(built.stderr)}"
    return program


@contextlib.contextmanager
def prepared(folder):
    """A folder that takes the name `folder` if the block fills it."""
    TOOLS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=TOOLS) as above:
        made = pathlib.Path(above) / "made"
        made.mkdir()
        yield made
        if any(made.iterdir()):
            with contextlib.suppress(OSError):  # another run was first
                made.rename(folder)


@functools.lru_cache(maxsize=None)
def schema_folder():
    """Kubernetes' strict schemas as kubeconform reads them; None where they cannot be fetched."""
    package, digest, version = SCHEMAS
    folder = TOOLS / f"kubernetes-schemas-{version}"
    if folder.exists():
        return folder
    with tempfile.TemporaryDirectory() as download:
        run(sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--retries=0", "-d",
            download, package)
        wheel = next(pathlib.Path(download).glob("*.whl"), None)
        if not wheel or hashlib.sha256(wheel.read_bytes()).hexdigest() != digest:
            return None
        with zipfile.ZipFile(wheel) as opened, prepared(folder) as made:
            for name in opened.namelist():
                if f"/{version}-local-strict/" in name and name.endswith(".json"):
                    # Their addresses lead elsewhere.
                    schema = json.loads(opened.read(name).replace(b'"/api/_def', b'"_def'))
                    schema.pop("$id", None)
                    (made / pathlib.PurePath(name).name).write_text(json.dumps(schema))
    return folder


@or_skip
def models():
    """The folder of the npm packages."""
    folder = TOOLS / "kubernetes-models"
    for program in ("node", "npm"):
        if not shutil.which(program):
            return f"{program} is not on PATH"
    if not folder.exists():
        with prepared(folder) as made:
            fetched = run("npm", "install", "--no-fund", "--no-audit", "--prefix", made,
                          "--fetch-retries=0",
                          *(f"{name}@{version}" for name, version in MODELS.items()))
            if fetched.returncode != 0:
                return f"@kubernetes-models cannot be fetched from npm: {fetched.stderr[:200]}"
    return folder / "node_modules"


def helm(*words):
    # Else a helm that `go install` built takes the cluster for an old one.
    return run(installed("helm"), *words, "--kube-version", SCHEMAS[2])


@functools.lru_cache(maxsize=None)
def rendered(case):
    shown = helm("template", "koya", CHART, "-n", "registry", "-f", case)
    assert shown.returncode == 0, shown.stderr
    return shown.stdout


@functools.lru_cache(maxsize=None)
def documents(case):
    """What a values file makes, as {kind: {name: document}}."""
    if yaml is None:
        raise unittest.SkipTest("python3-yaml is not installed")
    kinds = {}
    for each in filter(None, yaml.safe_load_all(rendered(case))):
        kinds.setdefault(each["kind"], {})[each["metadata"]["name"]] = each
    return kinds


def workload(kinds):
    found, = [*kinds.get("Deployment", {}).values(), *kinds.get("StatefulSet", {}).values()]
    return found


def pod_of(kinds):
    return workload(kinds)["spec"]["template"]["spec"]


def container_of(kinds):
    container, = pod_of(kinds)["containers"]
    return container


def environment_of(kinds):
    """A Pod's variables as its process has them, with something in the place of the secrets."""
    secrets = {"KOYA_CATALOG_URL": "postgresql://koya:secret@db.example.com/koya",
               "KOYA_UPSTREAM_TOKENS": "registry.example.com=secret"}
    environment = {}
    for each in container_of(kinds)["env"]:
        if "value" in each:
            text = re.sub(r"\$\((\w+)\)", lambda found: environment[found[1]], each["value"])
        elif "fieldRef" in each["valueFrom"]:
            assert each["valueFrom"]["fieldRef"]["fieldPath"] == "status.podIP", each
            text = POD_IPS[environment["KOYA_SERVER_LISTEN"].rpartition(":")[0]]
        else:
            text = secrets.get(each["name"], "a secret of many letters")
            if each["name"].startswith("AWS_"):
                text = "key"
        assert each["name"] not in environment, each["name"]
        environment[each["name"]] = text
    return environment


def variable(setting):
    return "KOYA_" + setting.upper().replace(".", "_")


def settings_of(environment):
    """The settings that the program takes from an environment."""
    return shown_settings(frozenset(environment.items()))


@functools.lru_cache(maxsize=None)
def shown_settings(variables):
    shown = koya_e2e.cli("config", "show", "--json", environment=dict(variables))
    assert shown.returncode == 0, shown.stderr
    return json.loads(shown.stdout)


def port_of(address):
    return int(address.rpartition(":")[2])


def free_address():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def seconds(duration):
    number, unit = re.fullmatch(r"(\d+)([smh])", duration).groups()
    return int(number) * {"s": 1, "m": 60, "h": 3600}[unit]


def mebibytes(size):
    number, unit = re.fullmatch(r"(\d+)(Mi|Gi)B?", size).groups()
    return int(number) * {"Mi": 1, "Gi": 1024}[unit]


def amount(text):
    """A size or a duration as a number, since the program may write 1m for 60s."""
    if re.fullmatch(r"\d+[MG]iB", text):
        return mebibytes(text)
    return seconds(text) if re.fullmatch(r"\d+[smh]", text) else text


class Helm(koya_e2e.TestCase):
    """What helm and the schemas of Kubernetes say."""

    def test_lint(self):
        installed("helm")
        self.assertEqual(len(CASES), 6)
        for case in CASES:
            with self.subTest(case.name):
                lint = helm("lint", "--strict", CHART, "-f", case)
                self.assertEqual(lint.returncode, 0, lint.stdout + lint.stderr)
                self.assertNotIn("[WARNING]", lint.stdout)

    def kubeconform(self, **manifests):
        files = koya_e2e.write_files(self.folder / "manifests",
                                     {f"{name}.yaml": text for name, text in manifests.items()})
        folder = schema_folder()
        name = "{{ .ResourceKind }}{{ .KindSuffix }}.json"
        where = f"{folder}/{name}" if folder else "default"
        checked = run(installed("kubeconform"), "-strict", "-summary", "-skip", ",".join(MODULES),
                      "-kubernetes-version", SCHEMAS[2].lstrip("v"),
                      "-schema-location", where, files)
        shutil.rmtree(files)
        if not folder and re.search("dial tcp|lookup|downloading schema", checked.stdout):
            self.skipTest(f"no schemas of Kubernetes are to be had: neither {SCHEMAS[0]} by pip, "
                          "nor kubeconform's own")
        return checked

    def test_kubeconform(self):
        checked = self.kubeconform(
            bad=rendered(CASES[0]).replace("readOnlyRootFilesystem", "readonlyRootFilesystem"))
        self.assertEqual(checked.returncode, 1, checked.stdout)
        self.assertIn("readonlyRootFilesystem", checked.stdout)
        checked = self.kubeconform(**{case.stem: rendered(case) for case in CASES})
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertRegex(checked.stdout, r"in 6 files - Valid: \d\d, Invalid: 0, Errors: 0")

    def test_kinds_that_are_not_of_kubernetes(self):
        installed("helm")
        found = {}
        for case in CASES:
            for kind, each in documents(case).items():
                if kind in MODULES:
                    found[kind], = each.values()
        self.assertEqual(set(found), set(MODULES))
        folder = models()
        for kind, document in found.items():
            with self.subTest(kind):
                version = MODULES[kind].partition("/")[2]
                self.assertEqual(document["apiVersion"], version)
                script = (f'const {{{kind}}} = '
                          f'require("{folder}/@kubernetes-models/{MODULES[kind]}");'
                          f'new {kind}(JSON.parse(process.argv[1])).validate()')
                checked = run("node", "-e", script, json.dumps(document))
                self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_values_with_an_error_are_refused_with_their_place(self):
        installed("helm")
        single = (CHART / "ci/single-values.yaml").read_text()
        cluster = (CHART / "ci/cluster-values.yaml").read_text()
        cases = (
            # A file, a text in it and its replacement, and the message.
            (single, "persistence:", "persistance:", "persistance"),
            (single, "size: 100Gi", "size: 100 GB", "persistence.size"),
            (single, "type: LoadBalancer", "type: Loadbalancer", "service.type"),
            (single, "access.anonymous", "access.anonymos", "settings: .*access.anonymos"),
            (single, "access.anonymous", "server.secret", "settings: .*server.secret"),
            (single, "repository: images.example.com/koya", "tag: '1'",
             "image: repository is required"),
            (single, "url: https", "url: http", "url: "),
            (single, "url: https", "uri: https", "url is required"),
            (single, "existingSecret: koya-tls", "existingSecret: ''", "tls.existingSecret: name"),
            (single, "existingSecret: koya-tls", "mode: front", "trustedProxies: with tls.mode"),
            (single, "persistence:", "autoscaling: {enabled: true}\npersistence:",
             "autoscaling.enabled: there is one server"),
            (single, "persistence:", "shutdown: {drainSeconds: 90}\npersistence:",
             "shutdown.terminationGracePeriodSeconds"),
            (single, "persistence:", "gateway: {enabled: true}\npersistence:",
             "gateway.parentRefs"),
            (single, "persistence:", "extraEnv: [{nam: a}]\npersistence:", "extraEnv.0"),
            (cluster, "existingSecret: koya-secret", "existingSecret: ''",
             "secret.existingSecret: in"),
            (cluster, "existingSecret: koya-database", "key: url", "database.existingSecret: in"),
            (cluster, "url: s3://registry-example", "url: registry-example", "bucket.url"),
            (cluster, "mode: cluster", "mode: cluster\nreplicas: three", "replicas"),
        )
        values = self.folder / "values.yaml"
        for text, old, new, message in cases:
            with self.subTest(new):
                self.assertIn(old, text)
                values.write_text(text.replace(old, new, 1))
                shown = helm("template", "koya", CHART, "-f", values)
                self.assertNotEqual(shown.returncode, 0, shown.stdout)
                self.assertRegex(shown.stderr, message)

    def test_notes_name_the_next_steps(self):
        installed("helm")
        # helm shows them only with a cluster at hand.
        chart = self.folder / "koya"
        shutil.copytree(CHART, chart)
        notes = chart / "templates/NOTES.txt"
        (chart / "templates/_notes.tpl").write_text(
            '{{- define "notes" -}}\n' + notes.read_text() + "{{- end }}\n")
        notes.unlink()
        (chart / "templates/notes.yaml").write_text(
            "kind: Notes\nmetadata: {name: koya}\ntext: {{ include \"notes\" . | toJson }}\n")
        for name, words in (("single", ("statefulset/koya", "POD=koya-0", "get service koya")),
                            ("cluster-full", ("deployment/koya", "--prefix", "get ingress koya"))):
            with self.subTest(name):
                shown = helm("template", "koya", chart, "-n", "registry", "-s",
                             "templates/notes.yaml", "-f", CHART / f"ci/{name}-values.yaml")
                self.assertEqual(shown.returncode, 0, shown.stderr)
                text = json.loads(re.search(r"^text: (.*)$", shown.stdout, re.M)[1])
                for each in (*words, "/-/first-run",
                             "koya setup --server https://registry.example.com"):
                    self.assertIn(each, text)


def for_each_case(test):
    @functools.wraps(test)
    def run_them(self):
        documents(CASES[0])  # without helm or yaml, the test is skipped once
        for case in CASES:
            with self.subTest(case.name):
                test(self, documents(case))
    return run_them


class Manifests(koya_e2e.TestCase):
    """What the manifests say to one another, and to the program's settings."""

    def test_settings_are_the_programs(self):
        installed("helm")
        known = settings_of({})
        names = {variable(each): each for each in known}
        written = set()
        for case in CASES:
            environment = environment_of(documents(case))
            ours = {name for name in environment if name.startswith("KOYA_")}
            self.assertEqual(ours - set(names), set())
            # The program accepts each value, and takes it as it is written.
            settings = settings_of(environment)
            for name in sorted(ours):
                setting = names[name]
                if setting in ("server.secret_previous", "catalog.url", "upstream.tokens"):
                    self.assertNotEqual(settings[setting], known[setting])
                    continue
                self.assertEqual(amount(settings[setting]), amount(environment[name]), setting)
            values = yaml.safe_load(case.read_text())
            written |= {names[each] for each in ours} - set(values.get("settings", {}))
        self.assertEqual(written - {"upstream.tokens"}, OF_THE_CHART)

    def test_schema_lists_the_programs_settings(self):
        schema = json.loads((CHART / "values.schema.json").read_text())
        self.assertEqual(set(schema["properties"]["settings"]["properties"]) | NOT_IN_SETTINGS,
                         set(settings_of({})), "list it in values.schema.json, or in this test")

    def test_values_and_schema_list_the_same(self):
        if yaml is None:
            self.skipTest("python3-yaml is not installed")
        schema = json.loads((CHART / "values.schema.json").read_text())

        def compare(values, schema, place, optional):
            if "properties" not in schema or place == "settings":
                return
            self.assertEqual(schema["additionalProperties"], False, place)
            self.assertEqual(set(values) | optional, set(schema["properties"]), place)
            for name, value in values.items():
                if isinstance(value, dict) and (value or name == "settings"):
                    below = {"repository"} if name == "image" else set()
                    compare(value, schema["properties"][name], name, below)

        values = yaml.safe_load((CHART / "values.yaml").read_text())
        compare({**values, "resources": {"requests": {}, "limits": {}}}, schema, "values",
                {"url", "global"})

    @for_each_case
    def test_ports_are_where_the_program_listens(self, kinds):
        environment = environment_of(kinds)
        settings, container = settings_of(environment), container_of(kinds)
        ports = {each["name"]: each["containerPort"] for each in container["ports"]}
        plain = settings["server.insecure_http"] == "true"
        client = "http" if plain else "https"
        listening = {client: "server.listen", "metrics": "metrics.listen"}
        if settings["cluster.listen"] != "off":
            listening["cluster"] = "cluster.listen"
            self.assertEqual(port_of(settings["cluster.address"]), ports["cluster"])
            self.assertIn(environment["POD_IP"], settings["cluster.address"])
        self.assertEqual(ports, {name: port_of(settings[each])
                                 for name, each in listening.items()})
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            self.assertEqual(container[probe]["httpGet"]["port"], "metrics")
        services = kinds["Service"]
        self.assertEqual(set(services), {"koya", "koya-pods"})
        for service in services.values():
            for each in service["spec"]["ports"]:
                self.assertIn(each["targetPort"], ports)
                self.assertEqual(each["targetPort"], each["name"])
        # Metrics are not for clients.
        client_port, = services["koya"]["spec"]["ports"]
        self.assertEqual(client_port["name"], client)
        self.assertEqual(client_port["port"], 80 if plain else 443)
        for kind in ("Ingress", "HTTPRoute", "TLSRoute"):
            for route in kinds.get(kind, {}).values():
                text = json.dumps(route)
                self.assertIn('"registry.example.com"', text)
                if kind == "Ingress":
                    path, = route["spec"]["rules"][0]["http"]["paths"]
                    backend = path["backend"]["service"]
                    self.assertEqual((backend["name"], backend["port"]["name"]), ("koya", client))
                else:
                    backend = route["spec"]["rules"][0]["backendRefs"][0]
                    self.assertEqual((backend["name"], backend["port"]),
                                     ("koya", client_port["port"]))
                    self.assertEqual(kind, "HTTPRoute" if plain else "TLSRoute")
        for monitor in kinds.get("ServiceMonitor", {}).values():
            labels = monitor["spec"]["selector"]["matchLabels"].items()
            chosen = [name for name, each in services.items()
                      if labels <= each["metadata"]["labels"].items()]
            self.assertEqual(chosen, ["koya-pods"])
        for policy in kinds.get("NetworkPolicy", {}).values():
            entrances = [each["port"] for rule in policy["spec"]["ingress"]
                         for each in rule["ports"]]
            self.assertEqual(sorted(entrances), sorted(ports))
            exits = {each["port"] for rule in policy["spec"]["egress"] for each in rule["ports"]}
            self.assertLessEqual({53, 443, 5432, ports["cluster"]}, exits)
            store = re.search(r":(\d+)$", settings["blobs.s3.endpoint"] or ":443")
            self.assertIn(int(store[1]), exits)

    @for_each_case
    def test_files_are_where_the_program_looks(self, kinds):
        settings, pod = settings_of(environment_of(kinds)), pod_of(kinds)
        mounts = {each["mountPath"]: each for each in container_of(kinds)["volumeMounts"]}
        volumes = {each["name"]: each for each in pod.get("volumes", [])}
        claims = {each["metadata"]["name"]: each
                  for each in workload(kinds)["spec"].get("volumeClaimTemplates", [])}
        self.assertEqual({each["name"] for each in mounts.values()}, {*volumes, *claims})
        data = mounts[settings["server.data"]]
        self.assertFalse(data.get("readOnly"))
        if "StatefulSet" in kinds:
            self.assertIn(data["name"], claims)
            self.assertEqual(settings["catalog.url"], "sqlite")
            self.assertEqual(settings["blobs.url"], "folder")
        else:
            limit = mebibytes(volumes[data["name"]]["emptyDir"]["sizeLimit"])
            self.assertLess(mebibytes(settings["cache.archives_bytes"]), limit * 0.9)
        if settings["server.insecure_http"] == "true":
            self.assertTrue(settings["server.trusted_proxies"])
        else:
            files = {pathlib.PurePath(settings[each])
                     for each in ("tls.certificate", "tls.key")}
            self.assertEqual({each.name for each in files}, {"tls.crt", "tls.key"})
            folder, = {str(each.parent) for each in files}
            self.assertIn("secret", volumes[mounts[folder]["name"]])
        if file := settings["server.secret_file"]:
            file = pathlib.PurePath(file)
            item, = volumes[mounts[str(file.parent)]["name"]]["secret"]["items"]
            self.assertEqual(item["path"], file.name)

    @for_each_case
    def test_nothing_secret_is_written_out(self, kinds):
        secret = ("server.secret", "server.secret_previous", "catalog.url", "upstream.tokens")
        self.assertNotIn("ConfigMap", kinds)
        self.assertNotIn("Secret", kinds)
        for each in container_of(kinds)["env"]:
            if each["name"] in {variable(name) for name in secret} or "AWS_" in each["name"]:
                self.assertIn("secretKeyRef", each["valueFrom"], each["name"])

    @for_each_case
    def test_a_pod_may_do_little_and_stops_in_time(self, kinds):
        pod, container = pod_of(kinds), container_of(kinds)
        self.assertEqual(container["args"], ["serve"])
        self.assertFalse(pod["automountServiceAccountToken"])
        self.assertLessEqual(
            {"runAsNonRoot": True, "runAsUser": 10001, "fsGroup": 10001}.items(),
            pod["securityContext"].items())
        self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
        self.assertEqual(container["securityContext"],
                         {"readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False,
                          "capabilities": {"drop": ["ALL"]}})
        settings = settings_of(environment_of(kinds))
        delay = seconds(settings["timeouts.drain_delay"])
        readiness = container["readinessProbe"]
        self.assertGreaterEqual(delay, readiness["periodSeconds"] * readiness["failureThreshold"])
        self.assertGreater(pod["terminationGracePeriodSeconds"],
                           delay + seconds(settings["timeouts.drain"]))
        # A Service named koya makes KOYA_PORT; one named koya-cluster, KOYA_CLUSTER_PORT.
        self.assertFalse(pod["enableServiceLinks"])
        if "Deployment" in kinds:
            rollout = workload(kinds)["spec"]["strategy"]["rollingUpdate"]
            self.assertEqual(rollout["maxUnavailable"], 0)
            self.assertEqual(len(pod["topologySpreadConstraints"]), 2)
            self.assertEqual("replicas" in workload(kinds)["spec"],
                             "HorizontalPodAutoscaler" not in kinds)
        else:
            self.assertEqual(workload(kinds)["spec"]["replicas"], 1)

    def test_why_there_are_no_service_links(self):
        links = koya_e2e.cli("config", "show",
                             environment={"KOYA_CLUSTER_PORT": "tcp://10.0.0.1:443"})
        self.assertNotEqual(links.returncode, 0, links.stdout)

    def test_image_and_version(self):
        version = koya_e2e.cli("version").stdout.split()[1]
        chart = (CHART / "Chart.yaml").read_text()
        self.assertEqual(re.search(r"^appVersion: (.*)$", chart, re.M)[1], version)
        installed("helm")
        images = {case.name: container_of(documents(case))["image"] for case in CASES}
        self.assertEqual(images["single-values.yaml"], f"images.example.com/koya:{version}")
        self.assertEqual(images["single-ingress-values.yaml"], "images.example.com/koya:0.1")
        self.assertRegex(images["cluster-full-values.yaml"],
                         r"^images\.example\.com:5000/tools/koya@sha256:[0-9a-f]{64}$")


class Program(koya_e2e.TestCase):
    """A server with the environment of a Pod, and its files below a folder of this machine."""

    def start(self, case, **more):
        installed("helm")
        kinds = documents(CHART / f"ci/{case}-values.yaml")
        self.metrics, listen = free_address(), free_address()
        environment = {**environment_of(kinds), "KOYA_METRICS_LISTEN": self.metrics, **more}
        del environment["KOYA_SERVER_DATA"]
        koya = self.server(dev=False, listen=listen, environment=environment)
        self.assertEqual(koya.url, "https://registry.example.com")
        koya.scheme, koya.host, koya.port = "http", "127.0.0.1", port_of(listen)
        return kinds, koya

    def ask(self, path):
        try:
            with urllib.request.urlopen(f"http://{self.metrics}{path}", timeout=10) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def check_paths(self, kinds):
        container = container_of(kinds)
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            path = container[probe]["httpGet"]["path"]
            koya_e2e.wait_until(lambda: self.ask(path) == 200, f"200 for {path}")
        monitor = documents(CHART / "ci/cluster-full-values.yaml")["ServiceMonitor"]["koya"]
        for endpoint in monitor["spec"]["endpoints"]:
            self.assertEqual(self.ask(endpoint["path"]), 200)
        self.assertEqual(self.ask("/health"), 404)

    def test_probes_notes_and_drain_where_tls_ends_in_front(self):
        kinds, koya = self.start("single-ingress")
        self.assertEqual(koya.get("/.well-known/terraform.json").status, 200)
        self.assertEqual(koya.get("/-/first-run").status, 200)
        self.check_paths(kinds)
        # The image has git and no shell: the command of NOTES.txt prints the token by it.
        words = re.search(r"-- (git -C /data .*)", (CHART / "templates/NOTES.txt").read_text())[1]
        token = koya.data / "setup.token"

        def logged():  # once the file is written
            return [each for each in koya.log_records() if each["message"] == "set-up token created"]
        koya_e2e.wait_until(logged, "the set-up token's file")
        printed = run(*words.replace("/data", str(koya.data)).split(), cwd="/")
        self.assertRegex(printed.stdout, r"^koya_\S+\n$")
        self.assertEqual(printed.stdout, token.read_text())
        self.assertEqual(len(logged()), 1)
        # Readiness ends at once, requests are accepted for as long as the chart says.
        koya.process.send_signal(signal.SIGTERM)
        readiness = container_of(kinds)["readinessProbe"]["httpGet"]["path"]
        koya_e2e.wait_until(lambda: self.ask(readiness) == 503, "no longer ready", 3)
        self.assertEqual(koya.get("/.well-known/terraform.json").status, 200)
        self.assertEqual(self.ask(container_of(kinds)["livenessProbe"]["httpGet"]["path"]), 200)
        grace = pod_of(kinds)["terminationGracePeriodSeconds"]
        self.assertEqual(koya.process.wait(timeout=grace), 0)

    def test_certificate_of_a_secret(self):
        dev = self.server(name="dev")
        dev.stop()
        shutil.copy(dev.data / "dev/server.pem", self.folder / "tls.crt")
        shutil.copy(dev.data / "dev/server.key", self.folder / "tls.key")
        kinds, koya = self.start(
            "single", KOYA_TLS_CERTIFICATE=str(self.folder / "tls.crt"),
            KOYA_TLS_KEY=str(self.folder / "tls.key"), KOYA_TIMEOUTS_DRAIN_DELAY="0s")
        self.check_paths(kinds)
        context = ssl.create_default_context(cafile=dev.data / "dev/ca.pem")
        with urllib.request.urlopen(f"https://{koya.host}:{koya.port}/-/first-run", timeout=10,
                                    context=context) as answer:
            self.assertEqual(answer.status, 200)

    def test_a_cluster_waits_for_its_database_healthy_and_not_ready(self):
        installed("helm")
        kinds = documents(CHART / "ci/cluster-web-identity-values.yaml")
        container = container_of(kinds)
        self.metrics, peers = free_address(), free_address()
        (self.folder / "server.secret").write_text("a secret of many letters\n")
        environment = {
            **environment_of(kinds), "KOYA_METRICS_LISTEN": self.metrics,
            "KOYA_CLUSTER_LISTEN": peers,
            "KOYA_SERVER_LISTEN": free_address(), "KOYA_SERVER_DATA": str(self.folder / "data"),
            "KOYA_SERVER_SECRET_FILE": str(self.folder / "server.secret"),
            "KOYA_CATALOG_URL": f"postgresql://koya@{free_address()}/koya",
            "KOYA_TIMEOUTS_DRAIN_DELAY": "0s"}
        del environment["KOYA_UPSTREAM_CA_FILE"]
        log = self.folder / "log"
        with log.open("w") as output:
            process = subprocess.Popen(
                [koya_e2e.KOYA, "serve"], stdout=output, stderr=output,
                env=koya_e2e.clean_environment(HOME=str(self.folder), **environment))
        try:
            koya_e2e.wait_until(lambda: process.poll() is not None or self.answers(), "an answer")
            self.assertIsNone(process.poll(), log.read_text())
            self.assertEqual(self.ask(container["livenessProbe"]["httpGet"]["path"]), 200)
            self.assertEqual(self.ask(container["readinessProbe"]["httpGet"]["path"]), 503)
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()

    def answers(self):
        with contextlib.suppress(OSError):
            return self.ask("/healthz") == 200

    def test_keys_of_the_bucket_by_the_names_of_the_chart(self):
        installed("helm")
        environment = environment_of(documents(CHART / "ci/cluster-values.yaml"))
        names = {each for each in environment if each.startswith("AWS_")}
        self.assertEqual(names, {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"})
        with self.assertRaises(koya_e2e.StartFailed) as failed:
            self.server("--blobs.url", "s3://bucket", environment={"AWS_ACCESS_KEY_ID": "key"})
        self.assertIn("AWS_SECRET_ACCESS_KEY is not: set both", failed.exception.output)


if __name__ == "__main__":
    koya_e2e.main()
