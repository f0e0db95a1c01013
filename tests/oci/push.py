"""Pushes skills to a registry: `push.py ADDRESS FOLDER COUNT`.

Writes an OCI layout of `FOLDER/pdf` to `FOLDER/layout`, pushes `FOLDER/tidy` as a folder and as files with oras, and a
collection of COUNT skills.
"""

import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor

import oras.client

SKILL = "application/vnd.agentskills.skill.v1"
CONFIG = "application/vnd.agentskills.skill.config.v1+json"
CONTENT = "application/vnd.agentskills.skill.content.v1.tar+gzip"
COLLECTION = "application/vnd.agentskills.collection.v1"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
INDEX = "application/vnd.oci.image.index.v1+json"


def descriptor(kind, content):
    digest = "sha256:" + hashlib.sha256(content).hexdigest()
    return {"mediaType": kind, "digest": digest, "size": len(content)}


def packed(name, files):
    """Returns the layer of a skill as the draft describes it."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0) as zipped:
        with tarfile.open(fileobj=zipped, mode="w:") as tar:
            for path, content in sorted(files.items()):
                entry = tarfile.TarInfo(f"{name}/{path}")
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def artifact(name, files):
    """Returns the config, the layer and the manifest of a skill."""
    config = json.dumps({"schemaVersion": "1", "name": name}).encode()
    layer = packed(name, files)
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "artifactType": SKILL,
        "config": descriptor(CONFIG, config),
        "layers": [descriptor(CONTENT, layer)],
        "annotations": {"io.agentskills.skill.name": name},
    }
    return config, layer, json.dumps(manifest).encode()


def write_layout(folder, blobs, manifest, tag):
    """Writes a layout, which skopeo reads."""
    os.makedirs(f"{folder}/blobs/sha256", exist_ok=True)
    for content in [*blobs, manifest]:
        name = hashlib.sha256(content).hexdigest()
        with open(f"{folder}/blobs/sha256/{name}", "wb") as file:
            file.write(content)
    row = descriptor(MANIFEST, manifest)
    row["annotations"] = {"org.opencontainers.image.ref.name": tag}
    for name, content in [
        ("oci-layout", {"imageLayoutVersion": "1.0.0"}),
        ("index.json", {"schemaVersion": 2, "manifests": [row]}),
    ]:
        with open(f"{folder}/{name}", "w") as file:
            json.dump(content, file)


def put(client, url, kind, content):
    answer = client.do_request(url, "PUT", headers={"Content-Type": kind}, data=content)
    assert answer.status_code == 201, answer.text


def put_blob(client, base, content):
    digest = descriptor("", content)["digest"]
    answer = client.do_request(f"{base}/blobs/uploads/", "POST")
    assert answer.status_code == 202, answer.text
    place = answer.headers["Location"]
    sign = "&" if "?" in place else "?"
    put(client, f"{place}{sign}digest={digest}", "application/octet-stream", content)


def push_collection(address, count):
    base = f"http://{address}/v2/team/all"

    def push(number):
        client = oras.client.OrasClient(insecure=True)
        name = f"skill-{number}"
        text = f"---\nname: {name}\ndescription: Reads {number}.\n---\nRead {number}.\n"
        config, layer, manifest = artifact(name, {"SKILL.md": text.encode()})
        for blob in [config, layer]:
            put_blob(client, base, blob)
        row = descriptor(MANIFEST, manifest)
        put(client, f"{base}/manifests/{row['digest']}", MANIFEST, manifest)
        row["annotations"] = {"io.agentskills.skill.name": name}
        return row

    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(push, range(count)))
    index = {"schemaVersion": 2, "mediaType": INDEX, "artifactType": COLLECTION, "manifests": rows}
    client = oras.client.OrasClient(insecure=True)
    put(client, f"{base}/manifests/1.0", INDEX, json.dumps(index).encode())


def main():
    address, folder, count = sys.argv[1:]
    os.chdir(folder)
    files = {}
    for root, _, names in os.walk("pdf"):
        for name in names:
            path = os.path.join(root, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, "pdf")] = file.read()
    config, layer, manifest = artifact("pdf", files)
    write_layout("layout", [config, layer], manifest, "1.0")
    client = oras.client.OrasClient(insecure=True)
    client.push(target=f"{address}/team/tidy:1.0", files=["tidy"])
    os.chdir("tidy")
    client.push(target=f"{address}/team/files:1.0", files=["SKILL.md", "notes.txt"])
    if int(count) > 0:
        push_collection(address, int(count))


main()
