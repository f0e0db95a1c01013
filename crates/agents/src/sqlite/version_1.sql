-- Profiles, pools, agents and the audit log.

CREATE TABLE profiles (
    name TEXT PRIMARY KEY NOT NULL,
    profile TEXT NOT NULL CHECK (json_valid(profile)),
    last_assigned INTEGER
) STRICT;

CREATE TABLE pools (
    pool TEXT PRIMARY KEY NOT NULL CHECK (pool IN ('research', 'implementation', 'verification', 'review')),
    settings TEXT CHECK (json_valid(settings)),
    cursor TEXT
) STRICT;

CREATE TABLE agent_transitions (
    from_state TEXT NOT NULL,
    to_state TEXT NOT NULL,
    PRIMARY KEY (from_state, to_state)
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
    id TEXT PRIMARY KEY NOT NULL,
    profile TEXT NOT NULL,
    pool TEXT NOT NULL CHECK (pool IN ('research', 'implementation', 'verification', 'review')),
    status TEXT NOT NULL CHECK (status IN ('PENDING', 'INITIALIZING', 'READY', 'BUSY', 'TERMINATED', 'FAILED')),
    task_id TEXT NOT NULL,
    parent_id TEXT REFERENCES agents (id),
    epoch INTEGER NOT NULL CHECK (epoch >= 1),
    branch_name TEXT NOT NULL,
    permissions TEXT NOT NULL CHECK (json_valid(permissions)),
    est_tokens INTEGER NOT NULL CHECK (est_tokens >= 0),
    lease_expires_at INTEGER,
    started_at INTEGER,
    fail_reason TEXT CHECK ((fail_reason IS NULL) = (status <> 'FAILED')),
    retry_of TEXT,
    orphaned INTEGER NOT NULL DEFAULT 0 CHECK (orphaned IN (0, 1)),
    alerted_at INTEGER,
    idempotency_key TEXT NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX agents_living ON agents (profile, pool, est_tokens, lease_expires_at)
    WHERE status NOT IN ('TERMINATED', 'FAILED');
CREATE INDEX agents_terminated ON agents (alerted_at)
    WHERE status = 'TERMINATED' AND started_at IS NOT NULL;

CREATE TABLE audit_log (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    agent_id TEXT NOT NULL,
    actor TEXT NOT NULL,
    event TEXT NOT NULL,
    from_state TEXT,
    to_state TEXT,
    detail TEXT NOT NULL CHECK (json_valid(detail)),
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT;

CREATE INDEX audit_of_agent ON audit_log (agent_id);

CREATE TRIGGER agents_begin_pending BEFORE INSERT ON agents
WHEN NEW.status <> 'PENDING'
BEGIN SELECT RAISE(ABORT, 'an agent begins as PENDING'); END;

-- `INSERT OR REPLACE` would bring an agent back without an update.
CREATE TRIGGER agents_have_one_life BEFORE INSERT ON agents
WHEN EXISTS (SELECT 1 FROM agents WHERE id = NEW.id OR idempotency_key = NEW.idempotency_key)
BEGIN SELECT RAISE(ABORT, 'the agent exists'); END;

CREATE TRIGGER agents_move_legally BEFORE UPDATE OF status ON agents
WHEN NOT EXISTS (SELECT 1 FROM agent_transitions WHERE from_state = OLD.status AND to_state = NEW.status)
BEGIN SELECT RAISE(ABORT, 'the transition is not legal'); END;

CREATE TRIGGER agents_keep_identity BEFORE UPDATE OF id, idempotency_key, parent_id, created_at ON agents
BEGIN SELECT RAISE(ABORT, 'the identity of an agent does not change'); END;

CREATE TRIGGER agents_are_kept BEFORE DELETE ON agents
BEGIN SELECT RAISE(ABORT, 'agents are never deleted'); END;

CREATE TRIGGER audit_is_appended BEFORE INSERT ON audit_log
WHEN NEW.seq <> (SELECT COALESCE(MAX(seq), 0) + 1 FROM audit_log)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_is_not_updated BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit_log
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
