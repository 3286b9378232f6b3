#!/usr/bin/env python3
"""Writes the manual pages, from the program's own help.

    man.py PROGRAM FOLDER DATE

tapedeck.1 is the overview, and tapedeck-COMMAND.1 a page for each command; commands of a command are on its page.
"""

import json
import pathlib
import re
import subprocess
import sys


# Run a command behind `--`, which their declarations do not list.
WITH_COMMAND = {"record", "append", "replay", "passthrough", "serve"}


def escaped(text: str) -> str:
    """Text as roff: backslashes and hyphens are literal, and no line begins a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "")
    return re.sub(r"^\.", r"\\&.", text, flags=re.M)


def paragraphs(text: str) -> list[str]:
    lines = []
    for index, paragraph in enumerate(text.strip().split("\n\n")):
        lines += [".PP"] if index else []
        lines.append(escaped(paragraph))
    return lines


def name_of(argument: dict) -> str:
    """An option as it is written: `\\-\\-port PORT`, or the name of a positional argument."""
    value = argument.get("valueName", "value")
    if argument["kind"] == "positional":
        return f"\\fI{escaped(value)}\\fR" + ("..." if argument.get("isRepeating") else "")
    names = sorted((n for n in argument["names"]), key=lambda n: n["kind"] == "long")
    written = ", ".join("\\fB" + escaped(("--" if n["kind"] == "long" else "-") + n["name"]) + "\\fR" for n in names)
    return written + (f" \\fI{escaped(value)}\\fR" if argument["kind"] == "option" else "")


def options(command: dict) -> list[str]:
    """The sections of a command's arguments, in the order of the help."""
    shown = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
    sections: dict[str, list[dict]] = {}
    for argument in shown:
        title = argument.get("sectionTitle") or ("Arguments" if argument["kind"] == "positional" else "Options")
        sections.setdefault(title, []).append(argument)
    lines = []
    for title in sorted(sections, key=lambda title: title == "Options"):
        lines.append(f".SS {escaped(title)}")
        for argument in sections[title]:
            text = argument.get("abstract", "")
            default = argument.get("defaultValue")
            if default and "(default:" not in text:
                text += f" (default: {default})"
            lines += [".TP", name_of(argument), escaped(text) or "\\&"]
    return lines


def synopsis(names: list[str], command: dict) -> list[str]:
    shown = [a for a in command.get("arguments", []) if a.get("shouldDisplay", True)]
    words = ["[\\fIoptions\\fR]"] if any(a["kind"] != "positional" for a in shown) else []
    for argument in shown:
        if argument["kind"] == "positional":
            word = name_of(argument)
            words.append(f"[{word}]" if argument.get("isOptional") else word)
    if names[-1] in WITH_COMMAND:
        words.append("[\\-\\- \\fICOMMAND\\fR ...]")
    return [f".B {escaped(' '.join(names))}", " ".join(words)]


def page(names: list[str], command: dict, header: str) -> str:
    title = escaped("-".join(names))
    abstract = command.get("abstract", "").rstrip(".")
    abstract = abstract[:1].lower() + abstract[1:]
    lines = [f'.TH "{title.upper()}" 1 {header}', ".SH NAME", f"{title} \\- {escaped(abstract)}", ".SH SYNOPSIS"]
    below = [c for c in command.get("subcommands", []) if c.get("shouldDisplay", True) and c["commandName"] != "help"]
    if below:
        for child in below:
            if lines[-1] != ".SH SYNOPSIS":
                lines.append(".br")
            lines += synopsis([*names, child["commandName"]], child)
    else:
        lines += synopsis(names, command)
    lines.append(".SH DESCRIPTION")
    lines += paragraphs(command.get("abstract", ""))
    if command.get("discussion"):
        lines += [".PP", *paragraphs(command["discussion"])]
    if not below:
        lines += [".SH OPTIONS", *options(command)]
    for child in below if len(names) > 1 else []:
        lines += [f".SH {escaped(child['commandName'].upper())}", *paragraphs(child.get("abstract", ""))]
        if child.get("discussion"):
            lines += [".PP", *paragraphs(child["discussion"])]
        lines += options(child)
    if len(names) == 1:
        lines.append(".SH COMMANDS")
        for child in below:
            lines += [".TP", f".BR {title}\\-{escaped(child['commandName'])} (1)", escaped(child.get("abstract", ""))]
        lines += [
            ".SH FILES",
            ".TP",
            ".I cassettes/NAME.yaml",
            "Cassettes, in the working directory unless \\fB\\-\\-cassettes\\fR or TAPEDECK_CASSETTES names another folder.",
            ".TP",
            ".I tapedeck.yaml",
            "Settings of a project, in the working directory or the nearest folder above it.",
            ".TP",
            ".I ~/.local/share/tapedeck",
            "The certificate authority, unless TAPEDECK_CA_DIR names another folder.",
        ]
    else:
        lines += [".SH SEE ALSO", ".BR tapedeck (1)"]
    return "\n".join(line for line in lines if line) + "\n"


def main() -> None:
    program, folder, date = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    dump = subprocess.run([program, "--experimental-dump-help"], capture_output=True, check=True, text=True).stdout
    command = json.loads(dump)["command"]
    version = subprocess.run([program, "--version"], capture_output=True, check=True, text=True).stdout.strip()
    header = f'"{date}" "Tapedeck {version}" "Tapedeck"'
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tapedeck.1").write_text(page(["tapedeck"], command, header))
    for child in command["subcommands"]:
        if child["commandName"] != "help" and child.get("shouldDisplay", True):
            path = folder / f"tapedeck-{child['commandName']}.1"
            path.write_text(page(["tapedeck", child["commandName"]], child, header))


main()
