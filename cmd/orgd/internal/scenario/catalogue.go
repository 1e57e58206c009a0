package scenario

// kind is what there is to know of a department before anybody works in it.
type kind struct {
	name, prefix string
	purpose      string // completes its name to a sentence
	strategy     string // of its ceremonies
	share        int    // of the budget, in percent
	weekends     bool   // whether it works on them as on other days
	teams        []string
	roles        []role
	projects     []string
}

// role is a job of a department.
type role struct {
	title   string
	duty    string // completes "You …"
	tasks   []string
	tools   []string
	skills  []string
	minutes float64 // that a task usually takes
}

// kinds are the departments in the order in which an organization gets them.
// Their shares stay below 100 % together.
var kinds = []kind{
	{
		name: "Engineering", prefix: "ENG", purpose: "builds the product and keeps it running.",
		strategy: "hybrid", share: 26, teams: []string{"Platform", "Product", "Quality"},
		roles: []role{
			{"Software Engineer", "turn accepted tickets into small, reviewed changes",
				[]string{"fixed a defect", "built a feature behind a flag", "split a module in two"},
				[]string{"git", "code_search", "test_runner"}, []string{"go", "sql", "testing"}, 45},
			{"Code Reviewer", "review changes before they are merged",
				[]string{"reviewed a change", "asked for a missing test", "checked a migration"},
				[]string{"git", "code_search"}, []string{"go", "reviewing"}, 15},
			{"Site Reliability Engineer", "keep the service within its objectives",
				[]string{"looked into an alert", "raised a capacity limit", "rehearsed a restore"},
				[]string{"shell", "metrics", "log_search"}, []string{"observability", "linux"}, 25},
			{"Test Engineer", "find out what does not work before customers do",
				[]string{"reproduced a report", "wrote a regression test", "mapped what is not tested"},
				[]string{"test_runner", "browser", "git"}, []string{"testing", "exploration"}, 30},
		},
		projects: []string{"Faster checkout", "One login for all products", "Moving off the old queue"},
	},
	{
		name: "Customer Support", prefix: "SUP", purpose: "answers customers, at any hour, and tells the others what hurts.",
		strategy: "event_driven", share: 18, weekends: true, teams: []string{"Frontline", "Escalations"},
		roles: []role{
			{"Support Agent", "answer customers in their language and leave no question open",
				[]string{"answered a ticket", "refunded an order", "found a lost parcel"},
				[]string{"ticketing", "knowledge_base"}, []string{"writing", "empathy"}, 8},
			{"Escalation Specialist", "take over what the front line cannot solve",
				[]string{"solved an escalation", "called a customer back", "handed a defect over"},
				[]string{"ticketing", "log_search", "phone"}, []string{"diagnosis", "negotiation"}, 25},
			{"Knowledge Editor", "keep the help pages short and true",
				[]string{"rewrote a help page", "merged two answers", "retired an outdated page"},
				[]string{"knowledge_base", "analytics"}, []string{"writing", "editing"}, 35},
		},
		projects: []string{"Answers within an hour", "Help pages in four languages"},
	},
	{
		name: "Research", prefix: "RES", purpose: "finds out what is worth building, and what is true.",
		strategy: "milestone_driven", share: 12, teams: []string{"Evaluation", "Foundations"},
		roles: []role{
			{"Research Analyst", "answer open questions with sources that others can check",
				[]string{"summed up the literature", "compared three vendors", "checked a claim"},
				[]string{"web_search", "notebook"}, []string{"statistics", "writing"}, 70},
			{"Evaluation Engineer", "measure how well the agents of the company work",
				[]string{"ran an evaluation", "labelled a sample", "explained a regression"},
				[]string{"notebook", "test_runner"}, []string{"statistics", "python"}, 50},
		},
		projects: []string{"A benchmark of our own", "What slows agents down"},
	},
	{
		name: "Sales", prefix: "SAL", purpose: "wins customers who stay.",
		strategy: "throughput_adaptive", share: 14, teams: []string{"Outbound", "Accounts"},
		roles: []role{
			{"Account Researcher", "prepare every first conversation",
				[]string{"prepared a meeting", "found the right contact", "sketched an organization"},
				[]string{"web_search", "crm"}, []string{"research", "writing"}, 20},
			{"Proposal Writer", "write proposals that say what is promised and what is not",
				[]string{"drafted a proposal", "priced a variant", "answered a tender"},
				[]string{"crm", "documents", "spreadsheet"}, []string{"writing", "pricing"}, 55},
			{"Pipeline Analyst", "tell early which deals are at risk",
				[]string{"cleaned the pipeline", "forecast a quarter", "flagged a deal"},
				[]string{"crm", "spreadsheet"}, []string{"forecasting", "sql"}, 30},
		},
		projects: []string{"Northern markets", "Renewals without surprises"},
	},
	{
		name: "Finance", prefix: "FIN", purpose: "knows what things cost, and pays what is due.",
		strategy: "budget_driven", share: 8, teams: []string{"Accounting", "Controlling"},
		roles: []role{
			{"Accounting Clerk", "book every document once and correctly",
				[]string{"booked an invoice", "matched a payment", "asked for a receipt"},
				[]string{"ledger", "documents"}, []string{"bookkeeping", "tax"}, 6},
			{"Controller", "explain where a figure differs from its plan",
				[]string{"explained a variance", "closed a cost centre", "checked a forecast"},
				[]string{"ledger", "spreadsheet"}, []string{"controlling", "sql"}, 40},
		},
		projects: []string{"Closing in three days"},
	},
	{
		name: "Marketing", prefix: "MKT", purpose: "tells the right people, in plain words.",
		strategy: "calendar", share: 9, teams: []string{"Content", "Campaigns"},
		roles: []role{
			{"Content Writer", "write what readers finish",
				[]string{"wrote a case study", "shortened a page", "interviewed a customer"},
				[]string{"cms", "web_search"}, []string{"writing", "interviewing"}, 60},
			{"Campaign Analyst", "stop what does not work",
				[]string{"compared two audiences", "ended a campaign", "checked a budget"},
				[]string{"analytics", "spreadsheet"}, []string{"statistics", "sql"}, 25},
		},
		projects: []string{"Autumn campaign", "A site that loads at once"},
	},
	{
		name: "Operations", prefix: "OPS", purpose: "buys, ships and keeps the lights on.",
		strategy: "task_driven", share: 7, weekends: true, teams: []string{"Procurement", "Logistics"},
		roles: []role{
			{"Buyer", "buy what was approved at the agreed terms",
				[]string{"compared two offers", "placed an order", "chased a delivery"},
				[]string{"erp", "email"}, []string{"negotiation", "contracts"}, 18},
			{"Dispatcher", "get every parcel out on the day it is due",
				[]string{"planned a tour", "rerouted a shipment", "answered a carrier"},
				[]string{"erp", "maps"}, []string{"planning", "routing"}, 10},
		},
		projects: []string{"Second warehouse"},
	},
	{
		name: "Security", prefix: "SEC", purpose: "notices first, and says no in time.",
		strategy: "external_trigger", share: 5, weekends: true, teams: []string{"Detection", "Compliance"},
		roles: []role{
			{"Detection Analyst", "tell an attack from noise",
				[]string{"triaged an alert", "tuned a rule", "followed a trace"},
				[]string{"log_search", "scanner"}, []string{"forensics", "networks"}, 20},
			{"Compliance Analyst", "prove that the rules are kept",
				[]string{"collected evidence", "reviewed an access", "answered an auditor"},
				[]string{"documents", "scanner"}, []string{"auditing", "writing"}, 40},
		},
		projects: []string{"Ready for the audit"},
	},
}

// model is a language model and what it costs.
type model struct {
	provider, id, tier string
	perThousand        float64 // tokens, in currency units
}

var models = []model{
	{"aurora", "aurora-large-3", "large", 0.012},
	{"aurora", "aurora-medium-3", "medium", 0.004},
	{"meridian", "meridian-small-2", "small", 0.0012},
}

var firstNames = []string{
	"Ada", "Aiko", "Alma", "Amara", "Anouk", "Arif", "Asta", "Aylin", "Bao", "Basma", "Bela", "Bruno", "Camila", "Cem", "Chidi",
	"Clara", "Dalia", "Dario", "Deniz", "Diego", "Edith", "Eero", "Elif", "Emeka", "Enzo", "Esra", "Eva", "Farah", "Felix", "Fumi",
	"Gaia", "Goran", "Greta", "Hana", "Haruto", "Hedda", "Hugo", "Ida", "Ilse", "Imani", "Ines", "Iris", "Isak", "Ivo", "Jana",
	"Jonas", "Juno", "Kai", "Kofi", "Lena", "Liam", "Lin", "Luca", "Luz", "Mads", "Maia", "Malik", "Marta", "Mei", "Mila",
	"Milan", "Mina", "Mira", "Nadia", "Nils", "Noor", "Nora", "Oda", "Olga", "Omar", "Oskar", "Paz", "Pia", "Priya", "Rafa",
	"Rana", "Rio", "Rosa", "Runa", "Sami", "Sara", "Selma", "Shira", "Sofia", "Suri", "Tala", "Tariq", "Thea", "Tomo", "Uma",
	"Vera", "Vito", "Wanda", "Wim", "Yara", "Yuki", "Zara", "Zeno", "Zoe", "Zofia",
}

var lastNames = []string{
	"Abara", "Acosta", "Adeyemi", "Aguilar", "Alvarez", "Andersen", "Arslan", "Bakker", "Banerjee", "Baptiste", "Becker", "Bianchi",
	"Castro", "Chen", "Cohen", "Costa", "Dahl", "Demir", "Diallo", "Dubois", "Eklund", "Eriksen", "Farouk", "Ferrari", "Fischer",
	"Fontaine", "Fujita", "Garcia", "Gupta", "Haddad", "Hansen", "Haruki", "Hoang", "Horvat", "Ibrahim", "Ito", "Ivanova", "Jansen",
	"Jensen", "Joshi", "Kaya", "Keller", "Khan", "Kim", "Kimura", "Koch", "Kovacs", "Kruger", "Lang", "Larsen", "Lopez", "Lund",
	"Mahlangu", "Marino", "Mensah", "Meyer", "Molina", "Moreau", "Mori", "Nakamura", "Navarro", "Nguyen", "Nielsen", "Novak",
	"Obi", "Okafor", "Olsen", "Ortega", "Osei", "Park", "Patel", "Pereira", "Petrov", "Quispe", "Ramos", "Reyes", "Ricci", "Rossi",
	"Sato", "Schmidt", "Silva", "Singh", "Soto", "Steiner", "Suzuki", "Takeda", "Tanaka", "Torres", "Tran", "Tsai", "Vargas",
	"Vermeer", "Virtanen", "Vogel", "Wagner", "Weber", "Wong", "Yamada", "Yilmaz", "Zhang",
}
