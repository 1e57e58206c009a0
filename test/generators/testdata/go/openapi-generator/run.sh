openapi_generator go
go mod init generated >&2
go mod edit -replace=github.com/GIT_USER_ID/GIT_REPO_ID=./api
go mod tidy >&2
go run .
