package helm

import (
	"os"
	"slices"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
)

// What each way of installing makes, and nothing else.
func TestKinds(t *testing.T) {
	migration := []string{"ServiceAccount people-orgd-migrate", "ConfigMap people-orgd-migrate", "NetworkPolicy people-orgd-migrate", "Job people-orgd-migrate"}
	always := []string{"Deployment people-orgd", "Service people-orgd", "ConfigMap people-orgd", "ServiceAccount people-orgd", "NetworkPolicy people-orgd", "Pod people-orgd-ready"}
	for set, want := range map[string][]string{
		"default":    {"PersistentVolumeClaim people-orgd"},
		"minimal":    append(migration, "PodDisruptionBudget people-orgd"),
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
		"production": {
			"orgd-mongodb:uri", "orgd-keys:signing.key", "orgd-keys:cursor.key", "orgd-redis:password", "orgd-redis-tls:ca.crt",
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

// Every rule of a NetworkPolicy names ports, and no rule of the defaults leads
// from everywhere or to the private networks.
func TestNetworkPolicies(t *testing.T) {
	eachSet(t, func(t *testing.T, objects objects) {
		for _, p := range all[*networking.NetworkPolicy](objects) {
			if want := []networking.PolicyType{"Ingress", "Egress"}; !slices.Equal(p.Spec.PolicyTypes, want) {
				t.Errorf("%s is about %v, want %v", name(p), p.Spec.PolicyTypes, want)
			}
			for _, rule := range p.Spec.Ingress {
				if len(rule.From) == 0 || len(rule.Ports) != 1 {
					t.Errorf("%s lets in %+v", name(p), rule)
				}
			}
			for _, rule := range p.Spec.Egress {
				if len(rule.Ports) == 0 {
					t.Errorf("%s lets out to every port: %+v", name(p), rule)
				}
				for _, to := range rule.To {
					if to.IPBlock != nil && to.IPBlock.CIDR == "0.0.0.0/0" && !slices.Contains(to.IPBlock.Except, "169.254.0.0/16") {
						t.Errorf("%s lets out to the metadata services of clouds", name(p))
					}
				}
			}
		}
	})
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

// Metrics are read with the token of a Secret, or on the port that needs none,
// and under the name that the rules for Prometheus select.
func TestServiceMonitor(t *testing.T) {
	for file, secret := range map[string]string{
		chart + "/examples/production.yaml": "orgd-metrics-token", "testdata/claim.yaml": "orgd-metrics-token", "testdata/everything.yaml": "",
	} {
		objects := render(t, "--values", file)
		m := one[*monitoring.ServiceMonitor](t, objects)
		e := m.Spec.Endpoints[0]
		if secret == "" {
			if e.Port != "metrics" || e.Path != "/metrics" || e.Authorization != nil {
				t.Errorf("%s: endpoint = %+v", file, e)
			}
		} else if e.Path != "/api/v1/metrics" || e.Authorization.Type != "Bearer" || e.Authorization.Credentials.Name != secret || e.Authorization.Credentials.Key != "token" {
			t.Errorf("%s: endpoint = %+v", file, e)
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

// What Helm prints at the end names what is there.
func TestNotes(t *testing.T) {
	for _, set := range valueSets(t) {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			out, err := helm(append([]string{"install", "people", chart, "--namespace", "agents", "--dry-run=client"}, set.args...)...)
			if err != nil {
				t.Fatal(err)
			}
			_, notes, _ := strings.Cut(out, "NOTES:\n")
			objects := render(t, set.args...)
			for _, want := range []string{
				"deployment/" + one[*apps.Deployment](t, objects).Name + " ", "service/" + one[*core.Service](t, objects).Name + " ",
				strings.ToLower(string(objects.server(t).container().ReadinessProbe.HTTPGet.Scheme)) + "://",
			} {
				if !strings.Contains(notes, want) {
					t.Errorf("the notes do not have %q:\n%s", want, notes)
				}
			}
		})
	}
}
