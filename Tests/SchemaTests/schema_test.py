#!/usr/bin/env python3
"""The JSON Schemas that `tapedeck schema` prints, against all cassettes here and against files with mistakes.

    TAPEDECK=.build/debug/tapedeck python3 Tests/SchemaTests/schema_test.py

Needs jsonschema and PyYAML from PyPI.
"""

import json
import os
import pathlib
import re
import subprocess
import unittest

import jsonschema
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
TAPEDECK = os.path.abspath(os.environ.get("TAPEDECK", ROOT / ".build/debug/tapedeck"))
MISTAKES = ROOT / "Tests/TapedeckCassettesTests/Goldens/Diagnostics"


class Loader(yaml.SafeLoader):
    """YAML 1.2's core schema, as cassettes are read: `off` and times are texts."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag in ("tag:yaml.org,2002:int", "tag:yaml.org,2002:null")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|True|TRUE|false|False|FALSE)$"), list("tTfF"))
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"), list("-+.0123456789"))


def schema(*options):
    text = subprocess.run([TAPEDECK, "schema", *options], capture_output=True, check=True, text=True).stdout
    parsed = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(parsed)
    return jsonschema.Draft202012Validator(parsed)


def errors(validator, text):
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" for error in
            validator.iter_errors(yaml.load(text, Loader))]


def cassettes():
    """Each cassette of the repository that is not there for its mistakes, and each whole one in the documentation."""
    for path in subprocess.run(["git", "ls-files", "*.yaml"], cwd=ROOT, capture_output=True, check=True,
                               text=True).stdout.split():
        # Files of other tools may be in any charset.
        text = (ROOT / path).read_text(errors="replace")
        if re.search("^tapedeck: 1$", text, re.M) and "Goldens/Diagnostics" not in path and "broken" not in path:
            yield path, text
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for number, block in enumerate(re.findall(r"```yaml\n(tapedeck: 1\n.*?)```", path.read_text(), re.S)):
            yield f"{path.name} ({number})", block


class SchemaTest(unittest.TestCase):
    def test_every_cassette_is_valid(self):
        validator = schema()
        found = {name: errors(validator, text) for name, text in cassettes()}
        self.assertGreater(len(found), 15)
        self.assertEqual({name: problems for name, problems in found.items() if problems}, {})

    def test_mistakes_of_form_are_found(self):
        """What a schema can say: names of keys, kinds of values, keys that are missing or exclude each other."""
        validator, project = schema(), schema("--project")
        golden = (MISTAKES.parent / "diagnostics.txt").read_text()
        form = re.compile("has no key|is written as|is a list|is one of|is true or false|is a whole number|needs `")
        missed = []
        for path in sorted(MISTAKES.glob("*.yaml")):
            lines = [line for line in golden.splitlines() if line.startswith(path.name + ":") and ": error:" in line]
            if not any(form.search(line) for line in lines):
                continue
            try:
                found = errors(project if path.name.endswith(".project.yaml") else validator, path.read_text())
            except yaml.YAMLError:
                continue
            if not found:
                missed.append(path.name)
        self.assertEqual(missed, [])

    def test_each_key_has_a_description(self):
        for options in ((), ("--project",)):
            definition = schema(*options).schema
            for name, mapping in [("", definition), *definition["$defs"].items()]:
                for key, value in mapping.get("properties", {}).items():
                    self.assertTrue(value.get("description"), f"{name}.{key}")


if __name__ == "__main__":
    unittest.main()
