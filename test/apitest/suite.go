// Package apitest checks the whole HTTP interface from outside: it knows base
// addresses and tokens, nothing of what is behind them. The same checks run
// against one process with its own storage and against several that share one.
//
// Every answer of every check is compared with the API description that the
// service itself serves.
package apitest

import (
	"testing"
	"time"
)

// Service is a running service with an empty organization.
type Service struct {
	// URLs are the base addresses of its replicas, at least one, without the
	// path of the API. Requests go to them in turn.
	URLs []string
	// Mint returns a token that every replica accepts. It may be called from
	// several goroutines.
	Mint func(Grant) (string, error)

	document *document
}

// Grant says what a token is to be.
type Grant struct {
	Subject     string
	Role        string
	Departments []string
	TTL         time.Duration
}

// Start starts a service that limits nothing and allows every webhook, also
// without TLS and on this machine, and stops it when the test ends.
type Start func(t *testing.T) *Service

// check is one property of the interface.
type check func(*testing.T, *Service)

// Run checks the interface. It starts a service for every check; the checks run
// in parallel. Together they have every answer that a caller can cause.
func Run(t *testing.T, start Start) {
	docs := newDocuments()
	t.Cleanup(func() {
		docs.missed(t, func(status string) bool { return status != "429" })
	})
	for area, checks := range areas() {
		t.Run(area, func(t *testing.T) {
			t.Parallel()
			for name, c := range checks {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					s := start(t)
					s.document = docs.of(t, s)
					c(t, s)
				})
			}
		})
	}
}

func areas() map[string]map[string]check {
	return map[string]map[string]check{
		"router":       routerChecks(),
		"bodies":       bodyChecks(),
		"patches":      patchChecks(),
		"conditions":   conditionChecks(),
		"idempotency":  idempotencyChecks(),
		"fields":       fieldChecks(),
		"lists":        listChecks(),
		"agents":       agentChecks(),
		"versions":     versionChecks(),
		"labels":       labelChecks(),
		"search":       searchChecks(),
		"departments":  departmentChecks(),
		"ceremonies":   ceremonyChecks(),
		"company":      companyChecks(),
		"projects":     projectChecks(),
		"organization": organizationChecks(),
		"webhooks":     webhookChecks(),
		"apply":        applyChecks(),
		"activities":   activityChecks(),
		"streams":      streamChecks(),
		"audit":        auditChecks(),
		"changes":      changeChecks(),
		"sessions":     sessionChecks(),
		"permissions":  permissionChecks(),
		"mutations":    mutationChecks(),
		"attacks":      attackChecks(),
	}
}
