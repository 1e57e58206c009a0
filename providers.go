//go:build wireinject

package orgd

import (
	"github.com/google/wire"

	"orgd/adapters/httpapi"
	"orgd/adapters/jwtauth"
	"orgd/adapters/memlimit"
	"orgd/adapters/sqlitestore"
	"orgd/adapters/system"
	"orgd/app"
	"orgd/ports"
)

// commonSet is the same wherever the data lies.
var commonSet = wire.NewSet(
	wire.FieldsOf(new(Config), "HTTP"),
	wire.Struct(new(App), "cfg", "log", "server", "sessions", "storage", "clock", "metrics", "issuer"),

	wire.Struct(new(system.Clock)), wire.Bind(new(ports.Clock), new(system.Clock)),
	wire.Struct(new(system.IDs)), wire.Bind(new(ports.IDs), new(system.IDs)),
	Version, newMetrics, capabilities,
	measuredStores, wire.FieldsOf(new(measured), "Agents", "Identities", "Departments", "Company", "Projects",
		"Activities", "Measures", "Audit", "Receipts", "Sessions", "Storage"),

	loadIssuer, wire.Bind(new(ports.TokenIssuer), new(*jwtauth.Issuer)),
	openAuth, wire.Bind(new(ports.Authenticator), new(*jwtauth.Auth)),
	readCursorKey,

	wire.Struct(new(app.Kit), "*"),
	app.NewAgents, app.NewDepartments, app.NewCompany, app.NewProjects,
	app.NewMeasures, app.NewSessions, newActivities,

	wire.Struct(new(httpapi.Parts), "*"), httpapi.New,
)

// localLimitSet counts requests in this process.
var localLimitSet = wire.NewSet(
	localCaps, newLocalLimiter, wire.Bind(new(ports.Limiter), new(*memlimit.Limiter)),
)

// embeddedSet keeps everything in a data directory.
var embeddedSet = wire.NewSet(
	wire.FieldsOf(new(Config), "SQLite"),
	sqlitestore.Open, embeddedKeys,
	sqliteStores,
)
