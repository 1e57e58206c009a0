# Targets with a comment after ## are listed by "make".

VERSION ?= $(shell git describe --tags --match 'v*' --always --dirty 2>/dev/null || echo devel)
REVISION ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
COMMITTED ?= $(shell TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ 2>/dev/null || echo 1970-01-01T00:00:00Z)
# Everything is built by the same flags, so that each package is compiled once: what is tested is what is
# released. gin's MessagePack, which nobody asks for, is a megabyte of the program. Versions come from LDFLAGS.
export CGO_ENABLED := 0
FLAGS := -trimpath -buildvcs=false -tags=nomsgpack
export GOFLAGS := $(strip $(filter-out $(FLAGS),$(GOFLAGS)) $(FLAGS))
LDFLAGS := -s -w -X orgd/adapters/system.version=$(VERSION)$(if $(filter unknown,$(REVISION)),, -X orgd/adapters/system.commit=$(REVISION) -X orgd/adapters/system.committed=$(COMMITTED))
# Where make build puts the program.
BIN ?= bin/orgd
# The image that make image makes, and the processor that it is for.
IMAGE ?= orgd:latest
IMAGE_ARCH ?= $(shell go env GOARCH)
# Flags for every run of tests, such as TESTFLAGS=-v.
TESTFLAGS ?=
# The race detector looks at what is ours. SQLite, which is translated from C, and the parser of
# YAML would be most of its work, and share nothing with us. The library by which tests read the
# API description builds its model in parallel, and races with itself while it does. They are not
# inlined into: with the inside of sync.Map they would bring a copy of it into the program at which the
# detector does not look, and then it takes for a race what a sync.Map keeps in order.
UNWATCHED := modernc.org/... go.yaml.in/... github.com/pb33f/libopenapi/...
RACEFLAGS := -race $(UNWATCHED:%='-gcflags=%=-race=false -l')
# More flags for the tests of the adapters in make integration, such as -race.
ADAPTERFLAGS ?=
# -race, for the adapters in make redis.
RACE ?=
# Which benchmarks, and what of them: make bench BENCH=Admit PACKAGES=./adapters/memlimit
BENCH ?= .
PACKAGES ?= ./...
# All packages, with the client, which is a module of its own: ./... leaves it out.
ALL := orgd/...
# Where goroutines share state: the writers of the stores and the senders, and the rest.
WRITERS := ./app ./adapters/groupcommit ./adapters/jobs ./adapters/memlimit ./adapters/webhooksend
SHARED := . ./ports/portstest ./adapters/httpapi ./adapters/httpapi/internal/request ./adapters/jwtauth ./adapters/system ./adapters/telemetry ./test/client ./test/webhooks
# The packages that have tests: others need not be compiled.
TESTED := {{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}
# Packages that make test leaves to targets of their own: what needs servers, browsers or other programs, proves bounds,
# builds copies, kills processes or waits for long.
ALONE := adapters/mongostore|adapters/redislimit|test/browser|test/budget|test/clients|test/compose|test/faults|test/fuzz|test/generators|test/image|test/integration|test/mongobench|test/module|test/pages
# Packages that ask the go command, Git or a shell about files, so that Go cannot know what their results depend on.
UNCACHED := test|test/examples|test/monitoring|test/owned|test/planted|test/signin|test/workflows|deployments/internal/supplychain
# The store on MongoDB, and what earlier releases have stored there.
STORES := ./adapters/mongostore ./test/stored
# Kills and cuts of every kind, those that take least: for make kills.
SHORT_FAULTS := TestKilledServiceKeepsItsPromises|TestKilledAroundAPublication|TestKeysSurviveKill|TestCutRepliesAreRepeated|TestKilledRestoreGoesOn|TestChecksNoticeDamage
# Tests of cmd/orgd that read pages run apart, so that a page changes no other result.
OF_PAGES := TestDocumentedCommands
# Ten walks through the console, one for each of its parts: for make smoke.
WALKS := TestSignIn|TestAgent|TestWriting|TestVersions|TestLabels|TestDepartment|TestOrganization|TestServiceIsGone|TestSearchPage|TestRoles
# What replicas can get wrong that one process cannot: for make mongo.
REPLICATED := TestRoundTrips|TestReplicas$$/^(activities|agents|company|conditions|departments|idempotency|lists|sessions|streams|versions|webhooks)$$
# Which tests make reliability runs.
RUN ?= .
# How long make fuzz tries each parser, and which mistakes make planted makes.
FUZZTIME ?= 30s
BUG ?= .

.DEFAULT_GOAL := help
.PHONY: help build image sbom release compose-test run check test faults budget requests pages clients clients-python clients-typescript clients-test module-test race race-all redis generators mongo integration integration-all integration-adapters integration-replicas integration-faults integration-chart helm-test compat-test bench bench-mongo browser reproducible reliability planted fuzz lint vuln codemirror generate module ci clean flags races kills smoke scenarios stores stores-all replicas replicas-all

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# For scripts: eval "$(make flags)".
flags:
	@echo 'export CGO_ENABLED=$(CGO_ENABLED) GOFLAGS="$(GOFLAGS)"'

build: ## build bin/orgd
	go build -ldflags '$(LDFLAGS)' -o $(BIN) ./cmd/orgd

# The same source makes the same bytes: nothing in the context says when or where
# it was made.
image: ## build the image orgd:latest; needs Docker, and no other image
	rm -rf dist/image && mkdir -p dist/image/root && mkdir -m 0770 dist/image/root/data && mkdir -m 1777 dist/image/root/tmp
	GOOS=linux GOARCH=$(IMAGE_ARCH) $(MAKE) --no-print-directory build BIN=dist/image/root/orgd
	go run ./deployments/internal/supplychain notices | gzip -9 -n >dist/image/root/NOTICES.gz
	cp LICENSE dist/image/root/ && chmod 0555 dist/image/root/orgd && find dist/image/root -exec touch -h -d '$(COMMITTED)' {} +
	docker build --quiet --platform linux/$(IMAGE_ARCH) --file deployments/docker/Dockerfile --build-arg VERSION='$(VERSION)' --build-arg REVISION='$(REVISION)' --build-arg CREATED='$(COMMITTED)' --tag $(IMAGE) dist/image

sbom: ## write dist/sbom.cdx.json, the bill of materials: every module with version and licence
	mkdir -p dist
	go run ./deployments/internal/supplychain sbom -version '$(VERSION)' -time '$(COMMITTED)' >dist/sbom.cdx.json

release: ## build and check the archives of VERSION=v1.2.3, which is a tag of this commit
	.ci/release $(VERSION)

compose-test: export ORGD_TEST_COMPOSE = 1
compose-test: ## bring up deployments/compose and use it; needs Docker and Compose
	.ci/gotest ./test/compose $(TESTFLAGS)

run: ## serve on 127.0.0.1:8080 with the data in ./data
	go run ./cmd/orgd serve

# A program is used by the tests if a variable names it.
check race-all: export ORGD_TEST_GIT ?= $(shell command -v git)
check: lint ## check before each commit: make lint, and the tests of the packages that you have changed
	.ci/gotest "$$(.ci/changed)" -short -timeout 20m $(TESTFLAGS)

test: ## run the tests of everyday; uses nothing but Go
	.ci/gotest --cached "$$(go list -f '$(TESTED)' $(ALL) | grep -vE '^orgd/($(ALONE)|$(UNCACHED))$$')" -p 4 -parallel 4 -timeout 20m -skip '^($(OF_PAGES))$$' $(TESTFLAGS)
	.ci/gotest --cached ./cmd/orgd -run '^($(OF_PAGES))$$' $(TESTFLAGS)
	.ci/gotest "$$(go list -f '$(TESTED)' $(ALL) | grep -E '^orgd/($(UNCACHED))$$')" -p 4 -parallel 4 -timeout 20m $(TESTFLAGS)

# Each program that tests start is built once.
test kills smoke browser faults requests scenarios races: export ORGD_TEST_BINARY ?= $(shell .ci/program)
faults: export ORGD_TEST_FAILING ?= $(shell .ci/program failing)
smoke browser faults: export ORGD_TEST_PROVIDER ?= $(shell .ci/program provider)
kills: ## kill the program and cut its connections: the part of make faults that every change is tried with
	.ci/gotest ./test/faults -parallel 4 -timeout 20m -run '^($(SHORT_FAULTS))$$' $(TESTFLAGS)

smoke: ## walk through the console in a real browser: the part of make browser that every change is tried with
	.ci/gotest --cached ./test/browser -timeout 20m -run '^($(WALKS))$$' $(TESTFLAGS)

faults: ## kill the program, cut its connections, lose its answers: what was acknowledged stays
	.ci/gotest --cached ./test/faults -parallel 4 -timeout 20m $(TESTFLAGS)

budget: ## hold what each request costs against its bounds, on a service that is as full as it may be
	.ci/gotest ./test/budget -timeout 20m $(TESTFLAGS)

requests: ## send ten thousand requests that are made from the API description
	.ci/gotest --cached ./test/fuzz -timeout 20m $(TESTFLAGS)

pages: ## run the commands of the documentation; needs Bash, curl, jq, Python, Node.js and OpenSSL
	.ci/gotest ./test/pages -timeout 20m $(TESTFLAGS)

clients: clients-python clients-typescript ## build the wheel and the npm package of VERSION=v1.2.3 in dist; needs Python, Node.js and a network

# The sources have no version.
clients-python:
	rm -rf bin/clients/python && mkdir -p bin/clients dist && cp -r clients/python bin/clients/python
	sed -i 's/^__version__ = .*/__version__ = "$(VERSION:v%=%)"/' bin/clients/python/src/orgd/__init__.py
	python3 -m pip wheel --quiet --no-deps --wheel-dir dist bin/clients/python

# What the clients are built and checked with is installed once.
clients-typescript clients-test pages reliability: export ORGD_TEST_CLIENTS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/orgd-clients
clients-typescript:
	clients/typescript/pack $(VERSION:v%=%) dist && rm -r dist/typescript

scenarios: ## run the scenarios of the client in Go
	.ci/gotest ./test/clients -parallel 16 -timeout 20m -run '^TestScenarios$$/^go$$' $(TESTFLAGS)

clients-test: ## run the scenarios of the clients in each language, and check them; needs Python and Node.js
	.ci/gotest ./test/clients -parallel 16 -timeout 20m $(TESTFLAGS)

generators: export ORGD_TEST_GENERATORS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/orgd-generators
generators: ## make clients of the API by the generators that people use, use MCP with its SDKs; needs Node.js, Python, Java with Maven and a network
	.ci/gotest ./test/generators -timeout 60m $(TESTFLAGS)
	.ci/gotest ./test/mcp -timeout 20m -run '^TestOtherClients$$' $(TESTFLAGS)

module-test: ## build a copy of the module that has another path; needs Git
	.ci/gotest ./test/module -timeout 20m $(TESTFLAGS)

race races race-all: export CGO_ENABLED := 1
race: ## run the writers and the senders with the race detector; needs a C compiler
	.ci/gotest --cached '$(WRITERS)' $(RACEFLAGS) -short -timeout 20m $(TESTFLAGS)
	.ci/gotest --cached ./adapters/sqlitestore ./adapters/sqlitestore/internal/engine ./adapters/sqlitestore/internal/memory $(RACEFLAGS) -short -timeout 20m -run 'TestConformance/.*/Parallel|TestRead|TestWrite|TestRemembered|TestClose|BesideCommits' $(TESTFLAGS)
	.ci/gotest --cached ./test/client $(RACEFLAGS) -short -timeout 20m -run '^TestRuntime' $(TESTFLAGS)

races: ## run what else goroutines share with the race detector
	.ci/gotest --cached '$(SHARED)' $(RACEFLAGS) -short -timeout 20m $(TESTFLAGS)
	.ci/gotest --cached ./test/apitest $(RACEFLAGS) -short -timeout 20m -run 'TestEmbedded/(streams|webhooks|conditions|idempotency|sessions)|Limits|Outage' $(TESTFLAGS)

race-all: export ORGD_SEED ?= random
race-all: ## run all tests with the race detector, half an hour
	.ci/gotest $(ALL) $(RACEFLAGS) -short -timeout 1h $(TESTFLAGS)

redis: ## run the tests that need a redis-server, but those that flood it
	CGO_ENABLED=$(if $(RACE),1,0) .ci/gotest ./adapters/redislimit $(RACE) $(TESTFLAGS)
	.ci/gotest ./test/faults -run 'RetryAfter|KeepTheirSlots' $(TESTFLAGS)

redis mongo stores replicas integration reliability planted: export ORGD_TEST_REDIS_SERVER ?= $(shell command -v redis-server)
planted: export ORGD_TEST_CHROMIUM ?= $(shell command -v chromium)
mongo replicas integration reliability: export ORGD_TEST_HAPROXY ?= $(shell command -v haproxy)
mongo: ## run what matters most of integration: make stores and make replicas on the same servers
	go run ./test/servers $(MAKE) --no-print-directory stores-all replicas-all

stores: ## run the suites of the store on MongoDB; needs Docker
	go run ./test/servers $(MAKE) --no-print-directory stores-all

stores-all:
	.ci/gotest '$(STORES)' -timeout 20m $(TESTFLAGS)

replicas: ## try three replicas on MongoDB: the interface, failure points, elections; needs Docker
	go run ./test/servers $(MAKE) --no-print-directory replicas-all

# One after the other: the last one kills a member of the replica set.
replicas-all:
	.ci/gotest ./test/integration -timeout 20m -parallel 3 -run '$(REPLICATED)' $(TESTFLAGS)
	.ci/gotest ./test/budget -timeout 20m -run TestMongoDB $(TESTFLAGS)
	.ci/gotest ./test/faults -timeout 20m -run 'CrashesBetweenSteps|DeletionBesideHires|GuardedWritersOnReplicas|ElectionsOnReplicas|SignInAtReplicas' $(TESTFLAGS)

integration: ## run the tests that need MongoDB and Redis, in containers of Docker
	@[ -n "$$ORGD_TEST_REDIS_SERVER" ] || echo '!!! SKIPPED: there is no redis-server, so nothing that stops or breaks one is tested'
	@[ -n "$$ORGD_TEST_HAPROXY" ] || echo '!!! SKIPPED: there is no haproxy, so replicas that are restarted behind one are not tested'
	go run ./test/servers $(MAKE) --no-print-directory integration-all

# Much of this has bounds of seconds, so each has the machine for itself.
integration-all:
	$(MAKE) --no-print-directory integration-adapters
	$(MAKE) --no-print-directory integration-replicas
	$(MAKE) --no-print-directory integration-faults
	$(MAKE) --no-print-directory integration-chart

integration-adapters:
	go test $(TESTFLAGS) $(ADAPTERFLAGS) -count=1 -timeout 20m $(STORES) ./adapters/redislimit

integration-replicas:
	go test $(TESTFLAGS) -count=1 -timeout 20m -parallel 3 ./test/integration

integration-faults:
	go test $(TESTFLAGS) -count=1 -timeout 20m -run 'Replicas|Crashes|RetryAfter|Redis|StoreLost|PoolExhausted|KeepTheirSlots|RollingRestart|Balancer' ./test/faults

# Without cgo, whatever the others are built with: Helm is compiled once.
integration-chart:
	cd test/helm && CGO_ENABLED=0 go test $(TESTFLAGS) -count=1 -run Replicas .

# axe-core (MPL-2.0) looks for what keeps people out of the pages. Tests alone use it.
AXE := 4.14.1
AXE_SUM := 29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c
bin/axe.min.js:
	mkdir -p bin/axe && cd bin/axe && npm pack --silent axe-core@$(AXE) && tar -xzf axe-core-$(AXE).tgz package/axe.min.js
	echo '$(AXE_SUM)  bin/axe/package/axe.min.js' | sha256sum --check --quiet && mv bin/axe/package/axe.min.js $@ && touch --date=@0 $@ && rm -r bin/axe

browser: export ORGD_TEST_AXE ?= $(CURDIR)/bin/axe.min.js
browser: ## use the pages in a real browser; needs Chromium. ORGD_TEST_SCREENSHOTS names a directory for pictures
	@[ -s "$$ORGD_TEST_AXE" ] || { command -v npm && $(MAKE) --no-print-directory bin/axe.min.js; } >/dev/null 2>&1 || \
		echo '!!! SKIPPED: AXE-CORE CANNOT BE FETCHED: THE PAGES ARE NOT LOOKED AT BY AXE.'
	.ci/gotest --cached ./test/browser -timeout 60m $(TESTFLAGS)

# A module of its own, with Helm as a tool and the types of Kubernetes.
helm-test: ## render the Helm chart, check every object, run what comes out
	staticcheck=$$(go tool -n staticcheck) && cd test/helm && go vet . && $$staticcheck . && ../../.ci/gotest . -timeout 20m $(TESTFLAGS)

# A module of its own, with oasdiff as a library.
compat-test: ## compare the API description with that of the last release: nothing that clients rely on is gone
	staticcheck=$$(go tool -n staticcheck) && cd test/compat && go vet . && $$staticcheck . && ../../.ci/gotest . -timeout 20m $(TESTFLAGS)

bench: ## run the benchmarks; those of a million events take minutes
	go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 1h $(PACKAGES)

bench-mongo: export ORGD_TEST_MONGOBENCH = 1
bench-mongo: ## compare the service on MongoDB with the plain driver, five minutes; needs Docker
	go run ./test/servers go test -v -count=1 -timeout 30m ./test/mongobench

reproducible: ## build the release twice: the bytes have to be the same
	.ci/release --try && cp dist/try/SHA256SUMS dist/first.sums && .ci/release --try && cmp dist/first.sums dist/try/SHA256SUMS

reliability: reproducible race-all ## run the tests under test/ in their long form, several hours; docs/reliability.md
	@mkdir -p dist
	@{ ORGD_LONG=1 go run ./test/servers go test -v -count=1 -timeout 10h -run '$(RUN)' ./test/... ./adapters/jwtauth ./adapters/redislimit ./adapters/sqlitestore/...; echo $$? >dist/reliability.code; } 2>&1 | tee dist/reliability.log
	@echo; echo '=== what each test found; all of it is in dist/reliability.log'
	@grep -hoE '(R[0-9]+: |mixed load: |budget: |NOT JUDGED|SKIPPED: |--- FAIL: ).*' dist/reliability.log; exit $$(cat dist/reliability.code)

planted: ## show that tests notice two dozen mistakes, each built into a copy of a file
	go run ./test/planted -run '$(BUG)'

# Go fuzzes one target of one package at a time.
fuzz: ## give every parser of what comes from outside random texts, for FUZZTIME each
	@grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z]*' . | sort | while IFS=: read -r file target; do \
		echo "$$(dirname $$file) $${target#func }"; \
		go test -run '^$$' -fuzz "^$${target#func }\$$" -fuzztime $(FUZZTIME) "$$(dirname $$file)" || exit 1; \
	done

lint: ## check format, vet, generated code and staticcheck
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt -w these:"; echo "$$unformatted"; exit 1; fi
	go vet $(ALL)
	go tool wire diff .
	go tool staticcheck $(ALL)

vuln: ## look for known vulnerabilities in what the program uses
	go tool govulncheck $(ALL)

codemirror: ## build the editor of the console anew, from npm: after a change in adapters/httpapi/web/codemirror
	rm -rf bin/codemirror && mkdir -p bin/codemirror
	cp adapters/httpapi/web/codemirror/package.json adapters/httpapi/web/codemirror/entry.js bin/codemirror
	cd bin/codemirror && npm install --no-audit --no-fund --no-package-lock --silent && npm run --silent build
	mv bin/codemirror/codemirror.js adapters/httpapi/web/codemirror && rm -r bin/codemirror

generate: ## write the generated code, packed files, docs/reference and the table of metrics anew
	go tool wire .
	cd adapters/httpapi/apidoc && go run ./internal/generate
	cd clients && go run ./internal/types
	cd adapters/httpapi/web && go run ./internal/pack
	go test -count=1 -run '^TestReference$$' ./cmd/orgd ./deployments/internal/supplychain -update
	go test -count=1 -run '^TestMetricsPage$$' ./adapters/telemetry -update

# PATH is not where programs are here, so the shell is told.
module: ## give the module the path PATH=example.com/acme/orgd, so that others can fetch the client
	PATH=/usr/local/bin:/usr/bin:/bin .ci/module '$(PATH)'

ci: ## everything that must pass before a change lands
	.ci/run

clean: ## remove what was built; data stays
	rm -rf bin dist
