# It leaves out what has no media type that it knows: event streams, metrics, YAML and JSON Patch.
go_tool github.com/ogen-go/ogen/cmd/ogen@v1.24.0
printf 'generator:\n  ignore_not_implemented: [unsupported content types]\n' >ogen.yml
go mod init generated >&2
go get github.com/ogen-go/ogen@v1.24.0 >&2
ogen --config ogen.yml --target api --package api "$DOCUMENT" >&2
go mod tidy >&2
go run .
