//! Types that describe the JSON of types of other crates. They have no values.

use utoipa::ToSchema;

#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes JSON")]
pub(super) enum TierName {
    Builtin,
    User,
    Plugin,
}

#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes JSON")]
pub(super) enum TrustName {
    Trusted,
    Restricted,
    Pending,
}

#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes JSON")]
pub(super) enum StatusName {
    Active,
    Pending,
    Disabled,
}

#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "it describes JSON")]
pub(super) enum SeverityName {
    Info,
    Warning,
    Error,
}

#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
pub(super) enum ConfidenceName {
    FitsWell,
    MayFit,
    NothingFits,
}

/// The status of a supervised MCP server.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
pub(super) struct ServerStatusSchema {
    id: String,
    state: ServerStateName,
    /// The time of the last change of the state, in seconds since 1970.
    since: u64,
    /// The number of tools; absent until it has listed them.
    tools: Option<usize>,
    /// The number of starts after the first one.
    restarts: u64,
    last_error: Option<String>,
    warnings: Option<Vec<String>>,
}

#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
enum ServerStateName {
    Stopped,
    Starting,
    Running,
    BackingOff,
    Failed,
}

/// The state of the gateway and its registries.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
pub(super) struct GatewayStatusSchema {
    state: GatewayStateName,
    /// The number of items, between start and stop.
    registries: Option<CountsSchema>,
    mcp_servers: Option<Vec<ServerStatusSchema>>,
    /// The skills whose tools are missing or denied.
    not_ready: Option<Vec<NotReadySchema>>,
    /// The number of reloads that were applied.
    reloads: u64,
    /// The error of the last reload, if it was not applied.
    reload_error: Option<String>,
}

#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
enum GatewayStateName {
    Created,
    Starting,
    Running,
    Paused,
    Stopping,
    Stopped,
}

/// The number of items of each registry.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
struct CountsSchema {
    skills: usize,
    workflows: usize,
    agents: usize,
    mcp_servers: usize,
}

/// A skill whose tools are missing or denied.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes JSON")]
struct NotReadySchema {
    id: String,
    reason: String,
}

/// The changes that a reload made.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "it describes JSON")]
pub(super) struct ReloadedSchema {
    skills: ChangesSchema,
    workflows: ChangesSchema,
    agents: ChangesSchema,
    mcp_servers: ChangesSchema,
}

/// The number of ids that changed in one registry.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it describes JSON")]
struct ChangesSchema {
    added: usize,
    modified: usize,
    removed: usize,
}

/// An agent of the store. Times are milliseconds since 1970.
#[derive(ToSchema)]
#[schema(as = AgentRecord)]
#[expect(dead_code, reason = "it describes JSON")]
pub(super) struct AgentRecordSchema {
    id: String,
    /// The name of its profile.
    profile: String,
    /// `research`, `implementation`, `verification` or `review`.
    pool: String,
    state: AgentStateName,
    /// The task that it works on.
    task_id: String,
    /// The agent that asked for it.
    parent: Option<String>,
    /// The fencing token; a write with an older one is refused.
    epoch: u64,
    /// The branch for its changes.
    branch: String,
    worktree: Option<String>,
    /// The host that reserved it.
    host: Option<String>,
    #[schema(value_type = Object)]
    permissions: serde_json::Value,
    lease_expires_at: Option<u64>,
    started_at: Option<u64>,
    /// The cause of its failure.
    fail_reason: Option<String>,
    /// The failed agent whose task it tries again.
    retry_of: Option<String>,
    /// `true` if it ended without complete writeback.
    orphaned: bool,
    created_at: u64,
    updated_at: u64,
}

#[derive(ToSchema)]
#[schema(rename_all = "UPPERCASE")]
#[expect(dead_code, reason = "it describes JSON")]
enum AgentStateName {
    Pending,
    Initializing,
    Ready,
    Busy,
    Terminated,
    Failed,
}

/// A row of the audit log of the store.
#[derive(ToSchema)]
#[schema(as = AuditEntry)]
#[expect(dead_code, reason = "it describes JSON")]
pub(super) struct AuditEntrySchema {
    /// The number of the row, from 1.
    seq: u64,
    /// The time in milliseconds since 1970.
    at: u64,
    agent_id: String,
    /// The party that acted.
    actor: String,
    event: String,
    from: Option<String>,
    to: Option<String>,
    /// Further facts, as JSON.
    detail: String,
    prev_hash: String,
    hash: String,
}

/// The eligibility and the score of a profile for a request.
#[derive(ToSchema)]
#[schema(as = ProfileRating)]
#[expect(dead_code, reason = "it describes JSON")]
pub(super) struct ProfileRatingSchema {
    profile: String,
    /// The reasons against it; an eligible profile has none.
    reasons: Vec<IneligibleReasonSchema>,
    reliability: f64,
    capacity: f64,
    speed: f64,
    fit: f64,
    score: f64,
}

/// A reason why a profile is not eligible.
#[derive(ToSchema)]
#[schema(as = IneligibleReason)]
#[expect(dead_code, reason = "it describes JSON")]
struct IneligibleReasonSchema {
    code: String,
    detail: String,
}

/// A boundary between two phases of a task.
#[derive(ToSchema)]
#[schema(as = Checkpoint)]
#[expect(dead_code, reason = "it describes JSON")]
pub(super) struct CheckpointSchema {
    task_id: String,
    epoch: u64,
    /// The phase that begins: `GATHER`, `ANALYZE`, `PLAN`, `APPLY` or `VERIFY`.
    phase: String,
    note: String,
    /// The time in milliseconds since 1970.
    at: u64,
}

/// A report of lost agents, by their ids, and of worktrees.
#[derive(ToSchema)]
#[schema(as = OrphanReport)]
#[expect(dead_code, reason = "it describes JSON")]
pub(super) struct OrphanReportSchema {
    /// The agents that ended without a reflection on their task.
    orphans: Vec<String>,
    /// Those of them that no earlier scan reported.
    alerts: Vec<String>,
    /// The agents whose lease expired.
    lapsed: Vec<String>,
    /// The reservations that expired unused.
    stale_reservations: Vec<String>,
    /// The folders of worktrees without a living agent.
    worktrees: Vec<String>,
}
