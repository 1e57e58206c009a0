package orgd

import (
	"go.uber.org/zap"

	"orgd/adapters/httpapi"
	"orgd/adapters/jwtauth"
	"orgd/adapters/memlimit"
	"orgd/adapters/sqlitestore"
	"orgd/adapters/telemetry"
	"orgd/app"
	"orgd/domain/limit"
	"orgd/ports"
)

// What the injectors need beside the constructors of the adapters.

// openAuth starts to fetch the keys of external issuers.
func openAuth(cfg Config, issuer *jwtauth.Issuer, k keyFiles, clock ports.Clock, log *zap.Logger) (*jwtauth.Auth, func(), error) {
	c := cfg.Auth
	c.KeyFile = k.signing
	return jwtauth.Open(c, issuer, clock, log)
}

// newLocalLimiter counts in this process.
func newLocalLimiter() *memlimit.Limiter { return memlimit.New(memlimit.Uptime()) }

// localCaps are what this process may admit while nobody shares its limits.
func localCaps(cfg Config) limit.Caps { return cfg.Limits.PerReplica(cfg.Replicas) }

func newActivities(cfg Config, kit app.Kit, log ports.ActivityLog, agents ports.AgentStore) *app.Activities {
	return app.NewActivities(kit, log, agents, cfg.Retention)
}

// sqliteStores are the stores of a data directory.
func sqliteStores(db *sqlitestore.DB) ports.Stores {
	return ports.Stores{
		Agents:      sqlitestore.NewAgents(db),
		Identities:  sqlitestore.NewIdentities(db),
		Departments: sqlitestore.NewDepartments(db),
		Company:     sqlitestore.NewCompany(db),
		Projects:    sqlitestore.NewProjects(db),
		Activities:  sqlitestore.NewActivities(db),
		Measures:    sqlitestore.NewMeasures(db),
		Audit:       sqlitestore.NewAudit(db),
		Receipts:    sqlitestore.NewReceipts(db),
		Sessions:    sqlitestore.NewSessions(db),
		Storage:     sqlitestore.NewStorage(db),
	}
}

// measured are the stores as the use cases get them.
type measured ports.Stores

func measuredStores(m *telemetry.Metrics, s ports.Stores) measured { return measured(m.Measured(s)) }

func newMetrics(b httpapi.BuildInfo) *telemetry.Metrics {
	return telemetry.NewMetrics(b.Version, b.Commit)
}

// capabilities tells what is wired and works at the moment.
func capabilities(auth *jwtauth.Auth) func() httpapi.Capabilities {
	return func() httpapi.Capabilities {
		return httpapi.Capabilities{ActivityIngest: true, ExternalIdentity: auth.External()}
	}
}
