go_tool github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
mkdir api
oapi-codegen -generate types,client -package api -o api/api.go "$DOCUMENT" >&2
go mod init generated >&2
go mod tidy >&2
go run .
