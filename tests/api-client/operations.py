"""Calls every operation of a gateway through the generated client: operations.py ADDRESS, with a token in TOKEN."""

import importlib
import json
import os
import re
import sys
import urllib.request

from generated import AuthenticatedClient
from generated.models import AgentRequest

ADDRESS = f"http://{sys.argv[1]}"
TOKEN = os.environ["TOKEN"]
TIMEOUT = 60

SKILL = {"id": "review"}
REQUEST = {"pool": "review", "task_id": "T-1"}


def document():
    request = urllib.request.Request(f"{ADDRESS}/api/v1/openapi.json", headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        return json.load(answer)


class Operations:
    """The operations of the document, and the requests that were sent."""

    def __init__(self, described):
        self.described = {}
        for path, methods in described["paths"].items():
            for method, operation in methods.items():
                self.described[operation["operationId"]] = (method.upper(), path, operation["tags"][0])
        self.sent = set()
        self.client = AuthenticatedClient(base_url=ADDRESS, token=TOKEN, timeout=TIMEOUT, raise_on_unexpected_status=True)
        self.http = self.client.get_httpx_client()
        self.http.event_hooks["request"].append(self.note)

    def note(self, request):
        path = request.url.raw_path.decode().split("?")[0]
        fitting = [
            # The path of a file is the only one with slashes.
            (name, len(template))
            for name, (method, template, _) in self.described.items()
            if method == request.method
            and re.fullmatch(re.sub(r"\\\{\w+\\\}", ".+" if template.endswith("{path}") else "[^/]+", re.escape(template)), path)
        ]
        # `/agents/records` also fits `/agents/{id}`: the route with fewer parameters wins.
        name = min(fitting, key=lambda found: self.described[found[0]][1].count("{"))[0]
        self.sent.add(name)

    def module(self, name):
        tag = self.described[name][2].replace("-", "_")
        return importlib.import_module(f"generated.api.{tag}.{name}")

    def call(self, name, status=200, **arguments):
        answer = self.module(name).sync_detailed(client=self.client, **arguments)
        assert answer.status_code == status, f"{name}: {answer}"
        return answer

    def read(self, name, status=200, **arguments):
        """Calls an operation whose answer has a type."""
        answer = self.call(name, status, **arguments)
        assert answer.parsed is not None, f"{name}: {answer}"
        if hasattr(answer.parsed, "to_dict"):
            found = answer.parsed.to_dict()
            assert found == json.loads(answer.content), f"{name}: {found} is not {answer.content}"
        return answer.parsed


def run(operations):
    read, call = operations.read, operations.call
    for name, ids in [
        ("skills", ["review"]),
        ("workflows", ["workflows/ship.workflow.yaml"]),
        ("agents", ["sleeper"]),
        ("mcp_servers", ["db"]),
    ]:
        entries = read(name).entries
        assert [entry.id for entry in entries] == ids, f"{name}: {entries}"
    assert read("skill", id="review").id == "review"
    assert b"Read `notes.md` first." in call("body", id="review").content
    assert [file.path for file in read("files", id="review").files] == ["notes.md"]
    assert call("file", id="review", path="notes.md").content == b"Look at tests, too.\n"
    assert read("workflow", id="workflows/ship.workflow.yaml").id == "workflows/ship.workflow.yaml"
    assert read("agent", id="sleeper").id == "sleeper"
    assert read("mcp_server", id="db").id == "db"
    assert [hit.entry.id for hit in read("search", q="release").skills] == ["review"]
    assert len(read("why", id="review").candidates) == 1
    read("diagnostics")
    assert str(read("status").state) == "running"
    assert read("skill", 404, id="none").status == 404
    read("reload")
    read("openapi")

    assert read("records").agents == []
    assert [rating.profile for rating in read("explain", body=AgentRequest.from_dict(REQUEST)).ratings] == ["sleeper"]
    agent = read("spawn", 201, body=AgentRequest.from_dict(REQUEST)).agent
    assert read("record", id=agent.id).agent.id == agent.id
    read("orphans")
    assert read("cancel", id=agent.id).id == agent.id
    assert read("cancel", 404, id="none").status == 404

    # The stream does not end by itself.
    request = operations.module("events")._get_kwargs()
    with operations.http.stream(**request) as stream:
        lines = stream.iter_lines()
        assert next(line for line in lines if line.startswith("event: ")) == "event: state"


operations = Operations(document())
run(operations)
missing = set(operations.described) - operations.sent
assert not missing, f"not called: {sorted(missing)}"
print(f"{len(operations.sent)} operations")
print("ok")
