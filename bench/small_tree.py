"""A small tree of planted secrets, for a machine without the large one's maker."""

import gzip
import json
import os
import random
import sqlite3
import string
import zipfile
import zlib

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase


def token(rng, right=True):
    """A GitHub token whose last six characters are the CRC-32 of the rest, in base62."""
    body = "".join(rng.choices(BASE62, k=30))
    rest = zlib.crc32(body.encode()) ^ (0 if right else 0x5A5A5A5A)
    check = ""
    for _ in range(6):
        rest, digit = divmod(rest, 62)
        check = BASE62[digit] + check
    return "ghp_" + body + check


def log(rng, lines):
    words = ["tide", "pier", "sync", "cache", "retry", "page", "queue", "harbour", "chart", "buoy"]
    return [f"2025-03-02 08:{n // 60 % 60:02}:{n % 60:02} INFO {' '.join(rng.choices(words, k=9))}"
            for n in range(lines)]


def make(out, seed):
    """Writes `tree` and `ground-truth.json` below `out`."""
    rng = random.Random(f"small-{seed}")
    tree = os.path.join(out, "tree")
    os.makedirs(tree)
    secrets, decoys = [], []
    writers = {"text": write_text, "gz": write_gzip, "zip": write_zip, "sqlite-small": write_sqlite}
    for index in range(40):
        place = list(writers)[index % len(writers)]
        value = token(rng)
        lines = log(rng, 2000)
        lines.insert(rng.randrange(len(lines)), f'github_token = "{value}"')
        name = writers[place](tree, index, lines)
        secrets.append({"id": f"s{index:04}", "kind": "github", "place": place, "path": name,
                        "form": "line", "values": [value], "detail": {}})
    for index in range(40, 50):
        text = f'token_format_sample = "{token(rng, right=False)}"'
        decoys.append({"kind": "github-bad-checksum", "text": text,
                       "path": write_text(tree, index, log(rng, 500) + [text])})
    sizes = [os.path.getsize(os.path.join(tree, name)) for name in os.listdir(tree)]
    with open(os.path.join(out, "ground-truth.json"), "w", encoding="utf-8") as file:
        json.dump({"files": len(sizes), "bytes": sum(sizes), "secrets": secrets, "decoys": decoys}, file)


def write_text(tree, index, lines):
    name = f"f{index:03}.log"
    with open(os.path.join(tree, name), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    return name


def write_gzip(tree, index, lines):
    name = f"f{index:03}.log.gz"
    with open(os.path.join(tree, name), "wb") as file:
        file.write(gzip.compress("\n".join(lines).encode(), mtime=0))
    return name


def write_zip(tree, index, lines):
    name = f"f{index:03}.zip"
    with zipfile.ZipFile(os.path.join(tree, name), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("app.log", "\n".join(lines))
    return name


def write_sqlite(tree, index, lines):
    name = f"f{index:03}.sqlite"
    database = sqlite3.connect(os.path.join(tree, name))
    database.execute("CREATE TABLE entry(id INTEGER PRIMARY KEY, line TEXT)")
    database.executemany("INSERT INTO entry(line) VALUES(?)", [(line,) for line in lines])
    database.commit()
    database.close()
    return name
