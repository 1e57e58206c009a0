#!/usr/bin/env bash
# Writes a backup and an archive that the program of a release makes of a small organization,
# what it answers of it, and when: test/stored/make/backup.sh ORGD DIRECTORY
#
# The keys in the backup are those of a service that is gone. Needs curl.
set -euo pipefail

orgd=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
work=$(mktemp -d)
cd "$work"
export HOME=$work XDG_CONFIG_HOME=$work ORGD_SERVER=http://127.0.0.1:18231
"$orgd" serve --addr 127.0.0.1:18231 --log-level error &
service=$!
trap 'kill $service; wait $service || true; rm -rf "$work"' EXIT
until "$orgd" healthcheck --addr 127.0.0.1:18231 2>/dev/null; do sleep 0.2; done
token=$(cat data/admin.token)

# api sends a request: api METHOD PATH [BODY].
api() {
	curl --silent --show-error --fail --request "$1" --header "Authorization: Bearer $token" \
		--header 'Content-Type: application/json' ${3:+--data "$3"} "$ORGD_SERVER/api/v1$2"
}

# quiet runs a command of the program without its output.
quiet() { "$orgd" "$@" >/dev/null 2>&1 || { "$orgd" "$@"; exit 1; }; }

quiet company update --name 'Meridian Works' --budget-monthly 250000.01
quiet department create Platform --description 'Builds.' --budget-percent 33.5
quiet department create 'Über Ops' --autonomy supervised
quiet agent create Bob --role Engineer --department Platform --level lead
quiet agent create Ada --role Reviewer --department Platform --level senior --model any/large-1 \
	--owner zoe@example.com --tags support,eu --instructions-file - <<<'Prefer small steps. Ünïcode ☂ too.'
quiet agent create Cleo --role Operator --department 'Über Ops'
quiet agent create Dan --role Operator --department 'Über Ops' --instructions-file - <<<'To be deleted.'
quiet department update Platform --head Ada
quiet agent update Ada --instructions-file - --reason 'after the spring review' <<<'Say why.'
quiet agent update Ada --instructions-file - --level lead <<<'Say why, in short.'
quiet agent rollback Ada 1 --reason 'too short'
quiet label set Ada staging 3
quiet label set Ada production 1 --reason 'the first'
quiet label set Ada production 2 --reason 'better'
quiet label set Ada release-1 2 --fixed
quiet label set Bob production 1
quiet agent delete Dan --yes
quiet project create Apollo --description 'To the moon.' --team Ada,Bob --lead Ada
api POST /webhooks '{"url": "https://hooks.example.com/orgd", "event_types": ["hired", "agent.updated"], "departments": ["Platform"], "enabled": false}' >/dev/null
api POST /activities '{"events": [
	{"event_type": "task_completed", "agent": "Ada", "data": {"task_id": "t-1", "success": true, "cost": 0.1, "quality_score": 8}},
	{"event_type": "task_completed", "agent": "Ada", "data": {"task_id": "t-2", "success": false, "cost": 1.25}},
	{"event_type": "tool_used", "agent": "Bob", "description": "Read a file.", "data": {"tool": "read", "success": true}}]}' >/dev/null
ORGD_TOKEN=$("$orgd" token create --role viewer --subject ci --label 'nightly reports' --ttl 30d) "$orgd" whoami >/dev/null

# Each line has a path and what is answered.
for path in /company /company/departments /company/days /company/departments/figures /company/agents/figures \
	'/agents?limit=100' '/agents?deleted=true' '/agents?tag=eu' '/agents?search=small' \
	/agents/Ada '/agents/Ada?label=production' /agents/Ada/activity /agents/Ada/health /agents/Ada/history /agents/Ada/performance /agents/Ada/days \
	/agents/Ada/versions /agents/Ada/versions/1 '/agents/Ada/versions/diff?from_version=1&to_version=3' \
	/agents/Ada/labels /agents/Ada/labels/production /agents/Ada/labels/production/history /labels/production/agents \
	/agents/Bob /agents/Bob/versions /agents/Cleo /departments /departments/Platform /departments/Platform/health /departments/Platform/days \
	/departments/%C3%9Cber%20Ops /projects /webhooks '/activities?limit=100' '/changes?limit=100' '/audit?limit=100' /organization; do
	printf '{"path": "%s", "answer": %s}\n' "$path" "$(api GET "$path" | tr -d '\n')"
done | gzip -9 -n >"$out/answers.jsonl.gz"
date --utc +%FT%TZ >"$out/time"
"$orgd" backup "$work/backup.orgd" 2>/dev/null
gzip -9 -n -c "$work/backup.orgd" >"$out/backup.orgd.gz"
"$orgd" archive create "$work/orgd-archive" 2>/dev/null
mv "$work/orgd-archive" "$out/orgd-archive"
