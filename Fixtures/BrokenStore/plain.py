#!/usr/bin/env python3
"""A driver of the proof in Python, over the sqlite3 module of its standard library.

It shows that a driver can be written in any language, and what a store without encryption leaves:

    vestige prove --driver "python3 Fixtures/BrokenStore/plain.py"

Sources/Proving/DRIVER.md has the protocol.
"""

import json
import os
import shutil
import sqlite3
import sys


class Refusal(Exception):
    def __init__(self, kind, message):
        self.kind, self.message = kind, message


def sync(folder):
    """Makes names durable: what was made or removed there stays so when the power fails."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Store:
    abilities = ["search", "delete", "attach", "profiles", "erase", "format", "backup"]

    def __init__(self):
        self.folder, self.open = None, {}

    # What a subclass changes to drive another SQLite.
    name = "plain SQLite, from Python"
    errors = sqlite3.Error

    def connect(self, path):
        return sqlite3.connect(path)

    def path(self, profile):
        return os.path.join(self.folder, f"p{profile}.db")

    def make(self, profile):
        database = self.connect(self.path(profile))
        try:
            if self.is_made(database):
                raise Refusal("exists", "there is one")
            with database:
                # The module begins no transaction for a table: a cut must not leave one of the two.
                database.execute("BEGIN IMMEDIATE")
                database.execute("CREATE TABLE items(id TEXT PRIMARY KEY, fields TEXT NOT NULL)")
                database.execute(
                    "CREATE TABLE attachments(id TEXT PRIMARY KEY, name TEXT, body TEXT)")
        finally:
            database.close()
        sync(self.folder)

    def is_made(self, database):
        """Whether there are tables: an empty file, which a cut leaves, opens as well."""
        return database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] > 0

    def table(self, request):
        profile = request.get("profile", 0)
        if self.folder is None:
            raise Refusal("locked", "the store is locked")
        if profile not in self.open:
            if not os.path.exists(self.path(profile)):
                raise Refusal("missing", "there is no such profile")
            database = self.connect(self.path(profile))
            try:
                if not self.is_made(database):
                    raise Refusal("missing", "the profile was never made whole")
            except BaseException:
                database.close()
                raise
            self.open[profile] = database
        return self.open[profile]

    def close(self, request=None):
        for database in self.open.values():
            database.close()
        self.folder, self.open = None, {}
        return {}

    lock = close

    def hello(self, request):
        return {"store": self.name, "can": self.abilities}

    def create(self, request):
        self.close()
        self.folder = request["dir"]
        os.makedirs(self.folder, exist_ok=True)
        sync(os.path.dirname(self.folder))
        self.make(0)
        return self.close()

    def unlock(self, request):
        self.close()
        if not os.path.exists(os.path.join(request["dir"], "p0.db")):
            raise Refusal("missing", "there is no store")
        self.folder = request["dir"]
        try:
            self.table({})
        except BaseException:
            self.close()
            raise
        return {}

    def add_profile(self, request):
        self.make(1)
        return {"profile": 1}

    def put(self, request):
        database = self.table(request)
        with database:
            database.execute("INSERT OR REPLACE INTO items VALUES(?,?)",
                             (request["id"], json.dumps(request["fields"])))
        return {}

    def get(self, request):
        row = self.table(request).execute(
            "SELECT fields FROM items WHERE id=?", (request["id"],)).fetchone()
        if row is None:
            raise Refusal("not-found", "there is no such item")
        return {"fields": json.loads(row[0])}

    def list(self, request):
        return {"ids": [row[0] for row in self.table(request).execute("SELECT id FROM items")]}

    def search(self, request):
        rows = self.table(request).execute(
            "SELECT id FROM items WHERE instr(fields, ?) > 0", (request["text"],))
        return {"ids": [row[0] for row in rows]}

    def delete(self, request):
        database = self.table(request)
        with database:
            database.execute("DELETE FROM items WHERE id=?", (request["id"],))
            database.execute("DELETE FROM attachments WHERE id=?", (request["id"],))
        return {}

    def attach(self, request):
        database = self.table(request)
        with database:
            database.execute("INSERT OR REPLACE INTO attachments VALUES(?,?,?)",
                             (request["id"], request["name"], request["text"]))
        return {}

    def attachment(self, request):
        row = self.table(request).execute(
            "SELECT name, body FROM attachments WHERE id=?", (request["id"],)).fetchone()
        if row is None:
            raise Refusal("not-found", "there is none")
        return {"name": row[0], "text": row[1]}

    def erase(self, request):
        profile = request["profile"]
        if profile in self.open:
            self.open.pop(profile).close()
        os.unlink(self.path(profile))
        sync(self.folder)
        return {}

    def format(self, request):
        self.close()
        shutil.rmtree(request["dir"], ignore_errors=True)
        sync(os.path.dirname(request["dir"]))
        return {}

    def backup(self, request):
        os.makedirs(request["to"], exist_ok=True)
        target = self.connect(os.path.join(request["to"], "copy.db"))
        self.table(request).backup(target)
        target.close()
        return {}

    def status(self, request):
        return {}

    def places(self, request):
        return {"files": [request["dir"]], "temporary": [], "keys": []}

    def answer(self, line):
        try:
            request = json.loads(line)
            verb = getattr(self, request["do"].replace("-", "_"), None)
            if verb is None:
                raise Refusal("unsupported", "not done")
            return {"ok": True, **verb(request)}
        except Refusal as refusal:
            kind, message = refusal.kind, refusal.message
        except self.errors as error:
            text = str(error)
            kind = "full" if "full" in text else "io" if "I/O" in text else "damaged"
            # The message of the library: it must hold nothing that is protected.
            message = text
        except (OSError, KeyError, ValueError) as error:
            kind, message = "io", type(error).__name__
        return {"ok": False, "error": kind, "message": message}


def serve(store):
    for line in sys.stdin:
        print(json.dumps(store.answer(line)), flush=True)


if __name__ == "__main__":
    serve(Store())
