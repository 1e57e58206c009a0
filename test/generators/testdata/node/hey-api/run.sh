node_tools node
openapi-ts -i "$DOCUMENT" -o api -c @hey-api/client-fetch >&2
typescript main.ts
