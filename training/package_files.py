"""How a package names its files in manifest.json; needs nothing but Python."""
import hashlib
import json
import os


def entry(folder, path):
    absolute = os.path.join(folder, path)
    return {"path": path, "sha256": sha256(absolute), "bytes": os.path.getsize(absolute)}


def sha256(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest()


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as out:
        out.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
