package jsondoc_test

import (
	"testing"

	"orgd/domain/decimal"
	"orgd/domain/jsondoc"
)

// agentText is a document of the size and shape that the service reads most.
const agentText = `{"name":"Ada Lovelace","role":"Principal Engineer","department":"engineering","level":"principal",` +
	`"model":{"provider":"example","model_id":"large-2026","temperature":0.7,"max_tokens":4096,"fallback":null},` +
	`"personality":{"traits":["curious","precise","patient"],"communication_style":"concise","risk_tolerance":"low","verbosity":0.25},` +
	`"skills":{"primary":["architecture","go","databases"],"secondary":["writing","mentoring"]},` +
	`"tools":{"access_level":"elevated","allowed":["git","browser"],"denied":[]},` +
	`"memory":{"type":"persistent","retention_days":90},"autonomy":"supervised","budget_monthly":1250.50,` +
	`"custom":{"colour":"blue","ticket":9007199254740993,"tags":["x","y"],"nested":{"a":1,"b":[1,2,3]}}}`

type agent struct {
	name, role, department, level, autonomy string
	model                                   model
	traits, primary, secondary              []string
	style, risk                             string
	verbosity, budget                       decimal.Decimal
	access                                  string
	allowed, denied                         []string
	memory                                  string
	retention                               *int64
	custom                                  jsondoc.Object
}

type model struct {
	provider, id string
	temperature  decimal.Decimal
	tokens       *int64
	fallback     *string
}

func (a *agent) read(r *jsondoc.Reader) {
	words := jsondoc.Bounds{MaxItems: 256, MinLen: 1, MaxLen: 256}
	r.Text("name", &a.name, 1, 128)
	r.Text("role", &a.role, 1, 256)
	r.Text("department", &a.department, 1, 128)
	r.Text("level", &a.level, 1, 256)
	r.Object("model", func(r *jsondoc.Reader) {
		m := &a.model
		r.Text("provider", &m.provider, 1, 256)
		r.Text("model_id", &m.id, 1, 256)
		r.Decimal("temperature", &m.temperature, "0", "2")
		r.IntOrNull("max_tokens", &m.tokens, 1, 1e9)
		r.TextOrNull("fallback", &m.fallback, 1, 256)
	})
	r.Object("personality", func(r *jsondoc.Reader) {
		r.Texts("traits", &a.traits, words)
		r.Text("communication_style", &a.style, 1, 256)
		jsondoc.Enum(r, "risk_tolerance", &a.risk, "low", "medium", "high")
		r.Decimal("verbosity", &a.verbosity, "0", "1")
	})
	r.Object("skills", func(r *jsondoc.Reader) {
		r.Texts("primary", &a.primary, words)
		r.Texts("secondary", &a.secondary, words)
	})
	r.Object("tools", func(r *jsondoc.Reader) {
		r.Text("access_level", &a.access, 1, 256)
		r.Texts("allowed", &a.allowed, words)
		r.Texts("denied", &a.denied, words)
	})
	r.Object("memory", func(r *jsondoc.Reader) {
		r.Text("type", &a.memory, 1, 256)
		r.IntOrNull("retention_days", &a.retention, 1, 36500)
	})
	r.Text("autonomy", &a.autonomy, 1, 256)
	r.Decimal("budget_monthly", &a.budget, "0", "999999999.999999999")
	r.Free("custom", &a.custom, 16<<10)
}

func (a *agent) write(w *jsondoc.Writer) {
	w.Open()
	w.Field("name").Text(a.name)
	w.Field("role").Text(a.role)
	w.Field("department").Text(a.department)
	w.Field("level").Text(a.level)
	w.Field("personality").Open()
	w.Field("traits").Texts(a.traits)
	w.Field("communication_style").Text(a.style)
	w.Field("verbosity").Number(a.verbosity)
	w.Close()
	w.Field("primary").Texts(a.primary)
	w.Field("retention_days").IntOrNull(a.retention)
	w.Field("budget_monthly").Number(a.budget)
	w.Field("custom").Free(a.custom)
	w.Close()
}

func BenchmarkParse(b *testing.B) {
	text := []byte(agentText)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := jsondoc.Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseAndRead(b *testing.B) {
	text := []byte(agentText)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		v, err := jsondoc.Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		var a agent
		if err := jsondoc.Read(v, a.read); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	v, err := jsondoc.Parse([]byte(agentText))
	if err != nil {
		b.Fatal(err)
	}
	var a agent
	if err := jsondoc.Read(v, a.read); err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, 1<<10)
	b.ReportAllocs()
	for b.Loop() {
		w := jsondoc.NewWriter(buf[:0])
		a.write(w)
		if len(w.Bytes()) == 0 {
			b.Fatal("nothing written")
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	v, err := jsondoc.Parse([]byte(agentText))
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, 1<<10)
	b.ReportAllocs()
	for b.Loop() {
		if len(v.Append(buf[:0])) == 0 {
			b.Fatal("nothing written")
		}
	}
}
