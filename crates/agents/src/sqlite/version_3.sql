-- Checkpoints of tasks, the host and the folder of an agent, and the end of the audit log.

ALTER TABLE agents ADD COLUMN host TEXT;
ALTER TABLE agents ADD COLUMN worktree TEXT;

CREATE TABLE checkpoints (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id TEXT NOT NULL REFERENCES agents (id),
    task_id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    phase TEXT NOT NULL CHECK (phase IN ('GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY')),
    note TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;

CREATE INDEX checkpoints_of_agent ON checkpoints (agent_id, seq);

CREATE TRIGGER checkpoints_are_current BEFORE INSERT ON checkpoints
WHEN NOT EXISTS (
    SELECT 1 FROM agents WHERE id = NEW.agent_id AND epoch = NEW.epoch AND task_id = NEW.task_id AND status = 'BUSY'
)
BEGIN SELECT RAISE(ABORT, 'only a busy agent of this epoch has checkpoints'); END;

-- `INSERT OR REPLACE` would change a checkpoint without an update.
CREATE TRIGGER checkpoints_are_added BEFORE INSERT ON checkpoints
WHEN EXISTS (SELECT 1 FROM checkpoints WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'the checkpoint exists'); END;

CREATE TRIGGER checkpoints_are_not_updated BEFORE UPDATE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'a checkpoint does not change'); END;

CREATE TRIGGER checkpoints_are_not_deleted BEFORE DELETE ON checkpoints
BEGIN SELECT RAISE(ABORT, 'a checkpoint is never deleted'); END;

-- The end of the audit log, stored apart, so that rows removed from the end are missed.
CREATE TABLE audit_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL
) STRICT;

INSERT INTO audit_head (id, seq, hash)
SELECT 1, COALESCE(MAX(seq), 0), COALESCE((SELECT hash FROM audit_log ORDER BY seq DESC LIMIT 1), '') FROM audit_log;

CREATE TRIGGER audit_head_follows AFTER INSERT ON audit_log
BEGIN UPDATE audit_head SET seq = NEW.seq, hash = NEW.hash; END;

CREATE TRIGGER audit_head_is_the_last_row BEFORE UPDATE ON audit_head
WHEN NEW.id <> 1 OR NEW.seq <> OLD.seq + 1 OR NEW.hash IS NOT (SELECT hash FROM audit_log WHERE seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'the head of the audit log follows its rows'); END;

CREATE TRIGGER audit_head_is_not_added BEFORE INSERT ON audit_head
BEGIN SELECT RAISE(ABORT, 'the head of the audit log follows its rows'); END;

CREATE TRIGGER audit_head_is_not_deleted BEFORE DELETE ON audit_head
BEGIN SELECT RAISE(ABORT, 'the head of the audit log follows its rows'); END;
