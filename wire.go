//go:build wireinject

package orgd

import (
	"context"

	"github.com/google/wire"
	"go.uber.org/zap"

	"orgd/adapters/httpapi"
	"orgd/adapters/jwtauth"
	"orgd/adapters/system"
	"orgd/adapters/telemetry"
	"orgd/adapters/webhooksend"
	"orgd/app"
	"orgd/ports"
)

// assemble connects the parts of the service. The function that it returns closes them.
func assemble(ctx context.Context, cfg Config, log *zap.Logger, clock ports.Clock) (*App, func(), error) {
	panic(wire.Build(
		wire.Struct(new(App), "cfg", "log", "server", "sessions", "storage", "clock", "metrics", "issuer", "auth", "jobs",
			"stream", "streams", "dispatcher"),
		serverConfig, wire.Struct(new(httpapi.Parts), "*"), httpapi.New, newMCP,

		wire.Struct(new(system.IDs)), wire.Bind(new(ports.IDs), new(system.IDs)),
		wire.Struct(new(system.Random)), wire.Bind(new(ports.Random), new(system.Random)),
		Version, openTraces, newMetrics, wire.Bind(new(app.DeliveryMeter), new(*telemetry.Metrics)),
		wire.Bind(new(app.LogMeter), new(*telemetry.Metrics)), capabilities,

		openAudited, wire.FieldsOf(new(storage), "stores", "jobs"),
		wire.FieldsOf(new(ports.Stores), "Agents", "Identities", "Departments", "Company", "Projects", "Activities",
			"Stream", "Measures", "Audit", "Idempotency", "Sessions", "Webhooks", "Outbox", "Storage"),
		wire.Bind(new(ports.AgentReader), new(ports.AgentStore)), wire.Bind(new(ports.AgentNames), new(ports.AgentStore)),
		openLimits, wire.FieldsOf(new(limits), "limiter", "caps", "shared"),

		authConfig, readCursorKey,
		jwtauth.LoadIssuer, wire.Bind(new(ports.TokenIssuer), new(*jwtauth.Issuer)),
		jwtauth.Open, wire.Bind(new(ports.Authenticator), new(*jwtauth.Auth)),
		newProvider, wire.Bind(new(ports.IdentityProvider), new(*jwtauth.Provider)), app.NewSignIns,

		app.NewAgents, app.NewDepartments, app.NewCompany, app.NewDocuments, app.NewProjects,
		app.NewMeasures, app.NewSessions, app.NewStreams, app.NewChanges, app.NewTrail, newActivities,
		wire.FieldsOf(new(Config), "Webhooks"), app.NewWebhooks, app.NewDispatcher,
		newWebhookSender, wire.Bind(new(ports.WebhookSender), new(*webhooksend.Sender)),
	))
}
