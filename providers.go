//go:build wireinject

package orgd

import (
	"github.com/google/wire"

	"orgd/adapters/httpapi"
	"orgd/adapters/jwtauth"
	"orgd/adapters/memlimit"
	"orgd/adapters/sqlitestore"
	"orgd/adapters/system"
	"orgd/adapters/telemetry"
	"orgd/adapters/webhooksend"
	"orgd/app"
	"orgd/ports"
)

// commonSet is the same wherever the data lies.
var commonSet = wire.NewSet(
	serverConfig,
	wire.Struct(new(App), "cfg", "log", "server", "sessions", "storage", "clock", "metrics", "issuer", "auth", "jobs",
		"stream", "dispatcher"),

	wire.Struct(new(system.Clock)), wire.Bind(new(ports.Clock), new(system.Clock)),
	wire.Struct(new(system.IDs)), wire.Bind(new(ports.IDs), new(system.IDs)),
	wire.Struct(new(system.Random)), wire.Bind(new(ports.Random), new(system.Random)),
	Version, openTraces, newMetrics, wire.Bind(new(app.DeliveryMeter), new(*telemetry.Metrics)), capabilities,
	measuredStores, wire.FieldsOf(new(measured), "Agents", "Identities", "Departments", "Company", "Projects",
		"Activities", "Stream", "Measures", "Audit", "Receipts", "Sessions", "Webhooks", "Outbox", "Storage"),

	loadIssuer, wire.Bind(new(ports.TokenIssuer), new(*jwtauth.Issuer)),
	openAuth, wire.Bind(new(ports.Authenticator), new(*jwtauth.Auth)),
	readCursorKey,

	wire.Struct(new(app.Kit), "*"),
	app.NewAgents, app.NewDepartments, app.NewCompany, app.NewDocuments, app.NewProjects,
	app.NewMeasures, app.NewSessions, app.NewStreams, newActivities,
	wire.FieldsOf(new(Config), "Webhooks"), app.NewWebhooks, app.NewDispatcher,
	newWebhookSender, wire.Bind(new(ports.WebhookSender), new(*webhooksend.Sender)),

	wire.Struct(new(httpapi.Parts), "*"), httpapi.New,
)

// localLimitSet counts requests in this process.
var localLimitSet = wire.NewSet(
	localCaps, newLocalLimiter, wire.Bind(new(ports.Limiter), new(*memlimit.Limiter)),
	notShared,
)

// sharedLimitSet counts requests of all replicas in Redis, and in this process
// while Redis is lost.
var sharedLimitSet = wire.NewSet(
	wire.FieldsOf(new(Config), "Limits"),
	newLocalLimiter, openSharedLimiter, sharedLimiter,
	sharedState,
)

// embeddedSet keeps everything in a data directory.
var embeddedSet = wire.NewSet(
	wire.FieldsOf(new(Config), "SQLite"),
	sqlitestore.Open, embeddedKeys,
	sqliteStores, sqliteJobs,
)

// mongoSet keeps everything in a MongoDB that replicas share.
var mongoSet = wire.NewSet(
	openMongo, sharedKeys,
	mongoStores, mongoJobs,
)
