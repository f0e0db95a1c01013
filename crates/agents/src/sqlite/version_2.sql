-- The records of agents, and the queues of pools.

CREATE TABLE writebacks (
    seq INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL REFERENCES agents (id),
    task_id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('task_update', 'thought_record', 'memory_pack')),
    at INTEGER NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body))
) STRICT;

CREATE INDEX writebacks_of_agent ON writebacks (agent_id, kind, epoch, task_id, at);

CREATE TABLE waiting (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    pool TEXT NOT NULL,
    since INTEGER NOT NULL,
    request TEXT NOT NULL CHECK (json_valid(request))
) STRICT;

CREATE INDEX waiting_in_pool ON waiting (pool, seq);

-- Version 1 fills the table of transitions.
CREATE TRIGGER transitions_are_not_added BEFORE INSERT ON agent_transitions
BEGIN SELECT RAISE(ABORT, 'the table of transitions does not change'); END;

CREATE TRIGGER transitions_are_not_updated BEFORE UPDATE ON agent_transitions
BEGIN SELECT RAISE(ABORT, 'the table of transitions does not change'); END;

CREATE TRIGGER transitions_are_not_deleted BEFORE DELETE ON agent_transitions
BEGIN SELECT RAISE(ABORT, 'the table of transitions does not change'); END;
