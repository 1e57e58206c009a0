package helm

import (
	"fmt"
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	gateway "sigs.k8s.io/gateway-api/apis/v1"
)

// An object is one of any kind.
type object interface {
	runtime.Object
	meta.Object
}

// objects are what the chart renders, hooks included, in the order in which
// they come.
type objects []object

// render renders the chart and decodes every object strictly: unknown and
// duplicate fields, and kinds that the API does not have, are errors.
func render(t *testing.T, args ...string) objects {
	t.Helper()
	text, err := template(args...)
	if err != nil {
		t.Fatal(err)
	}
	all, err := decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// decode reads objects that are separated as Helm does it.
func decode(text string) (objects, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		apps.AddToScheme, autoscaling.AddToScheme, batch.AddToScheme, core.AddToScheme, networking.AddToScheme,
		policy.AddToScheme, gateway.Install, monitoring.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	var all objects
	for _, document := range strings.Split("\n"+text, "\n---\n")[1:] {
		decoded, _, err := strict.Decode([]byte(document), nil, nil)
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, document)
		}
		o, ok := decoded.(object)
		if !ok {
			return nil, fmt.Errorf("%T is no object", decoded)
		}
		all = append(all, o)
	}
	return all, nil
}

// A decoder that accepts everything would prove nothing.
func TestDecodingIsStrict(t *testing.T) {
	for name, document := range map[string]string{
		"unknown field":   "apiVersion: v1\nkind: Service\nspec: {port: []}\n",
		"duplicate field": "apiVersion: v1\nkind: Service\nspec: {type: ClusterIP, type: ClusterIP}\n",
		"unknown kind":    "apiVersion: v1\nkind: Servise\n",
		"wrong type":      "apiVersion: v1\nkind: Service\nspec: {ports: http}\n",
	} {
		if _, err := decode("---\n" + document); err == nil {
			t.Errorf("%s: decode = nil, want an error", name)
		}
	}
}

// all returns the objects of one type.
func all[T object](from objects) (found []T) {
	for _, o := range from {
		if o, ok := o.(T); ok {
			found = append(found, o)
		}
	}
	return found
}

// one returns the only object of a type.
func one[T object](t *testing.T, from objects) T {
	t.Helper()
	found := all[T](from)
	if len(found) != 1 {
		t.Fatalf("there are %d objects of type %T, want 1", len(found), *new(T))
	}
	return found[0]
}

// A pod is what a Deployment, a Job or a Pod runs.
type pod struct {
	owner    object
	metadata meta.ObjectMeta
	spec     core.PodSpec
}

func (o objects) pods() (found []pod) {
	for _, o := range o {
		switch o := o.(type) {
		case *apps.Deployment:
			found = append(found, pod{o, o.Spec.Template.ObjectMeta, o.Spec.Template.Spec})
		case *batch.Job:
			found = append(found, pod{o, o.Spec.Template.ObjectMeta, o.Spec.Template.Spec})
		case *batch.CronJob:
			found = append(found, pod{o, o.Spec.JobTemplate.Spec.Template.ObjectMeta, o.Spec.JobTemplate.Spec.Template.Spec})
		case *core.Pod:
			found = append(found, pod{o, o.ObjectMeta, o.Spec})
		}
	}
	return found
}

// container is the only container of a pod.
func (p pod) container() core.Container { return p.spec.Containers[0] }

func (p pod) volume(t *testing.T, name string) core.Volume {
	t.Helper()
	for _, v := range p.spec.Volumes {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("%s has no volume %s", p.owner.GetName(), name)
	return core.Volume{}
}

// env are the variables with a value.
func (p pod) env() map[string]string {
	values := map[string]string{}
	for _, v := range p.container().Env {
		if v.ValueFrom == nil {
			values[v.Name] = v.Value
		}
	}
	return values
}

func kind(o object) string { return o.GetObjectKind().GroupVersionKind().Kind }

func name(o object) string { return kind(o) + " " + o.GetName() }
