#!/usr/bin/env python3
"""Drives SQLCipher 4 as PyPI's sqlcipher3-binary packs it: a store that nobody here wrote.

    python3 -m venv peers && peers/bin/pip install sqlcipher3-binary
    vestige prove --driver "peers/bin/python Fixtures/BrokenStore/sqlcipher.py"
    vestige prove --driver "peers/bin/python Fixtures/BrokenStore/sqlcipher.py --single"

Two databases cannot get a new password in one step, and that would be no fault of SQLCipher's: the password
is changed and keys are rotated in the second run, of a store of one database.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import plain
from sqlcipher3 import dbapi2


class CipherStore(plain.Store):
    """A database a profile under the password itself, the way the library's own examples do it."""

    name = ("SQLCipher " + dbapi2.connect(":memory:").execute("PRAGMA cipher_version").fetchone()[0]
            + " on SQLite " + dbapi2.sqlite_version + ", from Python")
    errors = dbapi2.Error
    abilities = (["search", "delete", "attach", "format", "backup", "passwords"]
                 + (["rotate", "passwd"] if "--single" in sys.argv else ["profiles", "erase"]))
    password = ""
    # The default of 256,000 rounds is four fifths of a run in which thousands of stores are opened.
    rounds = 4_000

    def connect(self, path):
        database = dbapi2.connect(path)
        # As the examples: the key in the text of a statement.
        database.execute("PRAGMA key='" + self.password.replace("'", "''") + "'")
        database.execute(f"PRAGMA kdf_iter={self.rounds}")
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
        row = self.table({}).execute(
            "PRAGMA rekey='" + password.replace("'", "''") + "'").fetchone()
        # The answer is "ok" where nothing was changed since the disk was full, too.
        if row is None or row[0] != "ok":
            raise plain.Refusal("io", "the database was not encrypted anew")

    def close(self, request=None):
        if request is not None:
            self.password = ""
        return super().close()

    lock = close

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
