"""Made-up protected values to search for while time is measured."""

import json
import random
import string


def write(path, count):
    """A needle file of `count` values of all kinds, the same ones every time."""
    rng = random.Random("needles")
    kinds = [text, phone, date, number, email, key]
    entries = []
    for index in range(count):
        kind, value = kinds[index % len(kinds)](rng)
        entries.append({"id": f"needle-{index}", "kind": kind, "value": value})
    with open(path, "w", encoding="utf-8") as file:
        json.dump(entries, file, ensure_ascii=False)


def word(rng, length):
    return "".join(rng.choices(string.ascii_lowercase, k=length)).capitalize()


def text(rng):
    return "text", f"{word(rng, 7)} {word(rng, 9)}"


def phone(rng):
    return "phone", f"+8610{rng.randrange(10**8):08}"


def date(rng):
    return "date", f"{rng.randrange(1940, 2010)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"


def number(rng):
    return "number", str(rng.randrange(10**11, 10**12))


def email(rng):
    return "email", f"{word(rng, 8).lower()}@{word(rng, 6).lower()}.example"


def key(rng):
    return "key-hex", rng.randbytes(32).hex()
