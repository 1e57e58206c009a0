package identity

import "orgd/domain/decimal"

// Default is the content of an agent about which nothing is said. It has no
// id, name, role, department or hiring date yet.
func Default() Content {
	const half = decimal.Decimal("0.5")
	return Content{
		Level:  Mid,
		Status: Active,
		Personality: Personality{
			CommunicationStyle: "neutral",
			RiskTolerance:      "medium",
			Creativity:         "medium",
			Openness:           half,
			Conscientiousness:  half,
			Extraversion:       half,
			Agreeableness:      half,
			StressResponse:     half,
			DecisionMaking:     "consultative",
			Collaboration:      "team",
			Verbosity:          "balanced",
			ConflictApproach:   "collaborate",
		},
		Memory: Memory{Type: "session"},
		Tools:  Tools{AccessLevel: "standard"},
	}
}

func defaultModel() Model {
	return Model{Temperature: "0.7", MaxTokens: 4096}
}

func defaultSkill() Skill {
	return Skill{
		InputModes:  []string{"text/plain"},
		OutputModes: []string{"text/plain"},
		Proficiency: "1",
	}
}

func defaultConstraints() SubConstraints {
	return SubConstraints{
		FileSystem:    fileSystems[0],
		Network:       networks[0],
		Git:           gits[0],
		CodeExecution: codeExecutions[0],
		Terminal:      terminals[0],
	}
}
