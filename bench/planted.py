"""Compares a report with what was planted in a tree."""

import collections
import re


def squeezed(text):
    """Without what differs between a value and the text that shows it: white space and escapes."""
    return re.sub(r"\\[nrt]|\s", "", text)


def shows(finding, values):
    """Whether the finding is one of the values, or so long a part of one that it can be nothing else."""
    sample = squeezed(finding["sample"])
    for value in map(squeezed, values):
        if value in sample or len(sample) >= 16 and sample in value:
            return True
    return False


def compare(truth, report):
    """Prints recall a hiding place, decoys and everything else; whether all is as it should be."""
    by_path = collections.defaultdict(list)
    for finding in report["findings"]:
        by_path[finding["path"]].append(finding)

    explained = set()
    places = collections.Counter(s["place"] for s in truth["secrets"])
    found = collections.Counter()
    missed = []
    for secret in truth["secrets"]:
        hits = [f for f in near(by_path, secret["path"]) if shows(f, secret["values"])]
        explained.update(map(id, hits))
        if hits:
            found[secret["place"]] += 1
        else:
            missed.append(secret)
    for place, count in places.items():
        print(f"  {place:16} {found[place]:3} of {count}")
    print(f"found {len(truth['secrets']) - len(missed)} of {len(truth['secrets'])} secrets")
    for secret in missed:
        print(f"  missed: {secret['kind']} ({secret['form']}) in {secret['path']}")

    # A decoy that holds nothing like a value (a placeholder) is reported when its text is.
    false = []
    for decoy in truth["decoys"]:
        hits = [f for f in by_path[decoy["path"]] if squeezed(f["sample"]) in squeezed(decoy["text"])]
        explained.update(map(id, hits))
        false += [(decoy, f) for f in hits]
    print(f"reported {len(false)} of {len(truth['decoys'])} decoys")
    for decoy, finding in false:
        print(f"  decoy: {decoy['kind']} as {finding['rule']} in {decoy['path']}")

    # The other half of a pair, of which the tree's list names one, lies in a planted file.
    paths = {s["path"] for s in truth["secrets"]}
    others = [f for f in report["findings"] if id(f) not in explained]
    print(f"{len(others)} other findings")
    for finding in others:
        print(f"  {finding['severity']:8} {finding['rule']:34} {finding['locator']}"
              f"  {shortened(finding['sample'])}"
              + ("  (in a planted file)" if finding["path"] in paths else ""))
    codes = collections.Counter(d["code"] for d in report["diagnostics"])
    print("not looked at: " + (", ".join(f"{c} {n}" for c, n in sorted(codes.items())) or "nothing"))
    print()
    return not missed and not false


def near(by_path, path):
    """Findings in the file and, for a database, in its log and journal."""
    return [f for suffix in ("", "-wal", "-journal") for f in by_path[path + suffix]]


def shortened(text):
    text = "".join(c if c.isprintable() else "." for c in text)
    return text if len(text) <= 60 else text[:57] + "..."
