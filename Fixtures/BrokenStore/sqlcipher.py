#!/usr/bin/env python3
"""Drives SQLCipher 4 as PyPI's sqlcipher3-binary packs it: a store that nobody here wrote.

    python3 -m venv peers && peers/bin/pip install sqlcipher3-binary
    vestige prove --driver "peers/bin/python Fixtures/BrokenStore/sqlcipher.py"
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import plain
from sqlcipher3 import dbapi2


class CipherStore(plain.Store):
    """A database a profile under the password itself, the way the library's own examples do it."""

    name = "SQLCipher " + dbapi2.sqlite_version + ", from Python"
    errors = dbapi2.Error
    abilities = ["search", "delete", "attach", "profiles", "erase", "format", "backup", "rotate",
                 "passwd", "passwords"]
    password = ""

    def connect(self, path):
        database = dbapi2.connect(path)
        # As the examples: the key in the text of a statement.
        database.execute("PRAGMA key='" + self.password.replace("'", "''") + "'")
        return database

    def create(self, request):
        self.password = request["password"]
        return super().create(request)

    def unlock(self, request):
        if not request["password"]:
            raise plain.Refusal("wrong-password", "an empty password")
        self.password = request["password"]
        try:
            return super().unlock(request)
        except dbapi2.DatabaseError:
            raise plain.Refusal("wrong-password", "the database does not open with it")

    def rekey(self, password):
        for number in (0, 1):
            if os.path.exists(self.path(number)):
                self.table({"profile": number}).execute(
                    "PRAGMA rekey='" + password.replace("'", "''") + "'")

    def passwd(self, request):
        self.rekey(request["new"])
        self.password = request["new"]
        return {}

    def rotate(self, request):
        # The key comes from the password and the salt in the file: only the data is written anew.
        self.rekey(self.password)
        return {}


if __name__ == "__main__":
    plain.serve(CipherStore())
