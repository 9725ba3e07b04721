#!/usr/bin/env bash
# What the action does, as a script: everything it takes comes from the environment (see action.yml).
set -uo pipefail

environment="${RUNNER_TEMP:-/tmp}/faircall-venv"
if [ -z "${FAIRCALL:-}" ]; then
  "$PYTHON" -m venv "$environment" || exit 3
  "$environment/bin/python" -m pip -q install "$ACTION_FOLDER" || exit 3
  FAIRCALL="$environment/bin/faircall"
fi

arguments=(compare "$BASELINE" "$CANDIDATE" --out "$OUT" --format "json,$FORMATS")
[ -z "$CLAIMS" ] || arguments+=(--claims "$CLAIMS")
while IFS= read -r line; do [ -z "$line" ] || arguments+=(--fail-if "$line"); done <<< "$FAIL_IF"
while IFS= read -r line; do [ -z "$line" ] || arguments+=(--vary "$line"); done <<< "$VARY"

rm -f "$OUT/comparison_report.json"
$FAIRCALL "${arguments[@]}" 2> >(tee "${RUNNER_TEMP:-/tmp}/faircall-error.txt" >&2)
status=$?
wait
report="$OUT/comparison_report.json"
[ -f "$report" ] || report=""
{ echo "report=$report"; echo "status=$status"; } >> "$GITHUB_OUTPUT"
if [ -n "$report" ]; then
  $FAIRCALL report render "$report" --format card --out - >> "$GITHUB_STEP_SUMMARY"
else
  { echo "## Tool calls: no comparison (exit status $status)"; echo; sed 's/^/    /' "${RUNNER_TEMP:-/tmp}/faircall-error.txt"; } >> "$GITHUB_STEP_SUMMARY"
fi
exit "$status"
