package helm

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	apps "k8s.io/api/apps/v1"
	networking "k8s.io/api/networking/v1"
)

// policyTool returns the path of a program that policy.mod names. Its modules are not those of
// go.mod, which has newer types of Kubernetes.
func policyTool(t *testing.T, name string) string {
	t.Helper()
	path, err := output(exec.Command("go", "tool", "-modfile=policy.mod", "-n", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(path)
}

// notScored are the checks of kube-score that are left out, why, and of which objects. Nil is all.
var notScored = []struct {
	check, reason string
	of            func(*testing.T, objects) bool
}{
	{"container-image-pull-policy", "the chart refuses tags that move, so the image on the node is the right one, and pods start while the registry is away", nil},
	{"deployment-has-host-podantiaffinity", "topologySpreadConstraints keep replicas apart", nil},
	{"deployment-strategy", "one process at a time may use the directory of the embedded store", embedded},
	{"deployment-replicas", "the same", embedded},
	{"pod-networkpolicy", "the values switch NetworkPolicies off", func(_ *testing.T, o objects) bool {
		return len(all[*networking.NetworkPolicy](o)) == 0
	}},
	{"container-security-context-user-group-id", "the values leave users to the cluster", func(t *testing.T, o objects) bool {
		return o.server(t).spec.SecurityContext.RunAsUser == nil
	}},
}

func embedded(t *testing.T, o objects) bool {
	return one[*apps.Deployment](t, o).Spec.Strategy.Type == apps.RecreateDeploymentStrategyType
}

// kube-score has no complaint about any set of values, and one about a container that may write.
func TestScore(t *testing.T) {
	score, minor := policyTool(t, "kube-score"), strings.TrimSuffix(oldest(t), ".0")
	for _, set := range valueSets(t) {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			args := []string{"score", "--kubernetes-version=v" + minor, "--output-format=ci", "--exit-one-on-warning"}
			objects := render(t, set.args...)
			for _, n := range notScored {
				if n.of == nil || n.of(t, objects) {
					t.Logf("%s is left out: %s", n.check, n.reason)
					args = append(args, "--ignore-test="+n.check)
				}
			}
			dir := t.TempDir()
			file := writeRendered(t, dir, set, "")
			if said, err := output(exec.Command(score, append(args, file)...)); err != nil {
				t.Errorf("%v\n%s", err, regexp.MustCompile(`(?m)^\[(OK|SKIPPED)\].*\n`).ReplaceAllString(said, ""))
			}
			file = writeRendered(t, dir, set, "readOnlyRootFilesystem: true")
			if said, err := output(exec.Command(score, append(args, file)...)); err == nil {
				t.Errorf("a container that may write has a good score:\n%s", said)
			}
		})
	}
}

// writeRendered writes what a set of values renders, without one text, into a file of a directory.
func writeRendered(t *testing.T, dir string, set valueSet, without string) (file string) {
	t.Helper()
	text, err := template(set.args...)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, set.name+".yaml")
	if without != "" {
		text = strings.ReplaceAll(text, without, "")
	}
	write(t, file, text)
	return file
}

// oldest is the least version of Kubernetes that the chart takes.
func oldest(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`kubeVersion: ">=([0-9.]+)-0"`).FindStringSubmatch(read(t, chart+"/Chart.yaml"))
	if found == nil {
		t.Fatal("Chart.yaml names no least version of Kubernetes")
	}
	return found[1]
}

// Everything is as the API of the oldest and of the newest Kubernetes describes it: kubeconform
// compares it with their schemas.
func TestConform(t *testing.T) {
	newest, err := output(exec.Command("go", "list", "-m", "-f", "{{.Version}}", "k8s.io/api"))
	if err != nil {
		t.Fatal(err)
	}
	conform, right, wrong := policyTool(t, "kubeconform"), t.TempDir(), t.TempDir()
	for _, set := range valueSets(t) {
		writeRendered(t, right, set, "")
	}
	writeRendered(t, wrong, valueSet{name: "default"}, "containerPort: 8080")
	for _, version := range []string{oldest(t), "1" + strings.TrimPrefix(strings.TrimSpace(newest), "v0")} {
		// The operator's schema is in no module; its types decode the ServiceMonitor strictly.
		args := []string{"-strict", "-skip=ServiceMonitor", "-schema-location=" + schemasOf(t, version) + "/{{.ResourceKind}}.json"}
		if said, err := output(exec.Command(conform, append(args, right)...)); err != nil {
			t.Errorf("Kubernetes %s: %v\n%s", version, err, said)
		}
		if said, err := output(exec.Command(conform, append(args, wrong)...)); err == nil {
			t.Errorf("Kubernetes %s takes a port without number:\n%s", version, said)
		}
	}
}

// schemasOf writes the JSON Schema of every kind of one version of Kubernetes, and of HTTPRoute,
// into a directory.
func schemasOf(t *testing.T, version string) string {
	t.Helper()
	into := t.TempDir()
	text, err := output(exec.Command("go", "mod", "download", "-json", "k8s.io/kubernetes@v"+version))
	var module struct{ Dir string }
	if err := errors.Join(err, json.Unmarshal([]byte(text), &module)); err != nil {
		t.Fatal(err)
	}
	var api struct{ Definitions map[string]map[string]any }
	if err := json.Unmarshal([]byte(read(t, module.Dir+"/api/openapi-spec/swagger.json")), &api); err != nil {
		t.Fatal(err)
	}
	api.Definitions["io.k8s.apimachinery.pkg.util.intstr.IntOrString"] = map[string]any{"type": []string{"integer", "string"}}
	for name, definition := range api.Definitions {
		closeSchema(definition)
		if kind := name[strings.LastIndex(name, ".")+1:]; rendered[name] {
			writeSchema(t, into, kind, map[string]any{"$ref": "#/definitions/" + name, "definitions": api.Definitions})
		}
	}
	gateway, err := output(exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/gateway-api"))
	if err != nil {
		t.Fatal(err)
	}
	var route struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema map[string]any `yaml:"openAPIV3Schema"`
				}
			}
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, strings.TrimSpace(gateway)+"/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml")), &route); err != nil {
		t.Fatal(err)
	}
	closeSchema(route.Spec.Versions[0].Schema.OpenAPIV3Schema)
	writeSchema(t, into, "HTTPRoute", route.Spec.Versions[0].Schema.OpenAPIV3Schema)
	return into
}

// rendered are the definitions of the kinds that the chart makes.
var rendered = map[string]bool{
	"io.k8s.api.apps.v1.Deployment": true, "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler": true, "io.k8s.api.batch.v1.CronJob": true,
	"io.k8s.api.batch.v1.Job": true, "io.k8s.api.core.v1.ConfigMap": true, "io.k8s.api.core.v1.PersistentVolumeClaim": true,
	"io.k8s.api.core.v1.Pod": true, "io.k8s.api.core.v1.Service": true, "io.k8s.api.core.v1.ServiceAccount": true,
	"io.k8s.api.networking.v1.Ingress": true, "io.k8s.api.networking.v1.NetworkPolicy": true, "io.k8s.api.policy.v1.PodDisruptionBudget": true,
}

// closeSchema refuses fields that a schema does not name, at every depth, and leaves out descriptions.
func closeSchema(schema any) {
	switch schema := schema.(type) {
	case map[string]any:
		if _, text := schema["description"].(string); text {
			delete(schema, "description")
		}
		if _, object := schema["properties"].(map[string]any); object && schema["additionalProperties"] == nil {
			schema["additionalProperties"] = false
		}
		for _, inner := range schema {
			closeSchema(inner)
		}
	case []any:
		for _, inner := range schema {
			closeSchema(inner)
		}
	}
}

func writeSchema(t *testing.T, into, kind string, schema map[string]any) {
	t.Helper()
	text, err := json.Marshal(schema)
	if err == nil {
		err = os.WriteFile(filepath.Join(into, strings.ToLower(kind)+".json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(fmt.Errorf("schema of %s: %w", kind, err))
	}
}
