package helm

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
)

// What each way of installing makes, and nothing else.
func TestKinds(t *testing.T) {
	migration := []string{"ServiceAccount people-orgd-migrate", "ConfigMap people-orgd-migrate", "NetworkPolicy people-orgd-migrate", "Job people-orgd-migrate"}
	always := []string{"Deployment people-orgd", "Service people-orgd", "ConfigMap people-orgd", "ServiceAccount people-orgd", "NetworkPolicy people-orgd", "NetworkPolicy people-orgd-ready", "Pod people-orgd-ready"}
	for set, want := range map[string][]string{
		"default":    {"PersistentVolumeClaim people-orgd"},
		"minimal":    append(migration, "PodDisruptionBudget people-orgd"),
		"sign-in":    append(migration, "PodDisruptionBudget people-orgd", "Ingress people-orgd"),
		"production": append(migration, "PodDisruptionBudget people-orgd", "HorizontalPodAutoscaler people-orgd", "Ingress people-orgd", "ServiceMonitor people-orgd"),
	} {
		var args []string
		if set != "default" {
			args = []string{"--values", chart + "/examples/" + set + ".yaml"}
		}
		var got []string
		for _, o := range render(t, args...) {
			got = append(got, name(o))
		}
		want = append(want, always...)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s makes\n%q, want\n%q", set, got, want)
		}
	}
}

// The keys of the Secrets that the examples name become the files that the
// program is given.
func TestSecrets(t *testing.T) {
	for set, want := range map[string][]string{
		"minimal": {"orgd-mongodb:uri", "orgd-keys:signing.key", "orgd-keys:cursor.key"},
		"sign-in": {"orgd-mongodb:uri", "orgd-keys:signing.key", "orgd-keys:cursor.key", "orgd-redis:password", "orgd-oidc:client-secret"},
		"production": {
			"orgd-mongodb:uri", "orgd-keys:signing.key", "orgd-keys:cursor.key", "orgd-redis:password", "orgd-redis-tls:ca.crt",
			"orgd-oidc:client-secret",
		},
	} {
		objects := render(t, "--values", chart+"/examples/"+set+".yaml")
		var got []string
		for _, v := range objects.server(t).spec.Volumes {
			if v.Secret != nil {
				for _, item := range v.Secret.Items {
					got = append(got, v.Secret.SecretName+":"+item.Key)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s mounts %q, want %q", set, got, want)
		}
		for _, v := range objects.migration(t).spec.Volumes {
			if v.Secret != nil && v.Secret.SecretName != "orgd-mongodb" {
				t.Errorf("%s: the migration gets %s, which it does not need", set, v.Secret.SecretName)
			}
		}
	}
}

// The job that looks for drift runs a plan of the documents with a token.
func TestDrift(t *testing.T) {
	objects := render(t, "--set", "drift.enabled=true,drift.existingSecret=t,drift.tokenKey=k,drift.volume.persistentVolumeClaim.claimName=docs,drift.pushUrl=http://push:9091")
	job := one[*batch.CronJob](t, objects)
	p := pod{owner: job, spec: job.Spec.JobTemplate.Spec.Template.Spec}
	if want := []string{"plan", "--file=/organization", "--push-metrics=http://push:9091"}; !slices.Equal(p.container().Args, want) {
		t.Errorf("it runs orgd %q, want %q", p.container().Args, want)
	}
	if env := p.env(); env["ORGD_SERVER"] != "http://people-orgd:80" || env["ORGD_TOKEN_FILE"] != "/etc/orgd/drift/token" {
		t.Errorf("it runs with %v", env)
	}
	if v := p.volume(t, "organization"); v.PersistentVolumeClaim == nil || v.PersistentVolumeClaim.ClaimName != "docs" {
		t.Errorf("the documents are in %+v", v)
	}
	if items := p.volume(t, "token").Secret.Items; len(items) != 1 || items[0].Key != "k" {
		t.Errorf("the token is in %v", items)
	}
	cmd := exec.Command(orgdCommand, "plan", "--file="+t.TempDir(), "--push-metrics=http://push:9091")
	cmd.Env = []string{"ORGD_SERVER=http://127.0.0.1:1", "ORGD_TOKEN=x"}
	if out, _ := cmd.CombinedOutput(); !strings.Contains(string(out), "has no documents") {
		t.Errorf("orgd %q says %s", cmd.Args, out)
	}
}

// A change of settings makes new pods; what is the same does not.
func TestSettingsRoll(t *testing.T) {
	revision := func(args ...string) string {
		template := one[*apps.Deployment](t, render(t, args...)).Spec.Template
		return template.String()
	}
	first, again := revision(), revision()
	if first != again {
		t.Error("the same values make other pods")
	}
	if first == revision("--set", "settings.retention=30d") {
		t.Error("another setting makes the same pods")
	}
}

// Secrets are the operator's, and what is in them is not known here. A value that changes with
// them makes new pods, as another Secret does; annotations for a controller are those of the
// Deployment, and of nothing else.
func TestSecretsRoll(t *testing.T) {
	deployment := func(set string) *apps.Deployment {
		return one[*apps.Deployment](t, render(t, "--values", chart+"/examples/minimal.yaml", "--set", set))
	}
	before := deployment("secretsChecksum=a")
	for set, rolls := range map[string]bool{
		"secretsChecksum=a": false, "secretsChecksum=b": true, "secretsChecksum=a,mongodb.existingSecret=orgd-mongodb-2": true,
		"secretsChecksum=a,deploymentAnnotations.example\\.com/reload=always": false,
	} {
		after := deployment(set)
		if got := after.Spec.Template.String() != before.Spec.Template.String(); got != rolls {
			t.Errorf("--set %s makes new pods: %t, want %t", set, got, rolls)
		}
		if wants := strings.Contains(set, "reload"); wants != (after.Annotations["example.com/reload"] == "always") {
			t.Errorf("--set %s annotates the Deployment with %v", set, after.Annotations)
		}
	}
}

// Metrics are read on the port that needs no token, and under the name that the rules for
// Prometheus select.
func TestServiceMonitor(t *testing.T) {
	for _, file := range []string{chart + "/examples/production.yaml", chart + "/examples/openshift.yaml", "testdata/claim.yaml", "testdata/everything.yaml"} {
		objects := render(t, "--values", file)
		m := one[*monitoring.ServiceMonitor](t, objects)
		if e := m.Spec.Endpoints[0]; len(m.Spec.Endpoints) != 1 || e.Port != "metrics" || e.Path != "/metrics" || e.Authorization != nil {
			t.Errorf("%s: endpoints = %+v", file, m.Spec.Endpoints)
		}
		if job := one[*core.Service](t, objects).Labels[m.Spec.JobLabel]; job != "orgd" {
			t.Errorf("%s: job = %q, want that of deployments/monitoring/rules.yaml", file, job)
		}
	}
	rules, err := os.ReadFile(root + "/deployments/monitoring/rules.yaml")
	if err != nil || !strings.Contains(string(rules), `job="orgd"`) {
		t.Errorf("the rules do not select job orgd: %v", err)
	}
}

// The client's secret is a file of the service, and nothing else names what is in it. A
// public client has none.
func TestSecretOfTheClient(t *testing.T) {
	const file = "ORGD_OIDC_CLIENT_SECRET_FILE"
	objects := render(t, "--values", chart+"/examples/sign-in.yaml", "--set", "oidc.clientSecretKey=secret")
	server := objects.server(t)
	if got := server.env()[file]; got != "/etc/orgd/oidc/client-secret" {
		t.Errorf("%s = %q, want a file of the volume", file, got)
	}
	if items := server.volume(t, "oidc").Secret.Items; len(items) != 1 || items[0].Key != "secret" || items[0].Path != "client-secret" {
		t.Errorf("the volume has %v, want the key secret as client-secret", items)
	}
	for _, v := range server.container().Env {
		if v.ValueFrom != nil {
			t.Errorf("%s comes from %v, want no secret in the environment", v.Name, v.ValueFrom)
		}
	}
	if got := objects.migration(t).env()[file]; got != "" {
		t.Errorf("the migration has %s = %q, which it does not need", file, got)
	}
	public := render(t, "--values", chart+"/examples/sign-in.yaml", "--set", "oidc.existingSecret=").server(t)
	if got, is := public.env()[file]; is {
		t.Errorf("a public client has %s = %q", file, got)
	}
}

// What Helm prints at the end names what is there, and ends with the next command.
func TestNotes(t *testing.T) {
	for _, set := range valueSets(t) {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			objects := render(t, set.args...)
			settings := fileSettings(t, objects)
			wants := []string{"deployment/" + one[*apps.Deployment](t, objects).Name + " "}
			url, public := settings["public-url"].(string)
			if !public {
				url = strings.ToLower(string(objects.server(t).container().ReadinessProbe.HTTPGet.Scheme)) + "://127.0.0.1:8080"
				wants = append(wants, "port-forward service/"+one[*core.Service](t, objects).Name+" 8080:")
			}
			switch next := "kubectl "; {
			case settings["oidc-client-id"] != nil:
				checkNotes(t, next, append(wants, url+"/api/v1/auth/oidc/callback\n", url+"/console\n", "/orgd config check"), set.args...)
			case settings["console"] == true:
				checkNotes(t, next, append(wants, url+"/console:", "/orgd token create "), set.args...)
			default:
				checkNotes(t, "curl ", append(wants, url+"/api/v1/company", "/orgd token create "), set.args...)
			}
		})
	}
}

// What is said of the address that browsers are led to.
func TestNotesOfPublicAddress(t *testing.T) {
	const warning = "is not among ingress.hosts"
	ingress := []string{"--set", "ingress.enabled=true,settings.trusted-proxies=10.0.0.0/8"}
	for hosts, warned := range map[string]bool{"orgd.example.com": false, "*.example.com": false, "*.example.org": true, "example.com": true} {
		notes := notesOf(t, append(ingress, "--set", "publicUrl=https://orgd.example.com:8443,ingress.hosts={"+hosts+"}")...)
		if strings.Contains(notes, warning) != warned {
			t.Errorf("with host %s the notes warn: %t, want %t:\n%s", hosts, !warned, warned, notes)
		}
	}
	checkNotes(t, "kubectl ", []string{"port-forward service/people-orgd 9000:80", "http://localhost:9000/console"}, "--set", "publicUrl=http://localhost:9000")
}

// checkNotes checks that the notes have texts, and that their last line is a command that
// begins with next.
func checkNotes(t *testing.T, next string, wants []string, args ...string) {
	t.Helper()
	notes := notesOf(t, args...)
	for _, want := range wants {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes do not have %q:\n%s", want, notes)
		}
	}
	lines := strings.Split(strings.TrimRight(notes, "\n"), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "     "+next) {
		t.Errorf("the notes end with %q, want a command that begins with %q", last, next)
	}
}

// notesOf is what Helm prints at the end of an installation.
func notesOf(t *testing.T, args ...string) string {
	t.Helper()
	out, err := helm(append([]string{"install", "people", chart, "--namespace", "agents", "--dry-run=client"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	_, notes, _ := strings.Cut(out, "NOTES:\n")
	return notes
}
