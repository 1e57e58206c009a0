package helm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A wrong value is refused, and the message has its name.
func TestWrongValues(t *testing.T) {
	const replicas = "storage: mongodb\nmongodb: {existingSecret: m}\nkeys: {existingSecret: k}\n"
	for _, wrong := range []struct{ name, values, want string }{
		{"unknown value", "replicas: 2", "'replicas' not allowed"},
		{"unknown value inside", "image: {name: orgd}", "at '/image': additional properties 'name' not allowed"},
		{"storage", "storage: postgres", "/storage"},
		{"replicas of the embedded store", "replicaCount: 2", "/replicaCount"},
		{"replicas as text", replicas + `replicaCount: "3"`, "/replicaCount"},
		{"no replica", replicas + "replicaCount: 0", "/replicaCount"},
		{"autoscaling of the embedded store", "autoscaling: {enabled: true}", "/autoscaling/enabled"},
		{"MongoDB for the embedded store", "mongodb: {existingSecret: m}", "/mongodb/existingSecret"},
		{"no MongoDB", "storage: mongodb\nkeys: {existingSecret: k}", "/mongodb/existingSecret"},
		{"no keys", "storage: mongodb\nmongodb: {existingSecret: m}", "/keys/existingSecret"},
		{"name of a Secret", "keys: {existingSecret: Orgd_Keys}", "/keys/existingSecret"},
		{"key of a Secret", "mongodb: {uriKey: a b}", "/mongodb/uriKey"},
		{"password in an address", `redis: {addresses: ["redis://:secret@redis:6379"]}`, "/redis/addresses/0"},
		{"address without port", `redis: {addresses: [redis]}`, "/redis/addresses/0"},
		{"tag that moves", "image: {tag: latest}", "/image/tag"},
		{"digest", "image: {digest: 1234}", "/image/digest"},
		{"pull policy", "image: {pullPolicy: Sometimes}", "/image/pullPolicy"},
		{"secret among the settings", "settings: {mongo-uri: x}", "/settings/mongo-uri"},
		{"password among the settings", "settings: {redis-password: x}", "/settings/redis-password"},
		{"setting that is the chart's", `settings: {addr: ":9090"}`, "/settings/addr"},
		{"setting that has a value of its own", "settings: {console: true}", "/settings/console"},
		{"public address among the settings", "settings: {public-url: https://a.example.com}", "/settings/public-url"},
		{"public address without TLS", "publicUrl: http://orgd.example.com", "/publicUrl"},
		{"public address with a path", "publicUrl: https://example.com/orgd", "/publicUrl"},
		{"public address with a slash behind it", "publicUrl: https://orgd.example.com/", "/publicUrl"},
		{"public address without scheme", "publicUrl: orgd.example.com", "/publicUrl"},
		{"public address with a user", "publicUrl: https://me@orgd.example.com", "/publicUrl"},
		{"console", "console: true", "/console"},
		{"console that the program decides on", "console: {enabled: auto}", "/console/enabled"},
		{"issuer among the settings", "settings: {oidc-issuer: https://login.example.com}", "/settings/oidc-issuer"},
		{"secret of the client among the settings", "settings: {oidc-client-secret-file: /tmp/x}", "/settings/oidc-client-secret-file"},
		{"client without public address", "oidc: {issuer: https://login.example.com, clientId: orgd}", "/publicUrl"},
		{"client without issuer", "publicUrl: https://a.example.com\noidc: {clientId: orgd}", "/oidc/clientId"},
		{"claim without issuer", "oidc: {roleClaim: groups}", "/oidc/roleClaim"},
		{"roles without issuer", "oidc: {roleMap: {a: admin}}", "/oidc/roleMap"},
		{"secret without client", "oidc: {issuer: https://login.example.com, audience: [orgd], existingSecret: s}", "/oidc/existingSecret"},
		{"issuer for nobody", "oidc: {issuer: https://login.example.com}", "/oidc/audience"},
		{"issuer that is no address", "oidc: {issuer: login.example.com, audience: [orgd]}", "/oidc/issuer"},
		{"every audience", `oidc: {issuer: "https://login.example.com", audience: ["*"]}`, "/oidc/audience/0"},
		{"scopes without openid", "publicUrl: https://a.example.com\noidc: {issuer: https://login.example.com, clientId: orgd, scopes: [profile]}", "/oidc/scopes"},
		{"several scopes in one text", "oidc: {scopes: [openid profile]}", "/oidc/scopes/0"},
		{"role that is none", "oidc: {issuer: https://login.example.com, audience: [orgd], roleMap: {staff: owner}}", "/oidc/roleMap/staff"},
		{"secret of the client itself", "oidc: {clientSecret: x}", "at '/oidc': additional properties 'clientSecret' not allowed"},
		{"setting as a variable", "settings: {ORGD_RETENTION: 1d}", "'ORGD_RETENTION' not allowed"},
		{"setting without value", "settings: {retention: }", "/settings"},
		{"size", "persistence: {size: 10 GB}", "/persistence/size"},
		{"access mode", "persistence: {accessMode: ReadWriteMany}", "/persistence/accessMode"},
		{"port", "service: {port: 70000}", "/service/port"},
		{"Ingress without host", "ingress: {enabled: true}\nsettings: {trusted-proxies: 10.0.0.0/8}", "/ingress/hosts"},
		{"Ingress without trusted proxies", "ingress: {enabled: true, hosts: [a.example.com]}", "at '/settings': missing property 'trusted-proxies'"},
		{"host", `ingress: {hosts: ["https://a.example.com"]}`, "/ingress/hosts/0"},
		{"annotation that is no text", "service: {annotations: {a: true}}", "/service/annotations/a"},
		{"HTTPRoute without Gateway", "httpRoute: {enabled: true}\nsettings: {trusted-proxies: 10.0.0.0/8}", "/httpRoute/parentRefs"},
		{"HTTPRoute without trusted proxies", "httpRoute: {enabled: true, parentRefs: [{name: g}]}", "'trusted-proxies'"},
		{"Gateway without name", "httpRoute: {parentRefs: [{namespace: g}]}", "at '/httpRoute/parentRefs/0': missing property 'name'"},
		{"ServiceMonitor without a port", "serviceMonitor: {enabled: true}\nmetricsListener: {enabled: false}", "/metricsListener/enabled"},
		{"ServiceMonitor that is not let in", "serviceMonitor: {enabled: true}", "/networkPolicy/monitoring"},
		{"token for metrics", "serviceMonitor: {existingSecret: t}", "at '/serviceMonitor': additional properties 'existingSecret' not allowed"},
		{"user of Redis among the settings", "settings: {redis-username: u}", "/settings/redis-username"},
		{"user of Redis in a variable", "extraEnv: [{name: ORGD_REDIS_USERNAME, value: u}]", "/extraEnv/0/name"},
		{"user without Redis", "redis: {username: u}", "/redis/username"},
		{"password without Redis", "redis: {existingSecret: r}", "/redis/existingSecret"},
		{"user of no sentinels", "redis: {addresses: [\"r:6379\"], sentinelUsername: u}", "/redis/sentinelUsername"},
		{"authority without TLS", "redis: {addresses: [\"redis://r:6379\"], tls: {existingSecret: a}}", "/redis/addresses/0"},
		{"two authorities for Redis", "redis: {addresses: [\"rediss://r:6379\"], tls: {existingSecret: a, existingConfigMap: b}}", "/redis/tls/existingConfigMap"},
		{"certificate without Secret", "redis: {addresses: [\"rediss://r:6379\"], tls: {existingConfigMap: b, clientCertificate: true}}", "/redis/tls/clientCertificate"},
		{"range of ports", "networkPolicy: {mongodbPorts: [\"1024-\"]}", "/networkPolicy/mongodbPorts/0"},
		{"port as text", "networkPolicy: {redisPorts: [\"6379\"]}", "/networkPolicy/redisPorts/0"},
		{"port twice", "networkPolicy: {redisPorts: [6379, 6379]}", "/networkPolicy/redisPorts"},
		{"no port for names", "networkPolicy: {dnsPorts: []}", "/networkPolicy/dnsPorts"},
		{"issuer that is no peer", "networkPolicy: {issuers: [login.example.com]}", "/networkPolicy/issuers/0"},
		{"checksum that is the chart's", "podAnnotations: {checksum/secrets: x}", "/podAnnotations/checksum~1secrets"},
		{"drift without token", "drift: {enabled: true, existingConfigMap: o}", "/drift/existingSecret"},
		{"drift without documents", "drift: {enabled: true, existingSecret: t}", "/drift"},
		{"drift from the node", "drift: {volume: {hostPath: {path: /}}}", "at '/drift/volume': additional properties 'hostPath' not allowed"},
		{"schedule", "drift: {schedule: hourly}", "/drift/schedule"},
		{"password of a Pushgateway", "drift: {pushUrl: \"http://me:secret@push:9091\"}", "/drift/pushUrl"},
		{"port that is taken", "metricsListener: {port: 8080}", "/metricsListener/port"},
		{"volume of the chart", "extraVolumes: [{name: data, secret: {secretName: x}}]", "/extraVolumes/0/name"},
		{"interval", "serviceMonitor: {interval: 30}", "/serviceMonitor/interval"},
		{"peer", "networkPolicy: {clients: [{namespace: web}]}", "/networkPolicy/clients/0"},
		{"range", "networkPolicy: {mongodb: [{ipBlock: {cidr: 10.0.0.1}}]}", "/networkPolicy/mongodb/0/ipBlock/cidr"},
		{"time", "shutdown: {timeoutSeconds: 30s}", "/shutdown/timeoutSeconds"},
		{"probe", "probes: {liveness: {periodSeconds: 0}}", "/probes/liveness/periodSeconds"},
		{"probe that is taken away", "probes: {liveness: null}", "'liveness'"},
		{"memory", "resources: {limits: {memory: 1Ti2}}", "/resources/limits/memory"},
		{"no memory limit", "resources: {limits: {memory: null}}", "at '/resources/limits': missing property 'memory'"},
		{"processor", `resources: {requests: {cpu: "1 core"}}`, "/resources/requests/cpu"},
		{"memory for Go", "goMemoryLimitPercent: 100", "/goMemoryLimitPercent"},
		{"spread", "spread: {nodes: Never}", "/spread/nodes"},
		{"root", "identity: {runAsUser: 0}", "/identity/runAsUser"},
		{"label of the chart", "podLabels: {app.kubernetes.io/name: x}", "/podLabels/app.kubernetes.io~1name"},
		{"annotation of the chart", "podAnnotations: {checksum/config: x}", "/podAnnotations/checksum~1config"},
		{"variable of the chart", "extraEnv: [{name: ORGD_ADDR, value: x}]", "/extraEnv/0/name"},
		{"variable that has a value of its own", "extraEnv: [{name: ORGD_CONSOLE, value: x}]", "/extraEnv/0/name"},
		{"secret of the client in a variable", "extraEnv: [{name: ORGD_OIDC_CLIENT_SECRET_FILE, value: x}]", "/extraEnv/0/name"},
		{"secret in a variable", "extraEnv: [{name: ORGD_MONGO_URI, value: x}]", "/extraEnv/0/name"},
		{"directory outside of the volume", "persistence: {directory: ../etc}", "/persistence/directory"},
		{"variable without name", "extraEnv: [{value: x}]", "at '/extraEnv/0': missing property 'name'"},
		{"volume of the node", "extraVolumes: [{name: x, hostPath: {path: /}}]", "'hostPath' not allowed"},
		{"mount that can be written", "extraVolumeMounts: [{name: x, mountPath: /x, readOnly: false}]", "/extraVolumeMounts/0/readOnly"},
	} {
		t.Run(wrong.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "values.yaml")
			if err := os.WriteFile(file, []byte(wrong.values), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := template("--values", file); err == nil || !strings.Contains(err.Error(), wrong.want) {
				t.Errorf("helm template with %q = %v, want an error with %q", wrong.values, err, wrong.want)
			}
		})
	}
}

// A cluster that does not know what the chart relies on is refused.
func TestKubernetesVersion(t *testing.T) {
	for version, accepted := range map[string]bool{"1.29.9": false, "1.30.0": true, "1.30.0-gke.100": true, "1.36.1": true} {
		if _, err := template("--kube-version", version); (err == nil) != accepted {
			t.Errorf("helm template --kube-version %s = %v, want accepted: %t", version, err, accepted)
		}
	}
}
