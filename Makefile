# Targets with a comment after ## are listed by "make".

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS := -s -w -X orgd.version=$(VERSION)
# Flags for every run of tests, such as TESTFLAGS=-v.
TESTFLAGS ?=
# Which benchmarks, and what of them: make bench BENCH=Admit PACKAGES=./adapters/memlimit
BENCH ?= .
PACKAGES ?= ./...

.DEFAULT_GOAL := help
.PHONY: help build run test race bench reliability lint vuln generate ci clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/orgd
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/orgd ./cmd/orgd

run: ## serve on 127.0.0.1:8080 with the data in ./data
	go run ./cmd/orgd serve

test: ## run all tests in their short form; needs nothing but Go
	go test $(TESTFLAGS) -count=1 ./...

race: ## run all tests with the race detector; needs a C compiler
	go test $(TESTFLAGS) -race -count=1 ./...

bench: ## run the benchmarks
	go test -run '^$$' -bench '$(BENCH)' -benchmem $(PACKAGES)

reliability: ## run the tests under test/ in their long form, about an hour
	ORGD_LONG=1 go test -v -count=1 -timeout 4h ./test/...

lint: ## check format, vet, generated code and staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w these:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go tool wire diff .
	go tool staticcheck ./...

vuln: ## look for known vulnerabilities in what the program uses
	go tool govulncheck ./...

generate: ## write the generated code anew
	go tool wire .

ci: ## everything that must pass before a change lands
	.ci/run

clean: ## remove what was built; data stays
	rm -rf bin dist
