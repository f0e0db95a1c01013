-- Checkpoints of tasks, the host and the folder of an agent, and the end of the audit log.

ALTER TABLE agents ADD COLUMN host TEXT, ADD COLUMN worktree TEXT;

CREATE TABLE checkpoints (
    seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    agent_id TEXT COLLATE "C" NOT NULL REFERENCES agents (id),
    task_id TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    phase TEXT NOT NULL CHECK (phase IN ('GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY')),
    note TEXT NOT NULL,
    at BIGINT NOT NULL
);

CREATE INDEX checkpoints_of_agent ON checkpoints (agent_id, seq);

CREATE FUNCTION check_checkpoint() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT 1 FROM repertoire_agents.agents
        WHERE id = NEW.agent_id AND epoch = NEW.epoch AND task_id = NEW.task_id AND status = 'BUSY'
    ) THEN
        RAISE EXCEPTION 'only a busy agent of this epoch has checkpoints';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER checkpoints_are_current BEFORE INSERT ON checkpoints FOR EACH ROW
EXECUTE FUNCTION check_checkpoint();

CREATE TRIGGER checkpoints_are_kept BEFORE UPDATE OR DELETE OR TRUNCATE ON checkpoints
FOR EACH STATEMENT EXECUTE FUNCTION refuse('a checkpoint does not change');

-- The end of the audit log, stored apart, so that rows removed from the end are missed.
CREATE TABLE audit_head (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    seq BIGINT NOT NULL,
    hash TEXT NOT NULL
);

INSERT INTO audit_head (id, seq, hash)
SELECT 1, COALESCE(max(seq), 0), COALESCE((SELECT hash FROM audit_log ORDER BY seq DESC LIMIT 1), '') FROM audit_log;

CREATE FUNCTION move_audit_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE repertoire_agents.audit_head SET seq = NEW.seq, hash = NEW.hash;
    RETURN NULL;
END $$;

CREATE TRIGGER audit_head_follows AFTER INSERT ON audit_log FOR EACH ROW
EXECUTE FUNCTION move_audit_head();

CREATE FUNCTION check_audit_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.id <> 1 OR NEW.seq <> OLD.seq + 1
        OR NEW.hash IS DISTINCT FROM (SELECT hash FROM repertoire_agents.audit_log WHERE seq = NEW.seq)
    THEN
        RAISE EXCEPTION 'the head of the audit log follows its rows';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER audit_head_is_the_last_row BEFORE UPDATE ON audit_head FOR EACH ROW
EXECUTE FUNCTION check_audit_head();

CREATE TRIGGER audit_head_is_kept BEFORE INSERT OR DELETE OR TRUNCATE ON audit_head
FOR EACH STATEMENT EXECUTE FUNCTION refuse('the head of the audit log follows its rows');
