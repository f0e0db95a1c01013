# An agent without a model. Each line of its output is a message to the gateway, and each line of its input an answer.
set -eu

# Prints a text field of the ticket.
field() { printf '%s\n' "$ticket" | grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4; }

# Sends a record, and reads the answer.
record() {
    printf '{"type":"writeback","kind":"%s","record":%s}\n' "$1" "$2"
    read -r answer
}

phase() { printf '{"type":"phase","phase":"%s"}\n' "$1"; }

IFS= read -r ticket
task=$(field task_id)
branch=$(field branch_name)
echo '{"type":"ready"}'
read -r assigned

phase GATHER
files=$(find . -type f | wc -l | tr -d ' ')
phase ANALYZE
phase PLAN
phase APPLY
commit=none
summary="Found $files files."
case $ticket in
*'"write_access":true'*)
    echo "- $task" >> CHANGES.md
    git add CHANGES.md
    git -c user.name=coder -c user.email=coder@localhost commit --quiet --message "$task"
    commit=$(git rev-parse HEAD)
    summary="Added a line to CHANGES.md."
    ;;
esac

phase VERIFY
record task_update "{\"status\":\"done\",\"progress\":100,\"summary\":\"$summary\"}"
record thought_record "{\"task_id\":\"$task\",\"type\":\"reflection\",\"branch\":\"$branch\",\"commit_sha\":\"$commit\",\"tests_run\":[],\"blockers\":[]}"
echo '{"type":"done"}'
read -r answer
