//! The OpenAPI document, compared with what the routes do.

use std::collections::BTreeSet;
use std::sync::Arc;

use repertoire_agents::MemoryAgentStore;
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::http_client::{Answer, Client, with_server};
use crate::project::{FILE, Project};

/// The schema of OpenAPI 3.1 by its authors: <https://spec.openapis.org/oas/3.1/schema/2022-10-07>
const SCHEMA: &str = include_str!("openapi-3.1.json");

/// A method, a path of the document, and requests for it with the expected status.
type Case = (&'static str, &'static str, &'static [(&'static str, u16)]);

const CASES: [Case; 24] = [
    ("get", "/api/v1/skills", &[("/api/v1/skills", 200)]),
    (
        "get",
        "/api/v1/skills/{id}",
        &[("/api/v1/skills/review", 200), ("/api/v1/skills/none", 404)],
    ),
    (
        "get",
        "/api/v1/skills/{id}/body",
        &[
            ("/api/v1/skills/review/body", 200),
            ("/api/v1/skills/none/body", 404),
        ],
    ),
    (
        "get",
        "/api/v1/skills/{id}/files",
        &[
            ("/api/v1/skills/review/files", 200),
            ("/api/v1/skills/none/files", 404),
        ],
    ),
    (
        "get",
        "/api/v1/skills/{id}/files/{path}",
        &[
            ("/api/v1/skills/review/files/notes.md", 200),
            ("/api/v1/skills/review/files/none.md", 404),
        ],
    ),
    ("get", "/api/v1/workflows", &[("/api/v1/workflows", 200)]),
    (
        "get",
        "/api/v1/workflows/{id}",
        &[
            ("/api/v1/workflows/workflows%2Fa.workflow.yaml", 200),
            ("/api/v1/workflows/none", 404),
        ],
    ),
    ("get", "/api/v1/agents", &[("/api/v1/agents", 200)]),
    (
        "get",
        "/api/v1/agents/{id}",
        &[("/api/v1/agents/coder", 200), ("/api/v1/agents/none", 404)],
    ),
    (
        "get",
        "/api/v1/agents/records",
        &[("/api/v1/agents/records", 200)],
    ),
    (
        "post",
        "/api/v1/agents/records",
        &[
            ("/api/v1/agents/records", 422),
            ("/api/v1/agents/records {\"pool\": 1}", 422),
            (
                "/api/v1/agents/records {\"pool\": \"review\", \"task_id\": \"T-1\", \"needs_admin\": true}",
                409,
            ),
            (
                "/api/v1/agents/records {\"pool\": \"review\", \"task_id\": \"T-1\"}",
                201,
            ),
        ],
    ),
    (
        "get",
        "/api/v1/agents/records/{id}",
        &[("/api/v1/agents/records/none", 404)],
    ),
    (
        "delete",
        "/api/v1/agents/records/{id}",
        &[("/api/v1/agents/records/none", 404)],
    ),
    (
        "post",
        "/api/v1/agents/explain",
        &[
            ("/api/v1/agents/explain", 422),
            (
                "/api/v1/agents/explain {\"pool\": \"review\", \"task_id\": \"T-1\", \"needs_admin\": true}",
                200,
            ),
        ],
    ),
    (
        "get",
        "/api/v1/agents/orphans",
        &[("/api/v1/agents/orphans", 200)],
    ),
    (
        "get",
        "/api/v1/mcp-servers",
        &[("/api/v1/mcp-servers", 200)],
    ),
    (
        "get",
        "/api/v1/mcp-servers/{id}",
        &[
            ("/api/v1/mcp-servers/db", 200),
            ("/api/v1/mcp-servers/none", 404),
        ],
    ),
    (
        "get",
        "/api/v1/search",
        &[
            ("/api/v1/search?q=release", 200),
            ("/api/v1/search?limit=1", 400),
        ],
    ),
    (
        "get",
        "/api/v1/why/{id}",
        &[("/api/v1/why/review", 200), ("/api/v1/why/none", 404)],
    ),
    (
        "get",
        "/api/v1/diagnostics",
        &[("/api/v1/diagnostics", 200)],
    ),
    ("get", "/api/v1/status", &[("/api/v1/status", 200)]),
    ("post", "/api/v1/reload", &[("/api/v1/reload", 200)]),
    (
        "get",
        "/api/v1/openapi.json",
        &[("/api/v1/openapi.json", 200)],
    ),
    // Its test is `each_change_is_an_event`.
    ("get", "/api/v1/events", &[]),
];

/// A project that fills as many fields as possible.
fn project() -> Project {
    let project = Project::new(&format!(
        "{FILE}\n[[registries.agents]]\nid = \"remote\"\nruntime = \"acp\"\nurl = \"http://127.0.0.1:1\"\nlifecycle = \"resident\"\ndescription = \"Remote.\"\n\n\
         [[registries.mcp-servers]]\nid = \"db\"\ncommand = \"/none/db\"\nstart = \"at-once\"\nenv = {{ KEY = \"canary\" }}\nallow = [\"read_*\"]\ndeny = [\"drop\"]\ngrant-to = [\"team:*\"]\nstart-ms = 100\nmemory-mib = 512\n\n\
         [[registries.mcp-servers]]\nid = \"web\"\nurl = \"http://127.0.0.1:1/mcp\"\nheaders = {{ Authorization = \"canary\" }}\ntools = \"always\"\n"
    ));
    project.skill(
        "review",
        "allowedWorkflows: [ship]\nallowed-tools: [Read]\nsurface: both\ntags: [release]\nnested: { list: [1, null, true] }\n",
    );
    project.write("skills/review/notes.md", "Notes.\n");
    project.write("skills/broken/SKILL.md", "---\nname: [\n---\n");
    let plan = "description: Makes a release.\nsteps: [Ship.]\n";
    project.write("workflows/a.workflow.yaml", plan);
    project
}

/// Closes the schemas of objects, so that a field that is not described is an error.
fn close(schema: &mut Value) {
    if let Some(object) = schema.as_object_mut() {
        if object.contains_key("properties") {
            object.insert("additionalProperties".to_owned(), json!(false));
        }
        object.values_mut().for_each(close);
    } else if let Some(list) = schema.as_array_mut() {
        list.iter_mut().for_each(close);
    }
}

/// The document of a server.
pub(crate) struct Document(Value);

impl Document {
    pub(crate) async fn of(client: &Client) -> Document {
        Document(client.get("/api/v1/openapi.json").await.json())
    }

    /// Compares an answer with what the document says about it.
    pub(crate) fn check(&self, method: &str, path: &str, answer: &Answer) {
        let Document(document) = self;
        let status = answer.status.to_string();
        let response = &document["paths"][path][method]["responses"][status];
        let kind = answer.header("content-type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default();
        let content = &response["content"][kind];
        assert!(
            content.is_object(),
            "{method} {path}: {response} and {answer:?}"
        );
        if !kind.ends_with("json") {
            return;
        }
        let mut schema = content["schema"].clone();
        schema["components"] = document["components"].clone();
        close(&mut schema["components"]["schemas"]);
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let faults: Vec<_> = validator
            .iter_errors(&answer.json())
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(
            faults.is_empty(),
            "{method} {path}: {faults:#?}\n{}",
            answer.body
        );
    }
}

#[tokio::test]
async fn every_route_does_what_the_document_says() {
    let project = project();
    let store = Arc::new(MemoryAgentStore::default());
    let gateway = project.gateway().with_agents(store);
    gateway.start(&Handle::current()).await.unwrap();
    with_server(&gateway, async |client| {
        let document = Document::of(&client).await;
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let faults: Vec<_> = jsonschema::draft202012::new(&schema)
            .unwrap()
            .iter_errors(&document.0)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{faults:#?}");
        let paths = document.0["paths"].as_object().unwrap();
        let described = paths.iter().flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap().keys();
            methods.map(move |method| (method.as_str(), path.as_str()))
        });
        let tested = CASES.iter().map(|(method, path, _)| (*method, *path));
        assert_eq!(described.collect::<BTreeSet<_>>(), tested.collect());
        for (method, path, requests) in CASES {
            for (request, status) in requests {
                // The body follows the path.
                let (target, body) = request.split_once(' ').unwrap_or((request, ""));
                let answer = client.send_json(&method.to_uppercase(), target, body).await;
                assert_eq!(answer.status, *status, "{request}: {answer:?}");
                document.check(method, path, &answer);
                let refused = client.without_token();
                let refused = refused.request(&method.to_uppercase(), target, "").await;
                assert_eq!(refused.status, 401, "{request}");
                document.check(method, path, &refused);
            }
        }
    })
    .await;
}
