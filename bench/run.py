#!/usr/bin/env python3
"""Measures vestige on a tree of planted secrets, beside what the machine can do at all.

One run measures everything, in turns, so that the ratios hold however loaded the machine is: each
round runs every program once, and the median of the rounds counts. Then the findings are compared
with what was planted: what was missed, which decoys were reported, and every other finding by name.

    python3 bench/run.py --vestige .build/release/vestige [--peers VENV] [--seed N]... [--tree DIR]

Only the standard library is used. Exit status 0 when nothing was missed and no decoy reported.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import needles
import planted
import small_tree

HERE = os.path.dirname(os.path.abspath(__file__))
MAKER = os.path.join(HERE, "..", "..", "shared", "bench", "make_corpus.py")
MIB = 1 << 20


class Timing:
    """Wall clock, processor time and peak memory of one run."""

    def __init__(self, wall, cpu, peak, status):
        self.wall, self.cpu, self.peak, self.status = wall, cpu, peak, status


def measure(command, cwd):
    """Runs a command with its output thrown away."""
    start = time.perf_counter()
    child = subprocess.Popen(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    return Timing(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, child.returncode)


def commands(args, tree, scratch):
    """Name and command of everything to measure, in order."""
    every = "find . -type f -print0 | xargs -0 "
    result = [("cat", ["bash", "-c", every + "cat"])]
    if shutil.which("rg"):
        result.append(("rg -a -c", [
            "rg", "-uuu", "-a", "-c", "-j", "2", "BEGIN [A-Z ]*PRIVATE KEY", "."]))
    if shutil.which("openssl"):
        result.append(("openssl dgst -sha256", ["bash", "-c", every + "openssl dgst -sha256"]))
    vestige = os.path.abspath(args.vestige)
    needle_file = os.path.join(scratch, "needles.json")
    needles.write(needle_file, 50)
    report = "--report=json=" + os.path.join(scratch, "timed.json")
    common = [vestige, "scan", ".", "--quiet", "--jobs", "2", report]
    result.append(("vestige, all packs, 50 needles", common + ["--needles", needle_file]))
    result.append(("vestige, 50 needles only", common + ["--needles", needle_file, "--packs", "none"]))
    result += peers(args, scratch)
    return result


def peers(args, scratch):
    """Other scanners, from the virtual environment given, without a network where that is possible."""
    if not args.peers:
        return []
    alone = ["unshare", "-n"] if os.geteuid() == 0 and shutil.which("unshare") else []
    folder = os.path.join(os.path.abspath(args.peers), "bin")
    known = {
        "betterleaks": ["filesystem", ".", "-o", os.path.join(scratch, "betterleaks.json"), "-s",
                        "--no-banner"],
        "kingfisher": ["scan", ".", "--no-validate", "--no-update-check", "--no-rule-cache", "-q",
                       "-f", "jsonl", "-o", os.path.join(scratch, "kingfisher.jsonl")],
        "gitleaks": ["dir", ".", "-r", os.path.join(scratch, "gitleaks.json"), "-f", "json",
                     "--no-banner", "--max-archive-depth", "8"],
    }
    wanted = args.peer or ["betterleaks", "kingfisher"]
    return [(name, alone + [os.path.join(folder, name)] + known[name])
            for name in wanted if os.access(os.path.join(folder, name), os.X_OK)]


def print_timings(runs, size):
    def middle(name, field):
        return statistics.median(getattr(t, field) for t in runs[name])

    print(f"{'median of ' + str(len(next(iter(runs.values())))):32}"
          f"{'wall s':>8}{'cpu s':>8}{'MiB/s':>8}{'peak MiB':>10}{'exit':>6}")
    for name, timings in runs.items():
        wall = middle(name, "wall")
        print(f"{name:32}{wall:8.2f}{middle(name, 'cpu'):8.2f}{size / MIB / wall:8.0f}"
              f"{middle(name, 'peak') / MIB:10.0f}{timings[-1].status:6}")
    ours = "vestige, all packs, 50 needles"
    print(f"\nratio of wall clock, {ours}:")
    for name in runs:
        if name != ours:
            print(f"  {middle(ours, 'wall') / middle(name, 'wall'):7.2f} x {name}")


def time_all(args, tree, scratch, size):
    todo = commands(args, tree, scratch)
    runs = {name: [] for name, _ in todo}
    for turn in range(args.rounds + 1):
        for name, command in todo:
            timing = measure(command, tree)
            if turn > 0:  # the first turn warms the caches
                runs[name].append(timing)
    print_timings(runs, size)


def judge(args, tree, truth, scratch):
    """Recall and decoys, from one run with the default packs and values shown."""
    path = os.path.join(scratch, "revealed.json")
    subprocess.run(
        [os.path.abspath(args.vestige), "scan", ".", "--quiet", "--reveal", "--jobs", "2",
         "--report=json=" + path],
        cwd=tree, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as file:
        return planted.compare(truth, json.load(file))


def make_tree(args, seed, scratch):
    """A folder with `tree` and `ground-truth.json`."""
    if args.tree:
        return args.tree
    out = os.path.join(scratch, f"seed-{seed}")
    if os.path.exists(MAKER):
        subprocess.run([sys.executable, MAKER, "--out", out, "--size-mib", str(args.size_mib),
                        "--seed", str(seed)], check=True)
    else:
        small_tree.make(out, seed)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--vestige", required=True, help="the program to measure")
    parser.add_argument("--peers", help="virtual environment that other scanners are installed in")
    parser.add_argument("--peer", action="append", help="which of them (default: betterleaks, kingfisher)")
    parser.add_argument("--seed", action="append", type=int, help="tree to make (default 1; repeatable)")
    parser.add_argument("--size-mib", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tree", help="a tree that was made before, instead of a new one")
    parser.add_argument("--no-timing", action="store_true", help="only recall and decoys")
    args = parser.parse_args()

    is_good = True
    for number, seed in enumerate(args.seed or [1]):
        with tempfile.TemporaryDirectory() as scratch:
            folder = make_tree(args, seed, scratch)
            with open(os.path.join(folder, "ground-truth.json"), encoding="utf-8") as file:
                truth = json.load(file)
            tree = os.path.join(os.path.abspath(folder), "tree")
            print(f"seed {seed}: {truth['files']} files, {truth['bytes'] / MIB:.1f} MiB\n")
            if number == 0 and not args.no_timing:
                time_all(args, tree, scratch, truth["bytes"])
                print()
            is_good &= judge(args, tree, truth, scratch)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
