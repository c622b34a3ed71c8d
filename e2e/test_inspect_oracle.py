#!/usr/bin/env python3
"""koya inspect beside HashiCorp's own parser (npm @cdktf/hcl2json): 360 generated files, every input, output and
resource equal, defaults too where they are literals. Skipped without node and npm."""
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


def file_text(number, dice):
    parts = []
    for each in range(dice.randint(1, 4)):
        name = f"n{number}_{each}"
        body = dice.choice(['', '  type = ' + dice.choice(TYPES) + '\n', '  description = "D ' + name + '"\n'])
        parts.append(f'variable "{name}" {{\n{body}  default = {dice.choice(LITERALS)}\n}}\n')
        parts.append(f'output "{name}" {{\n  value = {dice.choice(EXPRESSIONS + LITERALS)}\n}}\n')
        parts.append(f'resource "aws_x" {name} {{\n  a = {dice.choice(EXPRESSIONS)}\n  dynamic "b" {{\n    for_each = x\n'
                     f'    content {{ c = {dice.choice(["1", "b.value", "[]"])} }}\n  }}\n}}\n')
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


def names(document, kind):
    return sorted(document.get(kind, {}))


def check(koya, texts, oracle, folder):
    problems = 0
    run = subprocess.run([koya, "inspect", str(folder), "--json"], stdout=subprocess.PIPE, check=True, timeout=120)
    contents = json.loads(run.stdout)
    if contents["warnings"]:
        print("warnings:", contents["warnings"][:3])
        problems += 1
    root = contents["root"]
    for file in texts:
        ours = {kind: [x for x in root[kind] if x["file"] == file] for kind in ("inputs", "outputs", "resources")}
        theirs = oracle[file]
        for kind, word in (("inputs", "variable"), ("outputs", "output")):
            if sorted(x["name"] for x in ours[kind]) != names(theirs, word):
                print(f"{file}: {kind} differ")
                problems += 1
        if sorted(x["name"] for x in ours["resources"]) != names(theirs.get("resource", {}), "aws_x"):
            print(f"{file}: resources differ")
            problems += 1
        for each in ours["inputs"]:
            other = theirs["variable"][each["name"]][0]
            if each["default"] != meant(other["default"]):
                print(f'{file}: {each["name"]}: {each["default"]!r} is not {other["default"]!r}')
                problems += 1
            if "description" in other and other["description"] != each["description"]:
                print(f'{file}: {each["name"]}: another description')
                problems += 1
    return problems


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
