"""Compares what tools for SQLite find of values whose place is known, and how long they take.

    python3 bench/sqlite_peers.py CORPUS [--vestige PATH] [--dissect PATH]

CORPUS is a folder with the SQLite Forensic Corpus of Nemetz in `nemetz/` (a database and its answer
key, `.db` and `.xml`) and made-up databases in `synthetic-sqlite/` (with `truth/*.json`). A value counts
as found where it stands in what a tool writes. Tools that are not there are left out, and named.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import tempfile
import time
import xml.sax.saxutils


def deleted_values(path):
    """Texts of deleted rows of an answer key that no live row holds."""
    text = path.with_suffix(".xml").read_text("utf-8", "replace")
    live, gone = set(), set()
    for element in text.split("<element>")[1:]:
        dropped = "<deleted>True" in element
        for row in re.split(r"<row(?=[ >])", element)[1:]:
            deleted = dropped or row.startswith(' deleted="1"')
            for value in re.findall(r"<column>.*?<content>(.*?)</content>", row, re.S):
                value = xml.sax.saxutils.unescape(value, {"&quot;": '"', "&apos;": "'"})
                (gone if deleted else live).add(value)
    return {v for v in gone - live if len(v) >= 6 and re.search(r"[^\d.\s-]", v)}


def cases(corpus):
    """Databases with the values that lie in them or in the files beside them."""
    for path in sorted((corpus / "nemetz").rglob("*.db")):
        if path.with_suffix(".xml").exists() and "antifor" not in path.name:
            values = deleted_values(path)
            if values:
                yield "nemetz, deleted", path, values
    for truth in sorted((corpus / "synthetic-sqlite" / "truth").glob("*.json")):
        folder = corpus / "synthetic-sqlite" / truth.stem
        planted = {}
        for name, facts in json.loads(truth.read_text())["files"].items():
            base = re.sub(r"(-wal|-journal)$", "", name)
            for needle in facts.get("needles", {}):
                if needle.startswith("NDL-") and "-ENC" not in needle:
                    planted.setdefault(base, set()).add(needle)
        for name, needles in sorted(planted.items()):
            if (folder / name).exists():
                yield "synthetic", folder / name, needles


def copied(path, folder):
    """The database and what lies beside it, alone in a folder."""
    for suffix in ["", "-wal", "-shm", "-journal"]:
        source = path.with_name(path.name + suffix)
        if source.exists():
            shutil.copy(source, folder / source.name)
            os.chmod(folder / source.name, 0o644)
    return folder / path.name


def run(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, timeout=120)
        output, ok = done.stdout, done.returncode in (0, 1, 3)
    except subprocess.TimeoutExpired:
        output, ok = b"", False
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return output, ok, time.monotonic() - start, user


def vestige(program, database, values, folder):
    needles = folder / "needles.json"
    entries = [{"id": f"n{i}", "kind": "text", "value": v} for i, v in enumerate(values)]
    needles.write_text(json.dumps(entries))
    inputs = folder / "inputs"
    inputs.mkdir()
    for path in list(folder.iterdir()):
        if path.name.startswith(database.name):
            path.rename(inputs / path.name)
    output, ok, wall, user = run(
        [program, "scan", inputs, "--needles", needles, "--packs", "none", "--report", "json"])
    seen = {f.get("needle") for f in json.loads(output or b"{}").get("findings", [])}
    return {v for i, v in enumerate(values) if f"n{i}" in seen}, ok, wall, user


def dissect(program, database, values, folder):
    output, ok, wall, user = run([program, "-c", "-f", "-e", "text", "-d", folder, database])
    for path in folder.rglob("*"):
        if path.is_file() and not path.name.startswith(database.name + "-") and path != database:
            output += path.read_bytes()
    return {v for v in values if v.encode() in output}, ok, wall, user


def grep(program, database, values, folder):
    paths = [p for p in folder.iterdir() if p.name.startswith(database.name)]
    start = time.monotonic()
    content = b"\n".join(p.read_bytes() for p in paths)
    found = {v for v in values if v.encode() in content}
    return found, True, time.monotonic() - start, time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--vestige", default=".build/release/vestige")
    parser.add_argument("--dissect", default="sqlite_dissect")
    options = parser.parse_args()
    tools = [("search of bytes", grep, "grep"), ("vestige", vestige, options.vestige)]
    if shutil.which(options.dissect):
        tools.append(("sqlite_dissect", dissect, options.dissect))
    for name in ["sqlite_dissect", "bring2lite", "undark", "bulk_extractor"]:
        if not any(name == tool[0] for tool in tools):
            print(f"not here: {name}")
    totals = {}
    for group, path, values in cases(options.corpus):
        values = sorted(values)
        for name, look, program in tools:
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                database = copied(path, folder)
                found, ok, wall, user = look(program, database, values, folder)
            total = totals.setdefault((group, name), [0, 0, 0, 0, 0.0, 0.0])
            for index, part in enumerate([1, len(values), len(found), not ok, wall, user]):
                total[index] += part
    print(f"{'corpus':18}{'tool':18}{'files':>6}{'values':>8}{'found':>7}{'failed':>8}{'wall s':>9}{'cpu s':>8}")
    for (group, name), (files, wanted, found, failed, wall, user) in totals.items():
        print(f"{group:18}{name:18}{files:6}{wanted:8}{found:7}{failed:8}{wall:9.1f}{user:8.1f}")


if __name__ == "__main__":
    main()
