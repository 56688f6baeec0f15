#!/usr/bin/env python3
"""A driver over a store that encrypts in a way of its own: SQLite, and each value sealed by itself.

Its key is no database key, so that nothing can be said of what lies behind the encryption, and the proof
says so. With `--tell` it writes the key to standard error when it makes it, as a line for debugging does;
with `--same` it rotates keys by leaving them as they are; with `--chatty` a refusal says what else there
is; with `--vague` a list is no list.

    vestige prove --driver "python3 Fixtures/BrokenStore/sealed.py"
"""

import hashlib
import hmac
import json
import os
import sys

from plain import Refusal, Store, serve, sync


class Sealed(Store):
    name = "SQLite with sealed values, from Python"
    abilities = [verb for verb in Store.abilities if verb != "search"] + ["keys"]
    if "--same" in sys.argv:
        abilities.append("rotate")

    def connect(self, path):
        database = super().connect(path)
        # What is deleted is overwritten; sealed or not, it is gone.
        database.execute("PRAGMA secure_delete=ON")
        return database

    def path_of_key(self, request):
        return os.path.join(request["home"], "key")

    def create(self, request):
        path = self.path_of_key(request)
        if not os.path.exists(path):
            key = os.urandom(32)
            if "--tell" in sys.argv:
                print("new key", key.hex(), file=sys.stderr, flush=True)
            with open(path + ".new", "wb") as file:
                file.write(key)
                file.flush()
                os.fsync(file.fileno())
            os.rename(path + ".new", path)
            sync(request["home"])
        return super().create(request)

    def unlock(self, request):
        try:
            with open(self.path_of_key(request), "rb") as file:
                self.key = file.read()
        except FileNotFoundError:
            raise Refusal("missing", "there is no key")
        return super().unlock(request)

    def stream(self, nonce, count):
        blocks = (hashlib.sha256(self.key + nonce + number.to_bytes(8, "big")).digest()
                  for number in range(count // 32 + 1))
        return b"".join(blocks)[:count]

    def seal(self, value):
        content = json.dumps(value).encode()
        nonce = os.urandom(16)
        body = nonce + bytes(a ^ b for a, b in zip(content, self.stream(nonce, len(content))))
        return (hmac.digest(self.key, body, "sha256") + body).hex()

    def open_sealed(self, text):
        sealed = bytes.fromhex(text)
        tag, body = sealed[:32], sealed[32:]
        if not hmac.compare_digest(tag, hmac.digest(self.key, body, "sha256")):
            raise Refusal("damaged", "a value does not open")
        content, stream = body[16:], self.stream(body[:16], len(body) - 16)
        return json.loads(bytes(a ^ b for a, b in zip(content, stream)))

    def put(self, request):
        return super().put({**request, "fields": self.seal(request["fields"])})

    def get(self, request):
        try:
            return {"fields": self.open_sealed(super().get(request)["fields"])}
        except Refusal as refusal:
            row = self.table(request).execute("SELECT fields FROM items").fetchone()
            if row and "--chatty" in sys.argv:
                refusal.message += ", but " + str(self.open_sealed(json.loads(row[0])))
            raise

    def list(self, request):
        return {"ids": "some"} if "--vague" in sys.argv else super().list(request)

    def attach(self, request):
        return super().attach(
            {**request, "name": self.seal(request["name"]), "text": self.seal(request["text"])})

    def attachment(self, request):
        return {name: self.open_sealed(text)
                for name, text in super().attachment(request).items()}

    def keys(self, request):
        if self.folder is None:
            raise Refusal("locked", "the store is locked")
        return {"keys": [{"name": "database-0", "hex": self.key.hex()}]}

    def rotate(self, request):
        return {}

    def places(self, request):
        return {"files": [request["dir"]], "temporary": [], "keys": [self.path_of_key(request)]}


if __name__ == "__main__":
    serve(Sealed())
