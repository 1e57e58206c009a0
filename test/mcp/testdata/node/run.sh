node_tools mcp-node
node main.mjs

# MCP Inspector's command line.
value() { node -p "JSON.parse(require('fs').readFileSync(0, 'utf8')).$1"; }
try() {
	echo "inspector $(mcp-inspector --cli "$@" --method tools/list | value tools.length)" \
		"$(mcp-inspector --cli "$@" --method tools/call --tool-name find_agents --tool-arg text=kindly | value 'content[0].text' | value 'agents[0].name')" \
		"$(mcp-inspector --cli "$@" --method resources/read --uri "orgd://agents/Ada%20%2F%20Lovelace/prompts/production" | value 'contents[0].text.trim()')"
}
try -e ORGD_SERVER="$URL" -e ORGD_TOKEN="$TOKEN" "$ORGD" mcp
try "$URL/mcp" --header "Authorization: Bearer $TOKEN"
