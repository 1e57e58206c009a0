package helm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// flows is what a NetworkPolicy lets through: a line for each peer and port, sorted.
func flows(p *networking.NetworkPolicy) (lines []string) {
	for _, rule := range p.Spec.Ingress {
		for _, from := range peers(rule.From) {
			for _, port := range rule.Ports {
				lines = append(lines, fmt.Sprintf("from %s to %s", from, portName(port)))
			}
		}
	}
	for _, rule := range p.Spec.Egress {
		for _, to := range peers(rule.To) {
			for _, port := range rule.Ports {
				lines = append(lines, fmt.Sprintf("to %s %s", to, portName(port)))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func peers(all []networking.NetworkPolicyPeer) (names []string) {
	if len(all) == 0 {
		return []string{"anywhere"}
	}
	for _, p := range all {
		var parts []string
		if p.NamespaceSelector != nil {
			parts = append(parts, "namespaces "+selectorName(p.NamespaceSelector))
		}
		if p.PodSelector != nil {
			parts = append(parts, "pods "+selectorName(p.PodSelector))
		}
		if p.IPBlock != nil {
			parts = append(parts, p.IPBlock.CIDR)
		}
		names = append(names, strings.Join(parts, " "))
	}
	return names
}

// selectorName leaves out what all labels have in common.
func selectorName(s *meta.LabelSelector) string {
	return strings.NewReplacer(
		",app.kubernetes.io/name=orgd", "", ",app.kubernetes.io/instance=people", "", "app.kubernetes.io/", "", "kubernetes.io/metadata.name=", "",
	).Replace(meta.FormatLabelSelector(s))
}

// portName shows the protocol only if it is not TCP.
func portName(p networking.NetworkPolicyPort) string {
	name := p.Port.String()
	if p.EndPort != nil {
		name += fmt.Sprintf("-%d", *p.EndPort)
	}
	if p.Protocol != nil && *p.Protocol != core.ProtocolTCP {
		name += "/" + string(*p.Protocol)
	}
	return name
}

// The policies of each set of values let through what its values name, and nothing else.
func TestNetworkPoliciesAreExact(t *testing.T) {
	internet := []string{"to 0.0.0.0/0 443", "to 2000::/3 443"}
	dns := []string{"to 169.254.20.10/32 53", "to 169.254.20.10/32 53/UDP", "to namespaces kube-system 53", "to namespaces kube-system 53/UDP"}
	for _, c := range []struct {
		file, policy string
		want         []string
		shared       [][]string
	}{
		{chart + "/values.yaml", "people-orgd", []string{"from pods <none> to http"}, [][]string{dns, internet}},
		{chart + "/values.yaml", "people-orgd-ready", []string{"to pods component=server http"}, [][]string{dns}},
		{chart + "/examples/minimal.yaml", "people-orgd-migrate", []string{"to anywhere 27017"}, [][]string{dns}},
		{chart + "/examples/atlas.yaml", "people-orgd", []string{
			"from 10.0.0.0/16 to http", "from pods component in (drift,test) to http",
			"to 192.168.248.0/21 27015", "to 192.168.248.0/21 27016", "to 192.168.248.0/21 27017", "to 10.0.128.0/20 6379",
		}, [][]string{dns, internet}},
		{chart + "/examples/gke.yaml", "people-orgd", []string{
			"from 10.129.0.0/23 to http", "from 130.211.0.0/22 to http", "from 35.191.0.0/16 to http", "from pods component in (drift,test) to http",
			"to 192.168.0.0/18 27015", "to 192.168.0.0/18 27016", "to 192.168.0.0/18 27017", "to 10.20.0.0/28 6378",
		}, [][]string{dns, internet}},
		{chart + "/examples/azure.yaml", "people-orgd", []string{
			"from namespaces gateways to http", "from pods component in (drift,test) to http",
			"to 10.225.0.4/32 1024-65535", "to 10.225.0.5/32 6380", "to namespaces monitoring 4318",
		}, [][]string{dns, internet}},
		{chart + "/examples/openshift.yaml", "people-orgd", []string{
			"from namespaces policy-group.network.openshift.io/ingress= to http", "from pods component in (drift,test) to http",
			"from namespaces openshift-user-workload-monitoring to metrics",
			"to namespaces openshift-dns 5353", "to namespaces openshift-dns 5353/UDP", "to namespaces data 27017", "to namespaces data 6379",
		}, [][]string{internet}},
		{chart + "/examples/gitops.yaml", "people-orgd-drift", []string{"to pods component=server http", "to namespaces monitoring 9091"}, [][]string{dns}},
		{"testdata/everything.yaml", "org-directory", []string{
			"from pods <none> to http", "from namespaces monitoring to metrics", "to 10.1.0.0/16 27017", "to 10.1.0.0/16 1024-2048",
			"to anywhere 6379", "to anywhere 26379", "to pods app=collector 4318", "to 10.2.0.0/24 443", "to 10.3.0.0/24 8443",
		}, [][]string{dns}},
	} {
		t.Run(c.policy+" of "+c.file, func(t *testing.T) {
			t.Parallel()
			want := append(slices.Concat(c.shared...), c.want...)
			slices.Sort(want)
			for _, p := range all[*networking.NetworkPolicy](render(t, "--values", c.file)) {
				if p.Name == c.policy {
					if got := flows(p); !slices.Equal(got, want) {
						t.Errorf("it lets through\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
					}
					return
				}
			}
			t.Error("there is no such NetworkPolicy")
		})
	}
}

// Every pod has one NetworkPolicy, which names ports in every rule, has no two rules for the
// same, and leads neither in from everywhere nor out to the metadata services of clouds.
func TestNetworkPolicies(t *testing.T) {
	eachSet(t, func(t *testing.T, objects objects) {
		policies := all[*networking.NetworkPolicy](objects)
		if len(policies) != 0 && len(policies) != len(objects.pods()) {
			t.Errorf("there are %d NetworkPolicies for %d pods", len(policies), len(objects.pods()))
		}
		for _, p := range policies {
			if want := []networking.PolicyType{"Ingress", "Egress"}; !slices.Equal(p.Spec.PolicyTypes, want) {
				t.Errorf("%s is about %v, want %v", name(p), p.Spec.PolicyTypes, want)
			}
			checkFlows(t, p)
			for _, rule := range p.Spec.Ingress {
				if len(rule.Ports) != 1 {
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

// checkFlows checks that nothing is let through by two rules.
func checkFlows(t *testing.T, p *networking.NetworkPolicy) {
	t.Helper()
	lines := flows(p)
	for i, line := range lines {
		if i > 0 && line == lines[i-1] {
			t.Errorf("%s lets through %q twice", name(p), line)
		}
		port, anywhere := strings.CutPrefix(line, "to anywhere ")
		for _, other := range lines {
			if anywhere && other != line && strings.HasSuffix(other, " "+port) {
				t.Errorf("%s lets through %q, and %q besides", name(p), line, other)
			}
		}
	}
}
