# Neither must find an error; warnings are matters of taste.
node_tools lint
export REDOCLY_TELEMETRY=off
redocly lint "$DOCUMENT" >&2
echo "extends: [\"spectral:oas\"]" >spectral.yaml
spectral lint --fail-severity error -r spectral.yaml "$DOCUMENT" >&2
