-- Profiles, pools, agents, the records of agents, queues and the audit log.

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END $$;

CREATE TABLE schema_versions (
    version BIGINT PRIMARY KEY,
    at TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE profiles (
    name TEXT COLLATE "C" PRIMARY KEY,
    profile TEXT NOT NULL CHECK (profile::json IS NOT NULL),
    last_assigned BIGINT
);

CREATE TABLE pools (
    pool TEXT PRIMARY KEY CHECK (pool IN ('research', 'implementation', 'verification', 'review')),
    settings TEXT CHECK (settings IS NULL OR settings::json IS NOT NULL),
    cursor TEXT
);

CREATE TABLE agent_transitions (
    from_state TEXT NOT NULL,
    to_state TEXT NOT NULL,
    PRIMARY KEY (from_state, to_state)
);

CREATE TABLE agents (
    id TEXT COLLATE "C" PRIMARY KEY,
    profile TEXT COLLATE "C" NOT NULL,
    pool TEXT NOT NULL CHECK (pool IN ('research', 'implementation', 'verification', 'review')),
    status TEXT NOT NULL CHECK (status IN ('PENDING', 'INITIALIZING', 'READY', 'BUSY', 'TERMINATED', 'FAILED')),
    task_id TEXT NOT NULL,
    parent_id TEXT COLLATE "C" REFERENCES agents (id),
    epoch BIGINT NOT NULL CHECK (epoch >= 1),
    branch_name TEXT NOT NULL,
    permissions TEXT NOT NULL CHECK (permissions::json IS NOT NULL),
    est_tokens BIGINT NOT NULL CHECK (est_tokens >= 0),
    lease_expires_at BIGINT,
    started_at BIGINT,
    fail_reason TEXT CHECK ((fail_reason IS NULL) = (status <> 'FAILED')),
    retry_of TEXT,
    orphaned BIGINT NOT NULL DEFAULT 0 CHECK (orphaned IN (0, 1)),
    alerted_at BIGINT,
    idempotency_key TEXT COLLATE "C" NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX agents_living ON agents (profile, pool, est_tokens, lease_expires_at)
    WHERE status NOT IN ('TERMINATED', 'FAILED');
CREATE INDEX agents_terminated ON agents (alerted_at)
    WHERE status = 'TERMINATED' AND started_at IS NOT NULL;

CREATE TABLE writebacks (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    agent_id TEXT COLLATE "C" NOT NULL REFERENCES agents (id),
    task_id TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('task_update', 'thought_record', 'memory_pack')),
    at BIGINT NOT NULL,
    body TEXT NOT NULL CHECK (body::json IS NOT NULL)
);

CREATE INDEX writebacks_of_agent ON writebacks (agent_id, kind, epoch, at);

CREATE TABLE waiting (
    seq BIGINT PRIMARY KEY,
    pool TEXT NOT NULL,
    since BIGINT NOT NULL,
    request TEXT NOT NULL CHECK (request::json IS NOT NULL)
);

CREATE TABLE audit_log (
    seq BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    agent_id TEXT NOT NULL,
    actor TEXT NOT NULL,
    event TEXT NOT NULL,
    from_state TEXT,
    to_state TEXT,
    detail TEXT NOT NULL CHECK (detail::json IS NOT NULL),
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
);

CREATE INDEX audit_of_agent ON audit_log (agent_id);

CREATE TRIGGER agents_begin_pending BEFORE INSERT ON agents FOR EACH ROW
WHEN (NEW.status <> 'PENDING') EXECUTE FUNCTION refuse('an agent begins as PENDING');

CREATE FUNCTION check_transition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM repertoire_agents.agent_transitions
        WHERE from_state = OLD.status AND to_state = NEW.status
    ) THEN
        RAISE EXCEPTION 'the transition is not legal';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER agents_move_legally BEFORE UPDATE OF status ON agents FOR EACH ROW
EXECUTE FUNCTION check_transition();

CREATE TRIGGER agents_keep_identity BEFORE UPDATE OF id, idempotency_key, parent_id, created_at ON agents
FOR EACH ROW EXECUTE FUNCTION refuse('the identity of an agent does not change');

CREATE TRIGGER agents_are_kept BEFORE DELETE OR TRUNCATE ON agents
FOR EACH STATEMENT EXECUTE FUNCTION refuse('agents are never deleted');

CREATE FUNCTION check_audit_number() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.seq <> (SELECT COALESCE(max(seq), 0) + 1 FROM repertoire_agents.audit_log) THEN
        RAISE EXCEPTION 'the audit log is append-only';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER audit_is_appended BEFORE INSERT ON audit_log FOR EACH ROW
EXECUTE FUNCTION check_audit_number();

CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
FOR EACH STATEMENT EXECUTE FUNCTION refuse('the audit log is append-only');
