package client_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"orgd/client"
)

// use says what a schema is for.
type use int

const (
	output use = iota // the type has exactly the fields of the schema
	input             // the same, and what is optional can be left out
	change            // the type has at least the fields of the schema
)

// shapes are the types for the schemas of the description.
var shapes = map[string]struct {
	use use
	typ reflect.Type
}{
	"ErrorDetail":                  {output, reflect.TypeFor[problem]()},
	"Pagination":                   {output, reflect.TypeFor[pagination]()},
	"LivenessStatus":               {output, reflect.TypeFor[client.Liveness]()},
	"ReadinessStatus":              {output, reflect.TypeFor[client.Readiness]()},
	"Capabilities":                 {output, reflect.TypeFor[client.Capabilities]()},
	"Company":                      {output, reflect.TypeFor[client.Company]()},
	"UpdateCompanyRequest":         {change, reflect.TypeFor[client.Company]()},
	"Department":                   {output, reflect.TypeFor[client.Department]()},
	"CreateDepartmentRequest":      {input, reflect.TypeFor[client.DepartmentInput]()},
	"UpdateDepartmentRequest":      {change, reflect.TypeFor[client.Department]()},
	"DepartmentHealth":             {output, reflect.TypeFor[client.DepartmentHealth]()},
	"DailyFigures":                 {output, reflect.TypeFor[client.DailyFigures]()},
	"DayFigures":                   {output, reflect.TypeFor[client.DayFigures]()},
	"DepartmentFigures":            {output, reflect.TypeFor[client.DepartmentFigures]()},
	"AgentFigures":                 {output, reflect.TypeFor[client.AgentFigures]()},
	"AgentLabel":                   {output, reflect.TypeFor[client.AgentLabel]()},
	"CeremonyPolicy":               {output, reflect.TypeFor[client.CeremonyPolicy]()},
	"CeremonyPolicyInput":          {input, reflect.TypeFor[client.CeremonyPolicy]()},
	"ResolvedValue":                {output, reflect.TypeFor[client.Resolved[any]]()},
	"ResolvedCeremonyPolicy":       {output, reflect.TypeFor[client.ResolvedCeremonyPolicy]()},
	"AgentIdentity":                {output, reflect.TypeFor[client.AgentIdentity]()},
	"AgentConfig":                  {output, reflect.TypeFor[client.Agent]()},
	"AgentSummary":                 {change, reflect.TypeFor[client.FoundAgent]()}, // without the instructions, or not searched
	"DeletedAgent":                 {output, reflect.TypeFor[client.DeletedAgent]()},
	"RestoreAgentRequest":          {input, reflect.TypeFor[client.RestoreInput]()},
	"CreateAgentOrgRequest":        {input, reflect.TypeFor[client.AgentInput]()},
	"UpdateAgentOrgRequest":        {change, reflect.TypeFor[client.Agent]()},
	"VersionSnapshot":              {output, reflect.TypeFor[client.Version]()},
	"Label":                        {output, reflect.TypeFor[client.Label]()},
	"PutLabelRequest":              {input, reflect.TypeFor[client.LabelInput]()},
	"LabelMove":                    {output, reflect.TypeFor[client.LabelMove]()},
	"ResolvedAgent":                {output, reflect.TypeFor[client.ResolvedAgent]()},
	"AgentIdentityDiff":            {output, reflect.TypeFor[client.VersionDiff]()},
	"RollbackAgentIdentityRequest": {input, reflect.TypeFor[client.RollbackInput]()},
	"AgentHealth":                  {output, reflect.TypeFor[client.AgentHealth]()},
	"AgentPerformanceSummary":      {output, reflect.TypeFor[client.AgentPerformance]()},
	"CareerEvent":                  {output, reflect.TypeFor[client.CareerEvent]()},
	"ActivityEvent":                {output, reflect.TypeFor[client.ActivityEvent]()},
	"IngestResult":                 {output, reflect.TypeFor[client.ReportResult]()},
	"Project":                      {output, reflect.TypeFor[client.Project]()},
	"CreateProjectRequest":         {input, reflect.TypeFor[client.ProjectInput]()},
	"UpdateProjectRequest":         {change, reflect.TypeFor[client.Project]()},
	"OrganizationDocument":         {output, reflect.TypeFor[client.Organization]()},
	"OrganizationPlan":             {output, reflect.TypeFor[client.OrganizationPlan]()},
	"OrganizationApplied":          {output, reflect.TypeFor[client.OrganizationApplied]()},
	"AsOf":                         {input, reflect.TypeFor[client.AsOf]()},
	"Webhook":                      {output, reflect.TypeFor[client.Webhook]()},
	"WebhookWithSecret":            {output, reflect.TypeFor[client.WebhookWithSecret]()},
	"CreateWebhookRequest":         {input, reflect.TypeFor[client.WebhookInput]()},
	"UpdateWebhookRequest":         {change, reflect.TypeFor[client.Webhook]()},
	"Delivery":                     {output, reflect.TypeFor[client.Delivery]()},
	"AuditEntry":                   {output, reflect.TypeFor[client.AuditEntry]()},
	"IssueTokenRequest":            {input, reflect.TypeFor[client.TokenInput]()},
	"MakeLinkRequest":              {input, reflect.TypeFor[client.TokenInput]()},
	"SignInLink":                   {output, reflect.TypeFor[client.SignInLink]()},
	"IssuedToken":                  {output, reflect.TypeFor[client.IssuedToken]()},
	"Caller":                       {output, reflect.TypeFor[client.Caller]()},
	"Session":                      {output, reflect.TypeFor[client.Session]()},
}

// entries are the types for the data of reported events.
var entries = map[string][]reflect.Type{
	"TaskStartedEntry":   {reflect.TypeFor[client.TaskStarted]()},
	"TaskCompletedEntry": {reflect.TypeFor[client.TaskCompleted]()},
	"CostIncurredEntry":  {reflect.TypeFor[client.CostIncurred]()},
	"ToolUsedEntry":      {reflect.TypeFor[client.ToolUsed]()},
	"DelegationEntry":    {reflect.TypeFor[client.DelegationSent](), reflect.TypeFor[client.DelegationReceived]()},
}

// shapeless are the schemas of objects that need no type of their own: envelopes,
// which TestSurface opens, bodies that it sends, and what is free-form.
var shapeless = []string{
	"ApiResponse_", "PaginatedResponse_", "ErrorEnvelope", "ProblemDetail",
	"ReorderDepartmentsRequest", "ReorderAgentsRequest", "IngestActivitiesRequest", "RedeemLinkRequest",
	"CompanySettings", "CompanySettingsPatch", "OpenAPIDocument",
}

// TestSchemas compares every schema of the description with the type for it:
// its fields, whether they may be null or left out, their types and the words of
// closed lists.
func TestSchemas(t *testing.T) {
	d := openDocument(t)
	s := &schemas{document: d, t: t, words: words(t), reached: map[string]bool{}}
	all := d.at(d.root, "components", "schemas")
	for name, shape := range shapes {
		if all[name] == nil {
			t.Errorf("%s: the description has no such schema", name)
			continue
		}
		s.compare(name, node{"$ref": "#/components/schemas/" + name}, shape.typ, shape.use)
	}
	for name, types := range entries {
		for _, typ := range types {
			s.compareEntry(name, typ)
		}
	}
	for name := range all {
		isObject := d.at(all, name)["properties"] != nil
		sentAsText := strings.HasPrefix(name, "Organization") && strings.HasSuffix(name, "Input")
		known := s.reached[name] || sentAsText || slices.ContainsFunc(shapeless, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		if isObject && !known {
			t.Errorf("%s: the client has no type for this schema", name)
		}
	}
}

// compareEntry compares the schema of a reported event.
func (s *schemas) compareEntry(name string, data reflect.Type) {
	schema := maps.Clone(s.at(s.root, "components", "schemas", name))
	properties := maps.Clone(s.at(schema, "properties"))
	s.compare(name+".data", properties["data"], data, input)
	typ := s.at(properties, "event_type")
	if want := fmt.Sprint(reflect.Zero(data).Interface().(client.EventData).EventType()); typ["const"] != want {
		list, _ := typ["enum"].([]any)
		if !slices.Contains(list, any(want)) {
			s.t.Errorf("%s: EventType = %s, which the schema has not", name, want)
		}
	}
	delete(properties, "data")
	delete(properties, "event_type")
	schema["properties"] = properties
	s.reached[name] = true
	s.compare(name, schema, reflect.TypeFor[entry](), change)
}

// schemas compares schemas with types.
type schemas struct {
	document
	t       *testing.T
	words   map[string][]string // of the constants, by their type
	reached map[string]bool     // names of schemas
}

// optional are fields of a change that only a merge patch of one's own can have,
// or only a new agent.
var patchOnly = map[string]bool{"UpdateAgentOrgRequest.model_provider": true, "UpdateAgentOrgRequest.model_id": true}

func (s *schemas) compare(at string, schema any, typ reflect.Type, u use) {
	if ref, ok := schema.(node)["$ref"].(string); ok {
		s.reached[ref[strings.LastIndexByte(ref, '/')+1:]] = true
	}
	n, kind, nullable := s.kind(s.follow(schema))
	pointer := typ.Kind() == reflect.Pointer
	switch {
	case u == output && nullable && !pointer && typ.Kind() != reflect.Map:
		s.t.Errorf("%s: may be null, and %s may not", at, typ)
	case u == output && pointer && !nullable && !s.absent(at):
		s.t.Errorf("%s: is never null, and %s may be", at, typ)
	}
	if pointer {
		typ = typ.Elem()
	}
	if list, ok := n["enum"].([]any); ok && kind != "" {
		s.compareWords(at, list, typ)
		return
	}
	switch kind {
	case "object":
		s.compareObject(at, n, typ, u)
	case "array":
		if typ.Kind() != reflect.Slice {
			s.t.Errorf("%s: is an array, not %s", at, typ)
			return
		}
		s.compare(at+"[]", n["items"], typ.Elem(), u)
	default:
		if strings.HasSuffix(at, "ProjectRequest.deadline") {
			n = node{"format": "date-time"} // a date is taken, too, so the schema has a pattern
		}
		if want := scalar(kind, n["format"]); want != nil && typ != want && !(typ.Kind() == want.Kind() && typ.PkgPath() != "" && want.PkgPath() == "") {
			s.t.Errorf("%s: is %s %v, not %s", at, kind, n["format"], typ)
		}
	}
}

// absent reports whether a field is a pointer because it may be left out.
func (s *schemas) absent(at string) bool {
	return strings.HasSuffix(at, "CeremonyPolicy.auto_transition") || strings.HasSuffix(at, "ceremony_policy.auto_transition")
}

// scalar is the type for a kind, nil for those of no single type.
func scalar(kind string, format any) reflect.Type {
	switch {
	case kind == "number":
		return reflect.TypeFor[client.Decimal]()
	case kind == "integer":
		return reflect.TypeFor[int64]()
	case kind == "boolean":
		return reflect.TypeFor[bool]()
	case kind == "string" && format == "date-time":
		return reflect.TypeFor[time.Time]()
	case kind == "string" && format == "date":
		return reflect.TypeFor[client.Date]()
	case kind == "string":
		return reflect.TypeFor[string]()
	}
	return nil
}

// kind is what a value is when it is not null: a schema and its type.
func (s *schemas) kind(n node) (of node, kind string, nullable bool) {
	if list, ok := n["anyOf"].([]any); ok && len(list) == 2 && list[1].(node)["type"] == "null" {
		if ref, ok := list[0].(node)["$ref"].(string); ok {
			s.reached[ref[strings.LastIndexByte(ref, '/')+1:]] = true
		}
		of, kind, _ = s.kind(s.follow(list[0]))
		return of, kind, true
	}
	switch typ := n["type"].(type) {
	case string:
		return n, typ, typ == "null"
	case []any:
		if len(typ) == 2 && typ[1] == "null" {
			return n, typ[0].(string), true
		}
	}
	return n, "", false
}

func (s *schemas) compareObject(at string, n node, typ reflect.Type, u use) {
	properties, _ := n["properties"].(node)
	free := n["additionalProperties"]
	switch {
	case typ == reflect.TypeFor[client.Object]() && free == true:
		return
	case typ.Kind() == reflect.Map && properties == nil && typ.Elem().Kind() == reflect.String:
		if _, _, nullable := s.kind(s.follow(free)); nullable {
			s.t.Errorf("%s: its values may be null", at)
		}
		return
	case typ.Kind() != reflect.Struct || properties == nil:
		s.t.Errorf("%s: is an object, not %s", at, typ)
		return
	}
	fields := jsonFields(typ)
	if _, other := typ.FieldByName("Other"); other == (free == nil || free == false) {
		s.t.Errorf("%s: additional properties are %v, and %s has Other = %t", at, free, typ, other)
	}
	for name, property := range properties {
		f, ok := fields[name]
		switch {
		case ok:
			s.compare(at+"."+name, property, f.Type, u)
		case !patchOnly[at+"."+name]:
			s.t.Errorf("%s.%s: %s has no such field", at, name, typ)
		}
	}
	for name, f := range fields {
		if properties[name] == nil {
			if u != change {
				s.t.Errorf("%s: %s has %s, which the schema has not", at, typ, name)
			}
			continue
		}
		required, _ := n["required"].([]any)
		mayBeAbsent := strings.Contains(f.Tag.Get("json"), ",omit")
		if u == input && mayBeAbsent == slices.Contains(required, any(name)) {
			s.t.Errorf("%s.%s: can be left out = %t", at, name, mayBeAbsent)
		}
	}
}

func (s *schemas) compareWords(at string, list []any, typ reflect.Type) {
	var want []string
	for _, v := range list {
		if v != nil {
			want = append(want, fmt.Sprint(v))
		}
	}
	got := slices.Clone(s.words[typ.Name()])
	slices.Sort(want)
	slices.Sort(got)
	subset := !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(got, w) })
	lifecycle := strings.HasSuffix(at, "CareerEvent.event_type") // a part of the list of all events
	if !slices.Equal(want, got) && !(lifecycle && subset) && !strings.HasSuffix(at, ".title") {
		s.t.Errorf("%s: words of %s = %q, want %q", at, typ, got, want)
	}
}

// jsonFields are the fields of a struct under their names in JSON.
func jsonFields(typ reflect.Type) map[string]reflect.StructField {
	all := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(typ) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			all[name] = f
		}
	}
	return all
}

// words reads the constants of the client, by their type.
func words(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	files, err := filepath.Glob("../../client/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				typ, _ := v.Type.(*ast.Ident)
				if typ == nil || len(v.Values) != 1 {
					continue
				}
				if lit, ok := v.Values[0].(*ast.BasicLit); ok {
					var value any
					if err := json.Unmarshal([]byte(lit.Value), &value); err != nil {
						t.Fatalf("%s: %s: %v", name, lit.Value, err)
					}
					all[typ.Name] = append(all[typ.Name], fmt.Sprint(value))
				}
			}
		}
	}
	return all
}
