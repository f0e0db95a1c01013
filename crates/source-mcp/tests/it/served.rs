//! A server that behaves, on the official SDK and over HTTP.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::serve::ListenerExt;
use repertoire_core::skill_md::{FileContext, parse};
use repertoire_source_mcp::{McpOptions, McpSource};
use rmcp::model::{
    CustomResult, ErrorData, GetSkillRequestParams, GetSkillResult, ListSkillsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceContents, ServerCapabilities, ServerConfig, Skill, SkillFrontmatter, SkillResource,
    SkillResources,
};
use rmcp::service::{NotificationContext, Peer, RequestContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};

/// Skills of one page.
const PAGE: usize = 2;

#[derive(Debug, Default)]
struct State {
    skills: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    malformed: Vec<String>,
    peers: Vec<Peer<RoleServer>>,
    /// The requests, in order.
    asked: Vec<String>,
}

/// Skills, and the subscribers to their changes.
#[derive(Debug, Clone)]
pub(crate) struct Shop {
    state: Arc<Mutex<State>>,
    notifies: bool,
}

/// The shop, open at an address.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) shop: Shop,
    pub(crate) url: String,
}

pub(crate) async fn served(notifies: bool) -> Served {
    let shop = Shop {
        state: Arc::default(),
        notifies,
    };
    let own = shop.clone();
    let config = StreamableHttpServerConfig::default();
    let service = StreamableHttpService::new(
        move || Ok(own.clone()),
        Arc::<LocalSessionManager>::default(),
        config,
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    tokio::spawn(
        axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).into_future(),
    );
    Served { shop, url }
}

impl Served {
    pub(crate) fn options(&self) -> McpOptions {
        McpOptions::url(&self.url)
    }

    pub(crate) fn source(&self, name: &str) -> McpSource {
        McpSource::new(name, self.options()).unwrap()
    }
}

impl Shop {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Puts a file of a skill, and notifies everybody.
    pub(crate) async fn put(&self, id: &str, path: &str, bytes: impl Into<Vec<u8>>) {
        self.state()
            .skills
            .entry(id.to_owned())
            .or_default()
            .insert(path.to_owned(), bytes.into());
        self.notify().await;
    }

    pub(crate) async fn remove(&self, id: &str) {
        self.state().skills.remove(id);
        self.notify().await;
    }

    pub(crate) async fn put_malformed(&self, id: &str) {
        self.state().malformed.push(id.to_owned());
        self.notify().await;
    }

    pub(crate) fn content(&self, id: &str) -> Vec<u8> {
        self.state().skills[id]["SKILL.md"].clone()
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.state().asked.clone()
    }

    fn asked_for(&self, what: impl Into<String>) {
        self.state().asked.push(what.into());
    }

    async fn notify(&self) {
        let peers = self.state().peers.clone();
        for peer in peers.iter().filter(|_| self.notifies) {
            let _ = peer.notify_resource_list_changed().await;
        }
    }
}

fn uri(id: &str, path: &str) -> String {
    format!("skill://{id}/{path}")
}

fn entry(id: &str, files: &BTreeMap<String, Vec<u8>>) -> Skill {
    let text = &files["SKILL.md"];
    let parsed = parse(text, FileContext::new("SKILL.md").in_directory(id))
        .skill
        .unwrap();
    let mut front_matter = SkillFrontmatter::new(id, parsed.description.as_ref());
    for (key, value) in parsed
        .fields
        .iter()
        .filter(|(key, _)| !matches!(key.as_ref(), "name" | "description"))
    {
        front_matter = front_matter.with_field(key.as_ref(), value.json());
    }
    let rows = files
        .iter()
        .map(|(path, bytes)| SkillResource::from_bytes(uri(id, path), bytes))
        .collect();
    Skill::new(
        uri(id, "SKILL.md"),
        front_matter,
        SkillResources::Files(rows),
    )
}

impl ServerHandler for Shop {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder()
            .enable_resources()
            .enable_skills()
            .build();
        if let Some(resources) = &mut capabilities.resources {
            resources.list_changed = Some(self.notifies);
        }
        ServerConfig::new(capabilities)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.state().peers.push(context.peer);
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        self.asked_for("skills/list");
        let state = self.state();
        let from = request
            .and_then(|request| request.cursor)
            .map_or(0, |cursor| cursor.parse().unwrap());
        let mut all: Vec<Skill> = state
            .skills
            .iter()
            .map(|(id, files)| entry(id, files))
            .collect();
        for id in &state.malformed {
            let files = BTreeMap::from([(
                "SKILL.md".to_owned(),
                b"---\nname: a\ndescription: b\n---\n".to_vec(),
            )]);
            let mut broken = entry(id, &files);
            // The SDK lets a server say no more that is wrong.
            broken.frontmatter.description = " ".to_owned();
            all.push(broken);
        }
        all.sort_by(|a, b| a.uri.cmp(&b.uri));
        let page = all.iter().skip(from).take(PAGE).cloned().collect();
        let mut result = ListSkillsResult::with_all_items(page);
        result.next_cursor = (all.len() > from + PAGE).then(|| (from + PAGE).to_string());
        Ok(result)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        self.asked_for(format!("skills/get {}", request.uri));
        let state = self.state();
        let found = state
            .skills
            .iter()
            .find(|(id, _)| uri(id, "SKILL.md") == request.uri);
        let (id, files) = found.ok_or_else(|| ErrorData::invalid_params("no such skill", None))?;
        Ok(GetSkillResult::new(entry(id, files)))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.asked_for(format!("resources/read {}", request.uri));
        let state = self.state();
        let mut files = state
            .skills
            .iter()
            .flat_map(|(id, files)| files.iter().map(move |file| (id, file)));
        let found = files.find(|(id, (path, _))| uri(id, path) == request.uri);
        let (_, (_, bytes)) =
            found.ok_or_else(|| ErrorData::resource_not_found("no such resource", None))?;
        let content = match String::from_utf8(bytes.clone()) {
            Ok(text) => ResourceContents::text(text, &request.uri),
            Err(_) => {
                use base64::Engine as _;
                ResourceContents::blob(
                    base64::engine::general_purpose::STANDARD.encode(bytes),
                    &request.uri,
                )
            }
        };
        Ok(ReadResourceResponse::Complete(ReadResourceResult::new(
            vec![content],
        )))
    }

    async fn on_custom_request(
        &self,
        request: rmcp::model::CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(ErrorData::new(
            rmcp::model::ErrorCode::METHOD_NOT_FOUND,
            request.method,
            None,
        ))
    }
}
