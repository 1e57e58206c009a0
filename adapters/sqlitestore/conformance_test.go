package sqlitestore

import (
	"testing"

	"orgd/ports/portstest"
)

func TestConformance(t *testing.T) {
	portstest.All(t, func(t *testing.T) portstest.Stores {
		db := openOrg(t, t.TempDir()).db
		return portstest.Stores{
			Agents: NewAgents(db), Identities: NewIdentities(db),
			Activities: NewActivities(db), Stream: NewStream(db), Measures: NewMeasures(db),
			Departments: NewDepartments(db), Company: NewCompany(db), Projects: NewProjects(db),
			Audit: NewAudit(db), Receipts: NewReceipts(db), Sessions: NewSessions(db),
			Webhooks: NewWebhooks(db), Outbox: NewOutbox(db), Storage: NewStorage(db),
		}
	})
}
