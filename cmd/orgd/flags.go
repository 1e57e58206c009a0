package main

// The settings as flags, in groups that several commands share. Values stay
// texts here: orgd.Load reads them, so that all mistakes are reported at once.

// fileFlag names the file of settings.
type fileFlag struct {
	Config string `placeholder:"FILE" help:"YAML file with settings, named as the flags are. ($$ORGD_CONFIG)"`
}

// directoryFlag names the data directory.
type directoryFlag struct {
	DataDir string `placeholder:"DIR" help:"Data directory: database, keys, first token."`
}

// keyFlags say how own tokens are made.
type keyFlags struct {
	SigningKeyFile string `group:"Tokens" placeholder:"FILE" help:"Keys that sign and verify tokens (Ed25519, PEM): the first signs, all verify. Replicas share the file. Otherwise the key lies in the data directory."`
	TokenIssuer    string `group:"Tokens" placeholder:"NAME" help:"Issuer of own tokens."`
	TokenAudience  string `group:"Tokens" placeholder:"NAME" help:"Audience of own tokens."`
}

// serviceFlags are all settings of the service.
type serviceFlags struct {
	fileFlag
	listenFlags
	storageFlags
	keyFlags
	authFlags
	limitFlags
	logFlags
}

type listenFlags struct {
	Addr            string   `group:"Listening" placeholder:"HOST:PORT" help:"Address to listen on; port 0 takes a free one."`
	MetricsAddr     string   `group:"Listening" placeholder:"HOST:PORT" help:"Show metrics, to everybody who gets there, on a listener of their own."`
	TLSCert         string   `group:"Listening" name:"tls-cert" placeholder:"FILE" help:"Serve HTTPS with this certificate; read again when it changes."`
	TLSKey          string   `group:"Listening" name:"tls-key" placeholder:"FILE" help:"Key of the certificate."`
	TrustedProxies  []string `group:"Listening" placeholder:"CIDR" help:"Proxies whose X-Forwarded-For is believed: addresses or ranges."`
	CORSOrigins     []string `group:"Listening" name:"cors-origins" placeholder:"ORIGIN" help:"Origins whose pages may call the API."`
	ErrorDocsURL    string   `group:"Listening" name:"error-docs-url" placeholder:"URL" help:"Where error types are explained; problems begin their type with it."`
	Console         bool     `group:"Listening" negatable:"" help:"Serve the console."`
	RequestTimeout  string   `group:"Listening" placeholder:"TIME" help:"How long the work on one request may take."`
	DrainDelay      string   `group:"Listening" placeholder:"TIME" help:"After a signal to stop: how long to answer while readiness says 503, so that load balancers notice."`
	ShutdownTimeout string   `group:"Listening" placeholder:"TIME" help:"How long running requests may take to end after that."`
}

type storageFlags struct {
	directoryFlag `group:"Storage"`
	Storage       string `group:"Storage" placeholder:"KIND" help:"sqlite keeps everything in the data directory; mongodb serves several replicas."`
	MongoURI      string `group:"Storage" name:"mongo-uri" placeholder:"URI" help:"Replica set of --storage mongodb. It holds a password: prefer $$ORGD_MONGO_URI_FILE."`
	RedisAddr     string `group:"Storage" placeholder:"HOST:PORT" help:"Redis through which replicas share their limits."`
	Replicas      string `group:"Storage" placeholder:"N" help:"How many processes serve the same storage. Without Redis each admits its part of the limits."`
	Retention     string `group:"Storage" placeholder:"TIME" help:"How long runtime events are kept, such as 400d; 0 keeps them for ever."`
	Readers       string `group:"Storage" placeholder:"N" help:"How many reads run at once on the data directory."`
	CursorKeyFile string `group:"Storage" placeholder:"FILE" help:"Key that signs the cursors of lists (base64, 32 bytes or more). Replicas share it. Otherwise it lies in the data directory."`
}

type authFlags struct {
	TokenCacheSize       string   `group:"Tokens" placeholder:"N" help:"How many verified tokens are remembered."`
	OIDCIssuer           string   `group:"oidc" name:"oidc-issuer" placeholder:"URL" help:"Accept tokens of this issuer too."`
	OIDCAudience         []string `group:"oidc" name:"oidc-audience" placeholder:"NAME" help:"Audiences that mean this service; required with --oidc-issuer."`
	OIDCJWKSURI          string   `group:"oidc" name:"oidc-jwks-uri" placeholder:"URL" help:"Where the issuer's keys are, if its discovery document shall not say."`
	OIDCRoleClaim        string   `group:"oidc" name:"oidc-role-claim" placeholder:"NAME" help:"Claim with the roles; a.b is the member b of a."`
	OIDCRoleMap          []string `group:"oidc" name:"oidc-role-map" placeholder:"WORD=ROLE" help:"The issuer's words for roles. Without any they are the roles' own names."`
	OIDCDepartmentsClaim string   `group:"oidc" name:"oidc-departments-claim" placeholder:"NAME" help:"Claim with the departments of a department_admin."`
	OIDCAgentClaim       string   `group:"oidc" name:"oidc-agent-claim" placeholder:"NAME" help:"Claim with the id of an agent."`
	OIDCLeeway           string   `group:"oidc" name:"oidc-leeway" placeholder:"TIME" help:"How far the issuer's clock may be off, up to 1m."`
	OIDCAllowHTTP        bool     `group:"oidc" name:"oidc-allow-http" help:"Fetch keys without TLS also from other hosts. For tests only."`
}

type limitFlags struct {
	Limits      string   `group:"Limits" placeholder:"on|off" help:"off: no limits but those that are set one by one."`
	Limit       []string `group:"Limits" placeholder:"NAME=CAP/TIME" help:"Requests in any such period, as in agents.create=100/60s, or NAME=off. Repeatable."`
	LimitAtOnce []string `group:"Limits" placeholder:"NAME=N" help:"Requests that run at once, as in activities.stream=8, or NAME=off. Repeatable."`
}

type logFlags struct {
	LogLevel  string `group:"logs" placeholder:"LEVEL" help:"debug, info, warn or error."`
	LogFormat string `group:"logs" placeholder:"FORMAT" help:"json, console, or auto: console on a terminal."`
}
