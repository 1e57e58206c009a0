package config

// The settings as flags, in groups that several commands share. Values stay
// texts here: orgd.Load reads them, so that all mistakes are reported at once.

// FileFlag names the file of settings.
type FileFlag struct {
	Config string `placeholder:"FILE" help:"YAML file with settings, named as the flags are. ($$ORGD_CONFIG)"`
}

// DirectoryFlag names the data directory.
type DirectoryFlag struct {
	DataDir string `placeholder:"DIR" help:"Data directory: database, keys, first token."`
}

// KeyFlags say how own tokens are made.
type KeyFlags struct {
	SigningKeyFile string `group:"Tokens" placeholder:"FILE" help:"Keys that sign and verify tokens (Ed25519, PEM): the first signs, all verify. Replicas share the file. Otherwise the key lies in the data directory."`
	TokenIssuer    string `group:"Tokens" placeholder:"NAME" help:"Issuer of own tokens."`
	TokenAudience  string `group:"Tokens" placeholder:"NAME" help:"Audience of own tokens."`
}

// ServiceFlags are all settings of the service.
type ServiceFlags struct {
	FileFlag
	listenFlags
	storageFlags
	MongoFlags
	redisFlags
	KeyFlags
	authFlags
	webhookFlags
	limitFlags
	traceFlags
	logFlags
}

type listenFlags struct {
	Addr                string   `group:"Listening" placeholder:"HOST:PORT" help:"Address to listen on; port 0 takes a free one."`
	MetricsAddr         string   `group:"Listening" placeholder:"HOST:PORT" help:"Show metrics, to everybody who gets there, on a listener of their own."`
	TLSCert             string   `group:"Listening" name:"tls-cert" placeholder:"FILE" help:"Serve HTTPS with this certificate; read again when it changes."`
	TLSKey              string   `group:"Listening" name:"tls-key" placeholder:"FILE" help:"Key of the certificate."`
	TrustedProxies      []string `group:"Listening" placeholder:"CIDR" help:"Proxies whose X-Forwarded-For is believed: addresses or ranges."`
	CORSOrigins         []string `group:"Listening" name:"cors-origins" placeholder:"ORIGIN" help:"Origins whose pages may call the API."`
	ErrorDocsURL        string   `group:"Listening" name:"error-docs-url" placeholder:"URL" help:"Where error types are explained; problems begin their type with it."`
	Console             bool     `group:"Listening" negatable:"" help:"Serve the console, at /console. By itself where only this machine can reach it: with the embedded storage on a loopback address."`
	RequestTimeout      string   `group:"Listening" placeholder:"TIME" help:"How long the work on one request may take, up to 15s."`
	OrganizationTimeout string   `group:"Listening" placeholder:"TIME" help:"The same for requests that read or change the whole organization."`
	OrganizationMaxBody string   `group:"Listening" placeholder:"BYTES" help:"How large the document of an organization may be. What does not fit into memory goes to temporary files."`
	DrainDelay          string   `group:"Listening" placeholder:"TIME" help:"After a signal to stop: how long to answer while readiness says 503, so that load balancers notice."`
	ShutdownTimeout     string   `group:"Listening" placeholder:"TIME" help:"How long running requests may take to end after that."`
}

type storageFlags struct {
	DirectoryFlag `group:"Storage"`
	Storage       string `group:"Storage" placeholder:"KIND" help:"sqlite keeps everything in the data directory; mongodb serves several replicas."`
	Replicas      string `group:"Storage" placeholder:"N" help:"How many processes serve the same storage, 1 to 1000. Without Redis each admits its part of the limits."`
	Retention     string `group:"Storage" placeholder:"TIME" help:"How long runtime events are kept, such as 400d; 0 keeps them for ever."`
	Readers       string `group:"Storage" placeholder:"N" help:"How many reads run at once on the data directory, 1 to 64."`
	CursorKeyFile string `group:"Storage" placeholder:"FILE" help:"Key that signs the cursors of lists (base64, 32 bytes or more). Replicas share it. Otherwise it lies in the data directory."`
}

// MongoFlags are the settings of MongoDB.
type MongoFlags struct {
	MongoURI              string `group:"mongo" name:"mongo-uri" placeholder:"URI" help:"Connection string of a replica set, such as mongodb://a,b,c/?replicaSet=NAME. It may hold a password: prefer $$ORGD_MONGO_URI_FILE."`
	MongoDatabase         string `group:"mongo" placeholder:"NAME" help:"Database that keeps everything: letters, digits, - and _."`
	MongoConnectTimeout   string `group:"mongo" placeholder:"TIME" help:"How long opening a connection may take, 100ms to 10s."`
	MongoOperationTimeout string `group:"mongo" placeholder:"TIME" help:"How long one operation may take, finding a server included, 100ms to 10s."`
	MongoMaxPool          string `group:"mongo" placeholder:"N" help:"How many connections to each server there may be, 1 to 10000."`
}

type redisFlags struct {
	RedisAddr             []string `group:"redis" placeholder:"ADDR" help:"HOST:PORT, redis://HOST:PORT/DB or rediss://HOST:PORT/DB; several are nodes of a cluster, or sentinels."`
	RedisCluster          bool     `group:"redis" help:"The one address is a node of a cluster."`
	RedisUsername         string   `group:"redis" placeholder:"NAME" help:"Who logs in to Redis."`
	RedisPassword         string   `group:"redis" placeholder:"TEXT" help:"Prefer $$ORGD_REDIS_PASSWORD_FILE."`
	RedisSentinelMaster   string   `group:"redis" placeholder:"NAME" help:"The addresses are sentinels, which watch this master."`
	RedisSentinelUsername string   `group:"redis" placeholder:"NAME" help:"Who logs in to the sentinels."`
	RedisSentinelPassword string   `group:"redis" placeholder:"TEXT" help:"Prefer $$ORGD_REDIS_SENTINEL_PASSWORD_FILE."`
	RedisTLSCA            string   `group:"redis" name:"redis-tls-ca" placeholder:"FILE" help:"Who vouches for the servers; otherwise the system's authorities."`
	RedisTLSCert          string   `group:"redis" name:"redis-tls-cert" placeholder:"FILE" help:"Certificate that is shown to the servers."`
	RedisTLSKey           string   `group:"redis" name:"redis-tls-key" placeholder:"FILE" help:"Key of that certificate."`
	RedisPrefix           string   `group:"redis" placeholder:"TEXT" help:"How every key begins: letters, digits and -_.:, at most 32."`
	RedisTimeout          string   `group:"redis" placeholder:"TIME" help:"How long a request may wait for Redis, 5ms to 1s."`
}

type authFlags struct {
	TokenCacheSize       string   `group:"Tokens" placeholder:"N" help:"How many verified tokens are remembered, 0 to 1000000."`
	OIDCIssuer           string   `group:"oidc" name:"oidc-issuer" placeholder:"URL" help:"Accept tokens of this issuer too."`
	OIDCAudience         []string `group:"oidc" name:"oidc-audience" placeholder:"NAME" help:"Audiences that mean this service; required with --oidc-issuer."`
	OIDCJWKSURI          string   `group:"oidc" name:"oidc-jwks-uri" placeholder:"URL" help:"Where the issuer's keys are, if its discovery document shall not say."`
	OIDCRoleClaim        string   `group:"oidc" name:"oidc-role-claim" placeholder:"NAME" help:"Claim with the roles; a.b is the member b of a."`
	OIDCRoleMap          []string `group:"oidc" name:"oidc-role-map" placeholder:"WORD=ROLE" help:"The issuer's words for roles. Without any they are the roles' own names."`
	OIDCDepartmentsClaim string   `group:"oidc" name:"oidc-departments-claim" placeholder:"NAME" help:"Claim with the departments of a department_admin."`
	OIDCAgentClaim       string   `group:"oidc" name:"oidc-agent-claim" placeholder:"NAME" help:"Claim with the id of an agent."`
	OIDCLeeway           string   `group:"oidc" name:"oidc-leeway" placeholder:"TIME" help:"How far the issuer's clock may be off, 0s to 1m."`
	OIDCAllowHTTP        bool     `group:"oidc" name:"oidc-allow-http" help:"Fetch keys without TLS also from other hosts. For tests only."`
}

type webhookFlags struct {
	WebhookAllowHTTP    bool `group:"Webhooks" name:"webhook-allow-http" help:"Allow webhooks without TLS. For tests only."`
	WebhookAllowPrivate bool `group:"Webhooks" help:"Allow webhooks at addresses that are not public: loopback, private networks, the metadata services of clouds. Whoever may create webhooks can then have requests sent there."`
}

type limitFlags struct {
	Limits      string   `group:"Limits" placeholder:"on|off" help:"off: no limits but those that are set one by one."`
	Limit       []string `group:"Limits" placeholder:"NAME=CAP/TIME" help:"Requests in any such period of 1s to 1d, as in agents.create=100/60s, or NAME=off. Repeatable."`
	LimitAtOnce []string `group:"Limits" placeholder:"NAME=N" help:"Requests that run at once, as in activities.stream=8, or NAME=off. Repeatable."`
}

type traceFlags struct {
	TracesEndpoint string   `group:"Traces" placeholder:"URL" help:"Send traces to this collector, OTLP over HTTP, such as http://127.0.0.1:4318."`
	TracesRatio    string   `group:"Traces" placeholder:"SHARE" help:"Which share of traces is kept, 0 to 1, of those that begin here."`
	TracesHeaders  []string `group:"Traces" placeholder:"NAME=VALUE" help:"Headers for the collector, such as Authorization. Prefer $$ORGD_TRACES_HEADERS_FILE."`
}

type logFlags struct {
	LogLevel  string `group:"logs" placeholder:"LEVEL" help:"debug, info, warn or error."`
	LogFormat string `group:"logs" placeholder:"FORMAT" help:"json, console, or auto: console on a terminal."`
}
