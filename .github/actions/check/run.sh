#!/usr/bin/env bash
# The step of the action, and a line for any other CI system: what to do comes in the environment, see
# action.yml. Needs `pessimum` (cargo install). The exit code is that of the command; what it found goes to the
# log, as Markdown to the summary of the job, and as JSON to pessimum-result.json.
set -euo pipefail
: "${MODULE:?names the module}"
summary=${GITHUB_STEP_SUMMARY:-pessimum-summary.md}
result=${RESULT:-pessimum-result.json}
comment=$(mktemp)
trap 'rm -f "$comment"' EXIT

words=()
if [[ -n ${OLD:-} ]]; then
    words+=(diff "$OLD" "$MODULE")
else
    words+=(check "$MODULE")
    [[ -z ${AT_MOST:-} ]] || words+=(--at-most "$AT_MOST")
    [[ -z ${BASELINE:-} ]] || words+=(--baseline "$BASELINE")
fi
[[ -z ${GITHUB_ACTIONS:-} ]] || words+=(--github)
[[ -z ${CALL:-} ]] || words+=(--call "$CALL")
[[ -z ${TOLERANCE:-} ]] || words+=(--tolerance "$TOLERANCE")
words+=(--effort "${EFFORT:-30s}" --time "${TIME:-10m}" --json "$result" --markdown "$comment")
read -r -a more <<<"${ARGUMENTS:-}"
words+=("${more[@]}")

code=0
"${PESSIMUM:-pessimum}" "${words[@]}" || code=$?
cat "$comment" >>"$summary"
[[ -z ${GITHUB_OUTPUT:-} ]] || echo "result=$result" >>"$GITHUB_OUTPUT"
exit "$code"
