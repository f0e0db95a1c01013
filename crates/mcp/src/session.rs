//! What answers one client.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use repertoire::Model;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams,
    GetSkillResult, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams,
    PromptsCapability, ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult, ReadResourceRequestParams,
    ReadResourceResponse, ResourcesCapability, SKILLS_EXTENSION_ID, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, ToolsCapability, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::{Instrument, Span};

use crate::notices::{Follower, Listener, Subscriptions, followed};
use crate::page::Page;
use crate::params::{Malformed, Method};
use crate::resources::shown;
use crate::strict::{is_conforming, is_strict};
use crate::view::Since;
use crate::{Face, Faces, Server, resources};

/// What answers one client of a [`Server`]: a handler for `rmcp`'s own ways of serving. Ends what it spawned when it is dropped.
#[derive(Debug)]
pub struct Session {
    server: Server,
    /// What the client is served with, once it has said who it is.
    faces: OnceLock<Faces>,
    /// What it could have seen when it began to follow.
    told: Mutex<Since>,
    subscriptions: Arc<Subscriptions>,
    /// Whether the client declared the extension, or called one of its methods.
    lists_skills: Arc<AtomicBool>,
    end: CancellationToken,
    _guard: DropGuard,
}

/// What `rmcp` calls the client's side of a request.
type Context = RequestContext<RoleServer>;

impl Session {
    pub(crate) fn new(server: Server) -> Session {
        let end = CancellationToken::new();
        Session {
            told: Mutex::new(server.view().since),
            faces: OnceLock::new(),
            subscriptions: Arc::default(),
            lists_skills: Arc::default(),
            _guard: end.clone().drop_guard(),
            end,
            server,
        }
    }

    /// The faces that this client is served with.
    fn faces(&self, context: &Context) -> Faces {
        self.faces.get().copied().unwrap_or_else(|| {
            let name = context.client_info().map(|client| client.name).unwrap_or_default();
            self.faces_for(&name, has_extension(context.client_capabilities().as_ref()))
        })
    }

    fn faces_for(&self, client: &str, has_extension: bool) -> Faces {
        let options = self.server.options();
        let Some(preset) = options.presets.iter().find(|preset| preset.is(client)) else { return options.faces };
        let faces = options.faces.and(preset.faces);
        // It would bring resources along for a client that has no use for them.
        if has_extension || faces.without(Face::Extension).has(Face::Resources) {
            faces
        } else {
            faces.without(Face::Extension)
        }
    }

    /// Whether the client is served with this face, and asks for something of it in a form that is known.
    fn wants(&self, face: Face, context: &Context) -> Result<(), ErrorData> {
        if !self.faces(context).has(face) {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "this is not served here", None));
        }
        malformed(context).map_or(Ok(()), |malformed| Err(malformed.error()))?;
        if face == Face::Extension {
            self.lists_skills.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The model that this client is known to speak for.
    fn model(&self, context: &Context) -> Model<'static> {
        let name = context.client_info().map(|client| client.name).unwrap_or_default();
        let presets = &self.server.options().presets;
        let mut model = Model::unknown();
        if let Some(preset) = presets.iter().find(|preset| preset.is(&name)) {
            (model.provider, model.name) = (preset.provider, preset.model);
        }
        model
    }

    /// What the client could have seen by now, for whoever begins to follow.
    fn begin(&self) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = self.server.view().since;
    }

    /// Returns whether the client refuses a whole list for one skill outside of the standard.
    fn is_strict(&self, client: Option<&Implementation>) -> bool {
        !self.server.options().presets.is_empty() && client.is_some_and(|client| is_strict(&client.name))
    }

    fn follower(
        &self,
        faces: Faces,
        subscriptions: Arc<Subscriptions>,
        listener: Listener,
        client: Option<&Implementation>,
    ) -> Follower {
        let told = *self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let lists_skills = Arc::clone(&self.lists_skills);
        let (views, server) = (self.server.views(), self.server.clone());
        let is_strict = self.is_strict(client);
        Follower { views, server, told, faces, lists_skills, is_strict, subscriptions, listener }
    }
}

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        let options = self.server.options();
        let faces = self.faces.get().copied().unwrap_or(options.faces);
        let server = Implementation::new(options.name.as_ref(), env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities(faces)).with_server_info(server)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        let has_extension = has_extension(Some(&request.capabilities));
        let faces = self.faces_for(&request.client_info.name, has_extension);
        let faces = *self.faces.get_or_init(|| faces);
        self.lists_skills.store(has_extension, Ordering::Relaxed);
        context.peer.set_peer_info(request.clone());
        self.begin();
        let mut result = self.negotiate_initialize(&request)?;
        result.instructions = self.server.instructions(&self.server.view(), faces, has_extension);
        Ok(result)
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult, ErrorData> {
        let mut config = self.get_info();
        let faces = self.faces(&context);
        config.capabilities = capabilities(faces);
        let has_extension = has_extension(context.client_capabilities().as_ref());
        config.instructions = self.server.instructions(&self.server.view(), faces, has_extension);
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), config))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let Some(faces) = self.faces.get() else { return };
        let client = context.peer.peer_info().map(|info| info.client_info.clone());
        let listener = Listener::Session(context.peer);
        let follower = self.follower(*faces, Arc::clone(&self.subscriptions), listener, client.as_ref());
        let end = self.end.clone();
        tokio::spawn(async move { end.run_until_cancelled(follower.run()).await });
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListSkillsResult, ErrorData> {
        self.wants(Face::Extension, &context)?;
        let mut listed = self.server.list_skills(request).instrument(span_of(&context)).await?;
        if self.is_strict(context.client_info().as_ref()) {
            let all = listed.skills.len();
            listed.skills.retain(|skill| is_conforming(&skill.frontmatter));
            if listed.skills.len() < all {
                let withheld = all - listed.skills.len();
                tracing::info!(
                    withheld,
                    "skills outside of the standard are not listed for a client that would refuse the list"
                );
            }
        }
        Ok(listed)
    }

    async fn get_skill(&self, request: GetSkillRequestParams, context: Context) -> Result<GetSkillResult, ErrorData> {
        self.wants(Face::Extension, &context)?;
        self.server.get_skill(&request.uri).instrument(span_of(&context)).await
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        context: Context,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        self.wants(Face::Extension, &context)?;
        self.server.read_directory(&request.uri, request.cursor).instrument(span_of(&context)).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.wants(Face::Resources, &context)?;
        self.server.list_resources(request)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.wants(Face::Resources, &context)?;
        // There is one page of them, and so no cursor.
        Page::of(request.as_ref(), self.server.version(0))?;
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.wants(Face::Resources, &context)?;
        self.server.read_resource(&request.uri).instrument(span_of(&context)).await.map(Into::into)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.wants(Face::Prompts, &context)?;
        self.server.list_prompts(request)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.wants(Face::Prompts, &context)?;
        self.server
            .get_prompt(&request.name, request.arguments.as_ref(), &self.model(&context))
            .instrument(span_of(&context))
            .await
            .map(Into::into)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        self.wants(Face::Tools, &context)?;
        self.server.list_tools(request)
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        self.wants(Face::Tools, &context)?;
        let model = self.model(&context);
        self.server
            .call_tool(&request.name, request.arguments, &model)
            .instrument(span_of(&context))
            .await
            .map(Into::into)
    }

    async fn complete(&self, request: CompleteRequestParams, context: Context) -> Result<CompleteResult, ErrorData> {
        self.wants(Face::Resources, &context)?;
        self.server.complete(&request).await
    }

    async fn subscribe(&self, request: SubscribeRequestParams, context: Context) -> Result<(), ErrorData> {
        self.wants(Face::Resources, &context)?;
        self.subscriptions.add(&self.server, request.uri).await
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, context: Context) -> Result<(), ErrorData> {
        self.wants(Face::Resources, &context)?;
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    /// A request that its parser knows no form of: of another method, or of one that takes other params.
    async fn on_custom_request(&self, request: CustomRequest, context: Context) -> Result<CustomResult, ErrorData> {
        let Some(method) = Method::named(&request.method, context.protocol_version().as_ref()) else {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, shown(&request.method), None));
        };
        if let Some(face) = method.face {
            self.wants(face, &context)?;
        }
        Err(method.malformed(request.params.as_ref()).error())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        // The client is told that it follows before `listen` is called, and may list at once.
        self.begin();
        let mut accepted = requested.clone();
        accepted.resource_subscriptions = Some(followed(requested).cloned().collect());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let subscriptions = Arc::new(Subscriptions::default());
        for uri in followed(context.accepted()) {
            subscriptions.add(&self.server, uri.clone()).await?;
        }
        let capabilities = context.request_context().client_capabilities();
        self.lists_skills.fetch_or(has_extension(capabilities.as_ref()), Ordering::Relaxed);
        let faces = self.faces(context.request_context());
        let client = context.request_context().client_info();
        let listener = Listener::Request(context.sink().clone());
        let follower = self.follower(faces, subscriptions, listener, client.as_ref());
        tokio::select! {
            () = context.cancelled() => {}
            () = follower.run() => {}
        }
        Ok(())
    }
}

/// Where what is logged of a question belongs.
#[cfg(feature = "http")]
fn span_of(context: &Context) -> Span {
    crate::http::span_of(&context.extensions)
}

#[cfg(not(feature = "http"))]
fn span_of(_: &Context) -> Span {
    Span::none()
}

/// What the parser of a request passed over, whichever way it came.
fn malformed(context: &Context) -> Option<&Malformed> {
    let malformed = context.extensions.get::<Malformed>();
    #[cfg(feature = "http")]
    let malformed = malformed.or_else(|| crate::http::extension(&context.extensions));
    malformed
}

/// What is declared: every notice of these is sent.
fn capabilities(faces: Faces) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::default();
    if faces.has(Face::Tools) {
        let mut tools = ToolsCapability::default();
        tools.list_changed = Some(true);
        capabilities.tools = Some(tools);
    }
    if faces.has(Face::Prompts) {
        let mut prompts = PromptsCapability::default();
        prompts.list_changed = Some(true);
        capabilities.prompts = Some(prompts);
    }
    if faces.has(Face::Resources) {
        let mut resources = ResourcesCapability::default();
        (resources.subscribe, resources.list_changed) = (Some(true), Some(true));
        capabilities.resources = Some(resources);
        // Of the variables of their template.
        capabilities.completions = Some(Default::default());
    }
    if faces.has(Face::Extension) {
        let settings = serde_json::Map::from_iter([("directoryRead".to_owned(), true.into())]);
        capabilities.extensions.get_or_insert_default().insert(SKILLS_EXTENSION_ID.to_owned(), settings);
    }
    capabilities
}

fn has_extension(capabilities: Option<&ClientCapabilities>) -> bool {
    let extensions = capabilities.and_then(|capabilities| capabilities.extensions.as_ref());
    extensions.is_some_and(|extensions| extensions.contains_key(SKILLS_EXTENSION_ID))
}
