#!/usr/bin/env python3
"""koya inspect beside HashiCorp's own parser (npm @cdktf/hcl2json): 360 generated files with every kind of block, each
input, output, resource, requirement, call, provider, moved, removed and import block, check and local equal, with what
they say; defaults where they are literals, values where they are none. Skipped without node and npm."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

PARSE = """
const {parse} = require('@cdktf/hcl2json');
const fs = require('fs');
(async () => {
  const out = {};
  for (const f of fs.readdirSync(process.argv[2])) out[f] = await parse(f, fs.readFileSync(process.argv[2] + '/' + f, 'utf8'));
  console.log(JSON.stringify(out));
})().catch(e => { console.error(e); process.exit(1); });
"""

PARSER = "@cdktf/hcl2json@0.21.0"

LITERALS = ['"x"', '"a\\nb\\t\\"q\\" \\u00e4"', '"$${no} %%{no}"', '12', '-3', '0.5', 'true', 'false', 'null', '[]', '{}',
            '["a", "b",]', '[1, [2, [3]], { a = "b" }]', '{ a = 1, "b c" = [true], d : { e = "f" } }',
            '[\n    1, # one\n    2, // two\n    /* three */ 3\n  ]', '{\n    a = 1\n\n    b = 2\n  }',
            '<<EOT\nline "one"\n  two\nEOT', '<<-EOT\n    in\n      deeper\n\n    out\n  EOT']
EXPRESSIONS = ['var.a', '1 + 2 * 3', '"${var.a}-x"', 'a ? "b" : "c"', 'f(1, [2], { a = 3 })', '[for a in b : a if a != "}"]',
               '{ for k, v in x : k => v... }', 'x[0].y[*].z', '"%{ if a }}%{ else }{%{ endif }"', '!a && (b || c)',
               '<<E\n${join(", ", [\n  "x"])}\nE', '"${"${"}"}"}"', 'provider::a::b(1)', '(1 +\n  2)']
TYPES = ['string', 'list(string)', 'map(object({ a = optional(number, 1) }))', 'tuple([string, any])', 'object({\n    a = bool\n  })']
NEWLINES = ['\n', '\n', '\r\n']
FLAGS = ['', '  sensitive = true\n', '  nullable  = false\n', '  ephemeral = true\n  sensitive = false\n',
         '  deprecated = "Use another."\n']
REPEATED = ['', '  count = 2\n', '  count = var.a ? 1 : 0\n', '  for_each = toset(["a", "b"])\n', '  for_each = local.all\n']
CONDITION = '    condition     = length(NAME) > 3 && NAME != "x"\n    error_message = "Too short."\n'
LIFECYCLES = ['', '  lifecycle {\n    prevent_destroy = true\n  }\n',
              '  lifecycle {\n    create_before_destroy = true\n    ignore_changes = [a]\n  }\n']
KINDS = ("inputs", "outputs", "resources", "required_providers", "module_calls", "providers", "moved", "removed", "imports",
         "checks")


def block(head, *bodies):
    return head + " {\n" + "".join(bodies) + "}\n"


def condition(kind, name):
    return block(f"  {kind}", CONDITION.replace("NAME", name), "  ")


def requirement(name, dice):
    return dice.choice([
        f'    {name} = {{ source = "acme/{name}", version = "~> 1.0", configuration_aliases = [{name}.east, {name}.west] }}\n',
        f'    {name} = "~> 2.0"\n', f'    {name} = {{}}\n',
        f'    {name} = {{\n      source  = "registry.example.com/acme/{name}" # theirs\n      version = ">= 1.0, < 2.0"\n    }}\n'])


def rare_parts(name, dice):
    """Blocks that not every file has."""
    provider = name.replace("_", "x").replace("n", "p")
    parts = [
        block("terraform", f'  required_version = ">= 1.{len(name)}"\n', "  required_providers {\n", requirement(provider, dice),
              "  }\n"),
        *dice.choice([[], [block(f'provider "{provider}"', dice.choice(['', '  alias = "east"\n']), '  region = var.region\n')]]),
        block(f'data "aws_y" "{name}"', dice.choice(REPEATED), f"  provider = {provider}.east\n"),
        block(f'ephemeral "aws_z" "{name}"', dice.choice(REPEATED)),
        block(f'module "{name}"', '  source  = "acme/x/aws"\n  version = "~> 1.0"\n', dice.choice(REPEATED),
              dice.choice(['', f"  providers = {{\n    aws = aws.east\n    {provider} = {provider}\n  }}\n"])),
        block("locals", f"  {name}_a = {dice.choice(EXPRESSIONS)}\n  {name}_b = {dice.choice(LITERALS)}\n"),
        block("moved", f'  from = aws_x.{name}_old\n  to   = aws_x.{name}["k"]\n'),
        block("removed", f"  from = module.{name}_gone\n",
              dice.choice(['', "  lifecycle {\n    destroy = false\n  }\n", "  lifecycle {\n    destroy = true\n  }\n"])),
        block("import", f'  to = aws_x.{name}[0]\n  id = "i-{name}"\n'),
        block(f'check "{name}"', dice.choice(['', f'  data "aws_y" "{name}_inner" {{}}\n']),
              condition("assert", f"data.aws_y.{name}.id"), dice.choice(['', condition("assert", "var.b")])),
    ]
    return dice.sample(parts, dice.randint(1, 4))


def file_text(number, dice):
    parts = []
    for each in range(dice.randint(1, 4)):
        name = f"n{number}_{each}"
        body = dice.choice(['', '  type = ' + dice.choice(TYPES) + '\n', '  description = "D ' + name + '"\n'])
        body += dice.choice(FLAGS) + dice.choice(['', '', condition("validation", f"var.{name}")])
        parts.append(f'variable "{name}" {{\n{body}  default = {dice.choice(LITERALS)}\n}}\n')
        parts.append(block(f'variable "{name}_given"', dice.choice(FLAGS)))
        parts.append(block(f'output "{name}"', f"  value = {dice.choice(EXPRESSIONS + LITERALS)}\n",
                           dice.choice(['', '  sensitive = true\n', '  description = "What it is."\n', '  ephemeral = true\n',
                                        condition("precondition", "var.a")])))
        parts.append(f'resource "aws_x" {name} {{\n  a = {dice.choice(EXPRESSIONS)}\n  dynamic "b" {{\n    for_each = x\n'
                     f'    content {{ c = {dice.choice(["1", "b.value", "[]"])} }}\n  }}\n{dice.choice(REPEATED)}'
                     f'{dice.choice(LIFECYCLES)}}}\n')
        parts += rare_parts(name, dice)
    dice.shuffle(parts)
    text = dice.choice(['', '# head\n', '/* a { */\n', '\n\n']) + '\n'.join(parts)
    return text.replace('\n', '\r\n') if dice.choice(NEWLINES) == '\r\n' and '<<' not in text else text


def meant(value):
    """hcl2json gives JSON that is configuration again: what stands for "${" stays escaped there."""
    if isinstance(value, str):
        return value.replace("$${", "${").replace("%%{", "%{")
    if isinstance(value, list):
        return [meant(each) for each in value]
    return {key: meant(each) for key, each in value.items()} if isinstance(value, dict) else value


def tight(text):
    """Without blanks, which mean nothing between the words of an expression."""
    return "".join(text.split())


def bare(value):
    """An expression as both write it; of what is written out its JSON."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return json.dumps(value)
    return tight(value[2:-1] if value.startswith("${") and value.endswith("}") else value)


def labelled(document, kind):
    """Name and body of each block with one label."""
    return [(name, body) for name, bodies in document.get(kind, {}).items() for body in bodies]


def their_conditions(body, kind):
    return [(bare(each["condition"]), each["error_message"]) for each in body.get(kind, [])]


def our_conditions(conditions):
    return [(tight(each["condition"]), each["error_message"]) for each in conditions]


def their_resources(document):
    for kind, mode in (("resource", "managed"), ("data", "data"), ("ephemeral", "ephemeral")):
        for type_name, things in document.get(kind, {}).items():
            for name, body in ((name, body) for name, bodies in things.items() for body in bodies):
                lifecycle = body.get("lifecycle", [{}])[0]
                yield (mode, type_name, name, bare(body.get("count")), bare(body.get("for_each")),
                       bare(body.get("provider")) or type_name.split("_")[0], bare(lifecycle.get("prevent_destroy")),
                       bare(lifecycle.get("create_before_destroy")))
    for _, body in labelled(document, "check"):
        yield from their_resources({"data": body.get("data", {})})


def their_requirements(document):
    for body in document.get("terraform", []):
        for required in body.get("required_providers", []):
            for name, said in required.items():
                said = {"version": said} if isinstance(said, str) else said
                yield (name, said.get("source", ""), said.get("version", ""),
                       [bare(each) for each in said.get("configuration_aliases", [])])


def theirs(document):
    return {
        "inputs": [(name, bare(body.get("type")) or "any", body.get("sensitive", False), body.get("nullable", True),
                    body.get("ephemeral", False), body.get("deprecated", ""), "default" not in body,
                    their_conditions(body, "validation")) for name, body in labelled(document, "variable")],
        "outputs": [(name, body.get("sensitive", False), body.get("ephemeral", False),
                     their_conditions(body, "precondition")) for name, body in labelled(document, "output")],
        "resources": list(their_resources(document)),
        "required_providers": list(their_requirements(document)),
        "module_calls": [(name, body["source"], body["version"], bare(body.get("count")), bare(body.get("for_each")),
                          sorted((key, bare(value)) for key, value in body.get("providers", {}).items()))
                         for name, body in labelled(document, "module")],
        "providers": [(name, body.get("alias", "")) for name, body in labelled(document, "provider")],
        "moved": [(bare(body["from"]), bare(body["to"])) for body in document.get("moved", [])],
        "removed": [(bare(body["from"]), body.get("lifecycle", [{}])[0].get("destroy", True))
                    for body in document.get("removed", [])],
        "imports": [(bare(body["to"]), body["id"]) for body in document.get("import", [])],
        "checks": [(name, their_conditions(body, "assert")) for name, body in labelled(document, "check")],
    }


def ours(root, file):
    here = {kind: [each for each in root[kind] if each["file"] == file] for kind in KINDS}
    return {
        "inputs": [(x["name"], tight(x["type"]), x["sensitive"], x["nullable"], x["ephemeral"], x["deprecated"], x["required"],
                    our_conditions(x["validations"])) for x in here["inputs"]],
        "outputs": [(x["name"], x["sensitive"], x["ephemeral"], our_conditions(x["preconditions"])) for x in here["outputs"]],
        "resources": [(x["mode"], x["type"], x["name"], tight(x.get("count", "")), tight(x.get("for_each", "")), x["provider"],
                       x.get("prevent_destroy", ""), x.get("create_before_destroy", "")) for x in here["resources"]],
        "required_providers": [(x["name"], x["source"], x["version"], x["configuration_aliases"])
                               for x in here["required_providers"] if not x["implied"]],
        "module_calls": [(x["name"], x["source"], x["version"], tight(x.get("count", "")), tight(x.get("for_each", "")),
                          sorted(x["providers"].items())) for x in here["module_calls"]],
        "providers": [(x["name"], x.get("alias", "")) for x in here["providers"]],
        "moved": [(tight(x["from"]), tight(x["to"])) for x in here["moved"]],
        "removed": [(tight(x["from"]), x["destroy"]) for x in here["removed"]],
        "imports": [(tight(x["to"]), x["id"]) for x in here["imports"]],
        "checks": [(x["name"], our_conditions(x["assertions"])) for x in here["checks"]],
    }


def wrong_values(root, file, document):
    """Descriptions that are given (else comments stand for them), defaults that are literals, values that are none."""
    for kind, word in (("inputs", "variable"), ("outputs", "output")):
        for each in (x for x in root[kind] if x["file"] == file):
            other = document[word][each["name"]][0].get("description")
            if other is not None and each["description"] != other:
                yield f'{each["name"]}: {each["description"]!r} is not {other!r}'
    for each in (x for x in root["inputs"] if x["file"] == file and not x["required"]):
        other = document["variable"][each["name"]][0]
        if each["default"] != meant(other["default"]):
            yield f'{each["name"]}: {each["default"]!r} is not {other["default"]!r}'
    for each in (x for x in root["outputs"] if x["file"] == file):
        other = document["output"][each["name"]][0]["value"]
        written = isinstance(other, str) and other.startswith("${") and each["value"][0] not in '"<'
        if written and tight(each["value"]) != bare(other):
            yield f'{each["name"]}: {each["value"]!r} is not {other!r}'


def wrong_wholes(root, documents):
    """What is told of the folder, and not by file."""
    bodies = [body for document in documents for body in document.get("terraform", [])]
    versions = sorted(body["required_version"] for body in bodies if "required_version" in body)
    if sorted(root["required_version"].split(", ")) != versions:
        yield "required_version differs"
    if root["locals"] != sorted(name for document in documents for body in document.get("locals", []) for name in body):
        yield "locals differ"


def check(koya, texts, oracle, folder):
    run = subprocess.run([koya, "inspect", str(folder), "--json"], stdout=subprocess.PIPE, check=True, timeout=120)
    contents = json.loads(run.stdout)
    root = contents["root"]
    # Providers should not be configured in a module, which is said of each that is.
    problems = [f"a warning: {each}" for each in contents["warnings"] if "is configured in a module" not in each["text"]]
    if "warnings_left_out" in contents:
        problems.append("there are so many warnings that some are not told")
    problems += wrong_wholes(root, [oracle[file] for file in texts])
    seen = dict.fromkeys(KINDS, 0)
    for file in texts:
        told, parsed = ours(root, file), theirs(oracle[file])
        for kind in KINDS:
            seen[kind] += len(parsed[kind])
            if sorted(told[kind]) != sorted(parsed[kind]):
                problems.append(f"{file}: {kind}: {sorted(told[kind])} is not {sorted(parsed[kind])}")
        problems += [f"{file}: {each}" for each in wrong_values(root, file, oracle[file])]
    print(", ".join(f"{count} {kind}" for kind, count in seen.items()))
    problems += [f"hardly any {kind} in all of the files" for kind, count in seen.items() if count < 50]
    for each in problems[:20]:
        print(each)
    return len(problems)


def why_not_installed(folder):
    """Installs the other parser into `folder`; why that cannot be done, or nothing."""
    try:
        run = subprocess.run(["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", PARSER],
                             cwd=folder, timeout=120)
    except subprocess.TimeoutExpired:
        return f"npm took more than two minutes to fetch {PARSER}"
    return "" if run.returncode == 0 else f"npm cannot fetch {PARSER}"


def main():
    if not (shutil.which("node") and shutil.which("npm")):
        print("skipped: no node and npm")
        return 77
    dice = random.Random(13)
    with tempfile.TemporaryDirectory() as scratch:
        tools = pathlib.Path(scratch, "npm")
        tools.mkdir()
        if why := why_not_installed(tools):
            print(f"skipped: {why}")
            return 77
        folder = pathlib.Path(scratch, "module")
        folder.mkdir()
        texts = {f"f{n}.tf": file_text(n, dice) for n in range(360)}
        for name, text in texts.items():
            (folder / name).write_text(text, newline="")
        (tools / "parse.js").write_text(PARSE)
        run = subprocess.run(["node", "parse.js", str(folder)], cwd=tools, stdout=subprocess.PIPE, check=True, timeout=300)
        problems = check(os.environ["KOYA_BIN"], texts, json.loads(run.stdout), folder)
    print(f"{len(texts)} files, {problems} differences")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
