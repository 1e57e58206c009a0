package helm

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"go.yaml.in/yaml/v3"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	disruption "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	security "k8s.io/pod-security-admission/policy"
	gateway "sigs.k8s.io/gateway-api/apis/v1"

	psa "k8s.io/pod-security-admission/api"
)

// What holds of every object, whatever the values.
func TestObjects(t *testing.T) {
	eachSet(t, func(t *testing.T, all objects) {
		seen := map[string]bool{}
		for _, o := range all {
			if seen[name(o)] {
				t.Errorf("%s is there twice", name(o))
			}
			seen[name(o)] = true
			if o.GetNamespace() != "agents" {
				t.Errorf("%s is in namespace %q, want that of the release", name(o), o.GetNamespace())
			}
			if errs := validation.IsDNS1035Label(o.GetName()); errs != nil { // the strictest of all kinds
				t.Errorf("%s: %v", name(o), errs)
			}
			checkLabels(t, name(o), o.GetLabels())
			if kind(o) == "Secret" {
				t.Errorf("%s: the chart makes no secrets", name(o))
			}
		}
	})
}

func checkLabels(t *testing.T, where string, set map[string]string) {
	t.Helper()
	for key, value := range set {
		if errs := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); errs != nil {
			t.Errorf("%s: label %s=%s: %v", where, key, value, errs)
		}
	}
	for _, key := range []string{"name", "instance", "component", "version", "managed-by"} {
		if set["app.kubernetes.io/"+key] == "" {
			t.Errorf("%s has no label app.kubernetes.io/%s", where, key)
		}
	}
}

// Names that look like numbers stay text.
func TestNumbersAsNames(t *testing.T) {
	for file, set := range map[string]string{
		chart + "/values.yaml": "persistence.storageClass=1,persistence.size=10,temporarySize=10",
		chart + "/examples/production.yaml": "mongodb.existingSecret=1,mongodb.uriKey=2,keys.existingSecret=3,redis.existingSecret=4,redis.passwordKey=5," +
			"redis.tls.existingSecret=6,ingress.className=7,ingress.existingSecret=8," +
			"priorityClassName=11,serviceAccount.name=12,image.pullSecrets[0]=13,nameOverride=14,image.repository=15,image.tag=16",
	} {
		text, err := helm("template", "2026", chart, "--namespace", "7", "--values", file, "--set-string", set)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decode(text); err != nil {
			t.Error(err)
		}
	}
}

// The rules are those by which Kubernetes itself admits pods.
func TestPodsAreRestricted(t *testing.T) {
	evaluator, err := security.NewEvaluator(security.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	restricted := psa.LevelVersion{Level: psa.LevelRestricted, Version: psa.LatestVersion()}
	eachSet(t, func(t *testing.T, all objects) {
		for _, p := range all.pods() {
			if r := security.AggregateCheckResults(evaluator.EvaluatePod(restricted, &p.metadata, &p.spec)); !r.Allowed {
				t.Errorf("%s is refused: %s", name(p.owner), r.ForbiddenDetail())
			}
		}
	})
}

// What holds of every pod beyond that.
func TestPods(t *testing.T) {
	eachSet(t, func(t *testing.T, all objects) {
		for _, p := range all.pods() {
			t.Run(kind(p.owner), func(t *testing.T) {
				checkLabels(t, "pod", p.metadata.Labels)
				if len(p.spec.Containers) != 1 || len(p.spec.InitContainers) != 0 {
					t.Fatalf("it has %d containers and %d before them, want 1 and 0", len(p.spec.Containers), len(p.spec.InitContainers))
				}
				if p.spec.AutomountServiceAccountToken == nil || *p.spec.AutomountServiceAccountToken {
					t.Error("it gets a token of the cluster")
				}
				if p.spec.EnableServiceLinks == nil || *p.spec.EnableServiceLinks {
					t.Error("it gets the variables of Services, which begin like settings")
				}
				checkContainer(t, p.container())
				checkVolumes(t, p.spec)
			})
		}
	})
}

func checkContainer(t *testing.T, c core.Container) {
	t.Helper()
	if s := c.SecurityContext; s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem {
		t.Error("its file system can be written")
	}
	if _, digest, ok := strings.Cut(c.Image, "@sha256:"); !ok || len(digest) != 64 {
		_, tag, _ := strings.Cut(c.Image, ":")
		if tag == "" || tag == "latest" {
			t.Errorf("image %q has no tag that stays", c.Image)
		}
	}
	for _, r := range []core.ResourceName{core.ResourceCPU, core.ResourceMemory, core.ResourceEphemeralStorage} {
		request, limit := c.Resources.Requests[r], c.Resources.Limits[r]
		if request.IsZero() || limit.IsZero() || request.Cmp(limit) > 0 {
			t.Errorf("%s: request %s, limit %s, want both and the first not above the second", r, request.String(), limit.String())
		}
	}
	seen := map[string]bool{}
	for _, v := range c.Env {
		if seen[v.Name] {
			t.Errorf("variable %s is there twice", v.Name)
		}
		seen[v.Name] = true
		if v.ValueFrom == nil && v.Value == "" {
			t.Errorf("variable %s is empty", v.Name)
		}
	}
}

func checkVolumes(t *testing.T, spec core.PodSpec) {
	t.Helper()
	paths := map[string]string{} // by volume
	for _, m := range spec.Containers[0].VolumeMounts {
		paths[m.Name] = m.MountPath
		if !m.ReadOnly && m.MountPath != "/tmp" && m.MountPath != "/data" {
			t.Errorf("%s can be written", m.MountPath)
		}
	}
	for _, v := range spec.Volumes {
		if paths[v.Name] == "" {
			t.Errorf("volume %s is not mounted", v.Name)
		}
		delete(paths, v.Name)
		if v.HostPath != nil {
			t.Errorf("volume %s is a path of the node", v.Name)
		}
		if v.Secret != nil && (v.Secret.DefaultMode == nil || *v.Secret.DefaultMode != 0o440) {
			t.Errorf("volume %s: the files of a Secret must be for the group of the volumes only", v.Name)
		}
	}
	for name, path := range paths {
		t.Errorf("%s mounts %s, which is no volume", path, name)
	}
}

// Nothing is named that is neither rendered nor in the values.
func TestReferences(t *testing.T) {
	theirs := []string{ // of the operator, in all sets of values
		"ConfigMap authorities", "ConfigMap logging", "ConfigMap organization", "ConfigMap service-authorities", "PersistentVolumeClaim organization", "ServiceAccount default",
	}
	eachSet(t, func(t *testing.T, all objects) {
		exists := func(where, what string) {
			if !slices.Contains(theirs, what) && !slices.ContainsFunc(all, func(o object) bool { return name(o) == what }) {
				t.Errorf("%s names %s, which is not there", where, what)
			}
		}
		for _, p := range all.pods() {
			exists(name(p.owner), "ServiceAccount "+cmp.Or(p.spec.ServiceAccountName, "default"))
			for _, v := range p.spec.Volumes {
				if v.ConfigMap != nil {
					exists(name(p.owner), "ConfigMap "+v.ConfigMap.Name)
				}
				if v.PersistentVolumeClaim != nil {
					exists(name(p.owner), "PersistentVolumeClaim "+v.PersistentVolumeClaim.ClaimName)
				}
			}
		}
	})
}

// selects reports whether a selector takes labels.
func selects(t *testing.T, s *meta.LabelSelector, set map[string]string) bool {
	t.Helper()
	selector, err := meta.LabelSelectorAsSelector(s)
	if err != nil {
		t.Fatal(err)
	}
	return !selector.Empty() && selector.Matches(labels.Set(set))
}

// Whatever selects pods takes those of its component and no others.
func TestSelectors(t *testing.T) {
	eachSet(t, func(t *testing.T, objects objects) {
		for _, p := range objects.pods() {
			component := p.metadata.Labels["app.kubernetes.io/component"]
			check := func(by object, s *meta.LabelSelector) {
				t.Helper()
				mine := by.GetLabels()["app.kubernetes.io/component"] == component
				if got := selects(t, s, p.metadata.Labels); got != mine {
					t.Errorf("%s selects the pod of %s: %t, want %t", name(by), name(p.owner), got, mine)
				}
			}
			for _, o := range all[*apps.Deployment](objects) {
				check(o, o.Spec.Selector)
				for _, c := range o.Spec.Template.Spec.TopologySpreadConstraints {
					check(o, c.LabelSelector)
				}
			}
			for _, o := range all[*core.Service](objects) {
				check(o, &meta.LabelSelector{MatchLabels: o.Spec.Selector})
			}
			for _, o := range all[*disruption.PodDisruptionBudget](objects) {
				check(o, o.Spec.Selector)
			}
			for _, o := range all[*networking.NetworkPolicy](objects) {
				check(o, &o.Spec.PodSelector)
			}
		}
	})
}

// portOf finds a port of the container by number or name, as Kubernetes does.
func portOf(c core.Container, port intstr.IntOrString) bool {
	return slices.ContainsFunc(c.Ports, func(p core.ContainerPort) bool {
		return port.Type == intstr.String && p.Name == port.StrVal || port.Type == intstr.Int && p.ContainerPort == port.IntVal
	})
}

// Whatever leads to a port leads to one that is there.
func TestPorts(t *testing.T) {
	eachSet(t, func(t *testing.T, objects objects) {
		service := one[*core.Service](t, objects)
		server := one[*apps.Deployment](t, objects).Spec.Template.Spec.Containers[0]
		offered := map[string]int32{}
		for _, p := range service.Spec.Ports {
			offered[p.Name] = p.Port
			if !portOf(server, p.TargetPort) {
				t.Errorf("Service: port %s leads to %s, which the container does not have", p.Name, p.TargetPort.String())
			}
		}
		for _, p := range server.Ports {
			if errs := validation.IsValidPortName(p.Name); errs != nil {
				t.Errorf("port %q: %v", p.Name, errs)
			}
		}
		for _, o := range all[*networking.NetworkPolicy](objects) {
			for _, rule := range o.Spec.Ingress {
				for _, p := range rule.Ports {
					if !portOf(server, *p.Port) {
						t.Errorf("%s lets in to port %s, which the container does not have", name(o), p.Port)
					}
				}
			}
		}
		for _, o := range all[*networking.Ingress](objects) {
			for _, rule := range o.Spec.Rules {
				to := rule.HTTP.Paths[0].Backend.Service
				if to.Name != service.Name || offered[to.Port.Name] == 0 {
					t.Errorf("%s leads to %s, port %s", name(o), to.Name, to.Port.Name)
				}
			}
		}
		for _, o := range all[*gateway.HTTPRoute](objects) {
			to := o.Spec.Rules[0].BackendRefs[0]
			if string(to.Name) != service.Name || *to.Port != offered["http"] {
				t.Errorf("%s leads to %s, port %d", name(o), to.Name, *to.Port)
			}
		}
		for _, o := range all[*monitoring.ServiceMonitor](objects) {
			if !selects(t, &o.Spec.Selector, service.Labels) || offered[o.Spec.Endpoints[0].Port] == 0 {
				t.Errorf("%s reads port %s of %v", name(o), o.Spec.Endpoints[0].Port, o.Spec.Selector.MatchLabels)
			}
		}
	})
}

// A replica comes when it can work, and goes when nobody needs it any more.
func TestComingAndGoing(t *testing.T) {
	eachSet(t, func(t *testing.T, objects objects) {
		d := one[*apps.Deployment](t, objects)
		p := objects.server(t)
		scheme := core.URISchemeHTTP
		if p.env()["ORGD_TLS_CERT"] != "" {
			scheme = core.URISchemeHTTPS
		}
		c := p.container()
		for path, probe := range map[string]*core.Probe{"/api/v1/readyz": c.ReadinessProbe, "/api/v1/healthz": c.LivenessProbe} {
			if got := probe.HTTPGet; got.Path != path || got.Port.StrVal != "http" || got.Scheme != scheme {
				t.Errorf("probe = %+v, want %s on port http by %s", got, path, scheme)
			}
		}
		if got := c.StartupProbe.HTTPGet; got.String() != c.LivenessProbe.HTTPGet.String() {
			t.Errorf("startup probe = %+v, want that of liveness", got)
		}
		needed := seconds(t, p.env()["ORGD_DRAIN_DELAY"]) + seconds(t, p.env()["ORGD_SHUTDOWN_TIMEOUT"])
		if c.Lifecycle != nil {
			needed += c.Lifecycle.PreStop.Sleep.Seconds
		}
		// The last deliveries to webhooks, then two operations of MongoDB at their greatest
		// timeout, which closing an embedded store does not take, then traces.
		needed += 5 + 2*10 + 3
		if got := *p.spec.TerminationGracePeriodSeconds; got <= needed {
			t.Errorf("terminationGracePeriodSeconds = %d, want more than the %d that it takes to stop", got, needed)
		}
		// A migration of the embedded store runs before the first answer.
		if probe := c.StartupProbe; probe.PeriodSeconds*probe.FailureThreshold < 1800 {
			t.Errorf("a pod that starts is killed after %d times %d s, want the half hour of a migration", probe.FailureThreshold, probe.PeriodSeconds)
		}
		checkTemporary(t, p, objects)
		checkStrategy(t, d.Spec.Strategy, p.env()["ORGD_STORAGE"])
	})
}

// checkTemporary checks that the volume of temporary files holds what four plans at
// once may need: each the text of its document, that of its agents as JSON, and what
// changes before and after.
func checkTemporary(t *testing.T, p pod, objects objects) {
	t.Helper()
	settings := struct {
		MaxBody int64 `yaml:"organization-max-body"`
	}{256 << 20}
	for _, c := range all[*core.ConfigMap](objects) {
		if err := yaml.Unmarshal([]byte(c.Data["orgd.yaml"]), &settings); err != nil {
			t.Fatal(err)
		}
	}
	size, disk := p.volume(t, "tmp").EmptyDir.SizeLimit, p.container().Resources.Limits[core.ResourceEphemeralStorage]
	if need := 4 * 4 * settings.MaxBody; size.Value() < need {
		t.Errorf("the volume of /tmp holds %s, want at least %d bytes", size, need)
	}
	if disk.Cmp(*size) <= 0 {
		t.Errorf("the container may use %s of the disk, want more than the %s of /tmp", disk.String(), size)
	}
}

func checkStrategy(t *testing.T, s apps.DeploymentStrategy, storage string) {
	t.Helper()
	if storage == "sqlite" { // two at a time may not use the directory
		if s.Type != apps.RecreateDeploymentStrategyType {
			t.Errorf("strategy = %s, want Recreate", s.Type)
		}
		return
	}
	if s.Type != apps.RollingUpdateDeploymentStrategyType || s.RollingUpdate.MaxUnavailable.IntValue() != 0 {
		t.Errorf("strategy = %+v, want none to be missing", s)
	}
}

func seconds(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.TrimSuffix(text, "s"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Go keeps to less than the limit at which the kernel kills.
func TestMemoryLimit(t *testing.T) {
	for _, limit := range []string{"256Mi", "1Gi", "1.5Gi", "500M", "1G", "700000k", "524288Ki", "536870912"} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			objects := render(t, "--set-string", "resources.limits.memory="+limit, "--set", "resources.requests.memory=100M")
			whole := resource.MustParse(limit)
			mib, err := strconv.ParseFloat(strings.TrimSuffix(objects.server(t).env()["GOMEMLIMIT"], "MiB"), 64)
			if want := math.Floor(0.9 * whole.AsApproximateFloat64() / (1 << 20)); err != nil || mib != want {
				t.Errorf("GOMEMLIMIT = %v MiB, %v, want %v", mib, err, want)
			}
		})
	}
}

// server is the pod of the Deployment.
func (o objects) server(t *testing.T) pod {
	t.Helper()
	d := one[*apps.Deployment](t, o)
	return pod{d, d.Spec.Template.ObjectMeta, d.Spec.Template.Spec}
}

// migration is the pod of the Job.
func (o objects) migration(t *testing.T) pod {
	t.Helper()
	job := one[*batch.Job](t, o)
	return pod{job, job.Spec.Template.ObjectMeta, job.Spec.Template.Spec}
}

// The number of replicas has one master, and orgd is told the largest.
func TestReplicas(t *testing.T) {
	eachSet(t, func(t *testing.T, objects objects) {
		d := one[*apps.Deployment](t, objects)
		most := int32(0)
		for _, h := range all[*autoscaling.HorizontalPodAutoscaler](objects) {
			most = h.Spec.MaxReplicas
			if h.Spec.ScaleTargetRef.Name != d.Name || h.Spec.ScaleTargetRef.Kind != kind(d) || d.Spec.Replicas != nil {
				t.Errorf("%s scales %+v, replicas = %v", name(h), h.Spec.ScaleTargetRef, d.Spec.Replicas)
			}
		}
		if most == 0 {
			most = *d.Spec.Replicas
		}
		if got := objects.server(t).env()["ORGD_REPLICAS"]; got != fmt.Sprint(most) {
			t.Errorf("ORGD_REPLICAS = %s, want %d", got, most)
		}
	})
}

// The migration runs before the objects of the release are there.
func TestMigrationBringsWhatItNeeds(t *testing.T) {
	eachSet(t, func(t *testing.T, objects objects) {
		jobs := all[*batch.Job](objects)
		if mongodb := objects.server(t).env()["ORGD_STORAGE"] == "mongodb"; mongodb != (len(jobs) == 1) {
			t.Fatalf("there are %d Jobs, with mongodb: %t", len(jobs), mongodb)
		}
		for _, job := range jobs {
			for _, o := range objects {
				mine := o.GetLabels()["app.kubernetes.io/component"] == "migration"
				if mine && o.GetAnnotations()["helm.sh/hook"] != "pre-install,pre-upgrade" {
					t.Errorf("%s is not part of the hook", name(o))
				}
				if mine && o != object(job) && weight(t, o) >= weight(t, job) {
					t.Errorf("%s is made at %d, the Job at %d", name(o), weight(t, o), weight(t, job))
				}
			}
			checkSame(t, objects.server(t), objects.migration(t))
		}
	})
}

func weight(t *testing.T, o object) int {
	t.Helper()
	n, err := strconv.Atoi(o.GetAnnotations()["helm.sh/hook-weight"])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// checkSame compares what two pods must have in common.
func checkSame(t *testing.T, server, job pod) {
	t.Helper()
	if server.container().Image != job.container().Image {
		t.Errorf("the images are %s and %s", server.container().Image, job.container().Image)
	}
	if a, b := server.container().SecurityContext.String(), job.container().SecurityContext.String(); a != b {
		t.Errorf("the security contexts of the containers are\n%s\n%s", a, b)
	}
	if a, b := server.spec.SecurityContext.String(), job.spec.SecurityContext.String(); a != b {
		t.Errorf("the security contexts of the pods are\n%s\n%s", a, b)
	}
	ours := server.env()
	for _, key := range slices.Sorted(maps.Keys(job.env())) {
		if ours[key] != job.env()[key] {
			t.Errorf("%s is %q and %q", key, ours[key], job.env()[key])
		}
	}
}
