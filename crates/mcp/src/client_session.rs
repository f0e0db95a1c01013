//! The handler of one client.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use repertoire::Model;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams, GetPromptResponse,
    GetSkillRequestParams, GetSkillResult, Implementation, InitializeRequestParams,
    InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListSkillsResult, ListToolsResult, PaginatedRequestParams, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};
use tokio::sync::Notify;
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Instrument;

use crate::instructions::instructions;
use crate::load_span::span_of;
use crate::notifications::{NotificationSink, Notifier, ResourceSubscriptions, followed};
use crate::page::Page;
use crate::params::{Malformed, Method};
use crate::prepared_answers::{ClientTraits, PreparedAnswers, SessionAnswers, leave_to_transport};
use crate::resources::quoted;
use crate::response_text::ResponseHead;
use crate::served_view::ListVersions;
use crate::session_messages::MessageLevel;
use crate::session_tools::SessionTools;
use crate::{Caller, McpFeatures, Server, extension, host_tool_calls, prompts, resources, tools};

/// The handler of one client. Dropping it ends its tasks.
#[derive(Debug)]
pub(crate) struct ClientSession {
    server: Server,
    features: OnceLock<McpFeatures>,
    announced: Mutex<ListVersions>,
    subscriptions: Arc<ResourceSubscriptions>,
    tools: Arc<SessionTools>,
    lists_skills: Arc<AtomicBool>,
    /// The log messages that the client asked for.
    message_level: Arc<MessageLevel>,
    /// Notified when the roots of the client changed. `None` for a client that is not asked for them.
    roots: Option<Arc<Notify>>,
    end: CancellationToken,
    _guard: DropGuard,
}

type Context = RequestContext<RoleServer>;

impl ClientSession {
    pub(crate) fn new(server: Server) -> ClientSession {
        server.follow();
        let end = CancellationToken::new();
        let tools = Arc::<SessionTools>::default();
        ClientSession {
            announced: Mutex::new(tools.versions(&server)),
            tools,
            features: OnceLock::new(),
            subscriptions: Arc::default(),
            lists_skills: Arc::default(),
            message_level: Arc::default(),
            roots: None,
            _guard: end.clone().drop_guard(),
            end,
            server,
        }
    }

    pub(crate) fn asking_for_roots(self) -> ClientSession {
        ClientSession {
            roots: Some(Arc::default()),
            ..self
        }
    }

    fn features(&self, context: &Context) -> McpFeatures {
        self.features.get().copied().unwrap_or_else(|| {
            let has_extension = extension::is_known_to(context.client_capabilities().as_ref());
            let options = self.server.options();
            options.features_for(&client_name(context), has_extension)
        })
    }

    fn wants(&self, feature: McpFeatures, context: &Context) -> Result<(), ErrorData> {
        if !self.features(context).contains(feature) {
            return Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                "this feature is not exposed",
                None,
            ));
        }
        Malformed::in_message(&context.extensions)
            .map_or(Ok(()), |malformed| Err(malformed.error()))?;
        if feature == McpFeatures::EXTENSION {
            self.lists_skills.store(true, Ordering::Relaxed);
        }
        if self.features.get().is_none() {
            self.prepare_answers(None, context);
        }
        Ok(())
    }

    fn model(&self, context: &Context) -> Model {
        let preset = self.server.options().preset(&client_name(context));
        let (provider, model) = preset
            .map(|preset| (preset.provider, preset.model))
            .unwrap_or_default();
        Model::new(model.unwrap_or_default()).with_provider(provider.unwrap_or_default())
    }

    fn begin(&self) {
        *self.announced.lock() = self.tools.versions(&self.server);
    }

    fn is_strict(&self, client: Option<&Implementation>) -> bool {
        client.is_some_and(|client| self.server.options().is_strict(&client.name))
    }

    fn prepare_answers(&self, client: Option<ClientTraits>, context: &Context) {
        if let Some(answers) = context.extensions.get::<Arc<SessionAnswers>>() {
            answers.begin(PreparedAnswers {
                server: self.server.clone(),
                client,
                tools: Arc::clone(&self.tools),
                model: Arc::new(self.model(context)),
                lists_skills: Arc::clone(&self.lists_skills),
            });
        }
    }

    /// Returns whether `text` has the response, and the transport takes it instead of the result of the handler.
    fn is_prepared(
        &self,
        context: &Context,
        text: impl FnOnce(ResponseHead<'_>, ClientTraits) -> Option<String>,
    ) -> bool {
        // With a session, the transport asks for the text before it calls the handler.
        self.features.get().is_none() && leave_to_transport(&self.server, context, text)
    }

    fn notifier(
        &self,
        features: McpFeatures,
        subscriptions: Arc<ResourceSubscriptions>,
        sink: NotificationSink,
        client: Option<&Implementation>,
    ) -> Notifier {
        let announced = *self.announced.lock();
        let lists_skills = Arc::clone(&self.lists_skills);
        let is_strict = self.is_strict(client);
        Notifier {
            views: self.server.views(),
            server: self.server.clone(),
            announced,
            features,
            lists_skills,
            is_strict,
            subscriptions,
            tools: Arc::clone(&self.tools),
            message_level: Arc::clone(&self.message_level),
            sink,
        }
    }
}

impl ServerHandler for ClientSession {
    fn get_info(&self) -> ServerConfig {
        let options = self.server.options();
        let features = self.features.get().copied().unwrap_or(options.features);
        let server = Implementation::new(options.name.as_ref(), options.version.as_ref());
        let mut capabilities = features.capabilities();
        capabilities.logging = Some(Default::default());
        ServerConfig::new(capabilities).with_server_info(server)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        let has_extension = extension::is_known_to(Some(&request.capabilities));
        let client = &request.client_info;
        let traits = ClientTraits::new(self.server.options(), &client.name, has_extension);
        let features = *self.features.get_or_init(|| traits.features);
        self.lists_skills.store(has_extension, Ordering::Relaxed);
        context.peer.set_peer_info(request.clone());
        self.begin();
        self.tools.log_session(&self.server, &context, client);
        self.tools.record_skills();
        let mut result = self.negotiate_initialize(&request)?;
        self.prepare_answers(Some(traits), &context);
        result.instructions =
            instructions(&self.server, &self.server.view(), features, has_extension);
        Ok(result)
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult, ErrorData> {
        let mut config = self.get_info();
        let features = self.features(&context);
        config.capabilities = features.capabilities();
        let has_extension = extension::is_known_to(context.client_capabilities().as_ref());
        config.instructions =
            instructions(&self.server, &self.server.view(), features, has_extension);
        Ok(DiscoverResult::from_server_info(
            self.supported_protocol_versions().into_owned(),
            config,
        ))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let Some(features) = self.features.get() else {
            return;
        };
        let info = context.peer.peer_info();
        let client = info.as_ref().map(|info| info.client_info.clone());
        if let Some(notified) = &self.roots
            && info.is_some_and(|info| info.capabilities.roots.is_some())
        {
            let following =
                Arc::clone(self.server.roots()).follow(context.peer.clone(), Arc::clone(notified));
            let end = self.end.clone();
            tokio::spawn(async move { end.run_until_cancelled(following).await });
        }
        if self.server.options().host_tools.is_some() {
            let (server, caller) = (self.server.clone(), Caller::of(&context.extensions));
            let (peer, end) = (context.peer.clone(), self.end.clone());
            let level = Arc::clone(&self.message_level);
            tokio::spawn(async move {
                let forwarding = host_tool_calls::forward(&server, &caller, &peer, &level);
                end.run_until_cancelled(forwarding).await
            });
        }
        let sink = NotificationSink::Session(context.peer);
        let notifier = self.notifier(
            *features,
            Arc::clone(&self.subscriptions),
            sink,
            client.as_ref(),
        );
        let end = self.end.clone();
        tokio::spawn(async move { end.run_until_cancelled(notifier.run()).await });
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        if let Some(notified) = &self.roots {
            notified.notify_one();
        }
    }

    #[expect(deprecated, reason = "clients with sessions may send it")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _: Context,
    ) -> Result<(), ErrorData> {
        self.message_level.set(request.level);
        Ok(())
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListSkillsResult, ErrorData> {
        self.wants(McpFeatures::EXTENSION, &context)?;
        if self.is_prepared(&context, |head, client| {
            extension::skills_text(&self.server, head, request.as_ref(), client.is_strict)
        }) {
            return Ok(ListSkillsResult::with_all_items(Vec::new()));
        }
        let mut listed = extension::list_skills(&self.server, request)
            .instrument(span_of(&context))
            .await?;
        if self.is_strict(context.client_info().as_ref()) {
            extension::withhold(&mut listed.skills);
        }
        Ok(listed)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: Context,
    ) -> Result<GetSkillResult, ErrorData> {
        self.wants(McpFeatures::EXTENSION, &context)?;
        extension::get_skill(&self.server, &request.uri)
            .instrument(span_of(&context))
            .await
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        context: Context,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        self.wants(McpFeatures::EXTENSION, &context)?;
        if self.is_prepared(&context, |head, _| {
            extension::directory_text(&self.server, head, &request)
        }) {
            return Ok(ListResourcesResult::with_all_items(Vec::new()));
        }
        extension::read_directory(&self.server, &request.uri, request.cursor)
            .instrument(span_of(&context))
            .await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.wants(McpFeatures::RESOURCES, &context)?;
        if self.is_prepared(&context, |head, _| {
            resources::resources_text(&self.server, head, request.as_ref())
        }) {
            return Ok(ListResourcesResult::with_all_items(Vec::new()));
        }
        resources::list_resources(&self.server, request)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.wants(McpFeatures::RESOURCES, &context)?;
        // There is only one page.
        Page::of(request.as_ref(), self.server.version(0))?;
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.wants(McpFeatures::RESOURCES, &context)?;
        resources::read_resource(&self.server, &self.tools, &request.uri)
            .instrument(span_of(&context))
            .await
            .map(Into::into)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.wants(McpFeatures::PROMPTS, &context)?;
        if self.is_prepared(&context, |head, _| {
            prompts::prompts_text(&self.server, head, request.as_ref())
        }) {
            return Ok(ListPromptsResult::with_all_items(Vec::new()));
        }
        prompts::list_prompts(&self.server, request)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.wants(McpFeatures::PROMPTS, &context)?;
        self.tools.log_request(&self.server, &context);
        prompts::get_prompt(
            &self.server,
            &self.tools,
            &request.name,
            request.arguments.as_ref(),
            &self.model(&context),
        )
        .instrument(span_of(&context))
        .await
        .map(Into::into)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        self.wants(McpFeatures::TOOLS, &context)?;
        let caller = Caller::of(&context.extensions);
        tools::list_tools(&self.server, &self.tools, &caller, request)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        self.wants(McpFeatures::TOOLS, &context)?;
        self.tools.log_request(&self.server, &context);
        let (caller, model) = (Caller::of(&context.extensions), self.model(&context));
        let CallToolRequestParams {
            name, arguments, ..
        } = request;
        let call = tools::call_tool(
            &self.server,
            &self.tools,
            (&caller, &model),
            &name,
            arguments,
        );
        let call = context.ct.run_until_cancelled(call);
        // The client waits for no answer to a cancelled request.
        let cancelled = || ErrorData::internal_error("the request was cancelled", None);
        let answer = call.instrument(span_of(&context)).await;
        answer.ok_or_else(cancelled)?.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        self.wants(McpFeatures::RESOURCES, &context)?;
        resources::complete(&self.server, &request).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        self.wants(McpFeatures::RESOURCES, &context)?;
        self.subscriptions.add(&self.server, request.uri).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        self.wants(McpFeatures::RESOURCES, &context)?;
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Result<CustomResult, ErrorData> {
        let Some(method) = Method::named(&request.method, context.protocol_version().as_ref())
        else {
            return Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                quoted(&request.method),
                None,
            ));
        };
        if let Some(feature) = method.feature {
            self.wants(feature, &context)?;
        }
        Err(method.malformed(request.params.as_ref()).error())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        // The client gets the acknowledgement before `listen` is called, and may list at once.
        self.begin();
        let mut accepted = requested.clone();
        accepted.resource_subscriptions = Some(followed(requested).cloned().collect());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let subscriptions = Arc::new(ResourceSubscriptions::default());
        for uri in followed(context.accepted()) {
            subscriptions.add(&self.server, uri.clone()).await?;
        }
        let capabilities = context.request_context().client_capabilities();
        self.lists_skills.fetch_or(
            extension::is_known_to(capabilities.as_ref()),
            Ordering::Relaxed,
        );
        let features = self.features(context.request_context());
        let client = context.request_context().client_info();
        let sink = NotificationSink::Request(context.sink().clone());
        let notifier = self.notifier(features, subscriptions, sink, client.as_ref());
        tokio::select! {
            () = context.cancelled() => {}
            () = notifier.run() => {}
        }
        Ok(())
    }
}

fn client_name(context: &Context) -> String {
    let client = context.client_info();
    client.map(|client| client.name).unwrap_or_default()
}
