package main

// getCmd lists what the service holds.
type getCmd struct {
	Agents      agentsCmd      `cmd:"" help:"List agents."`
	Departments departmentsCmd `cmd:"" help:"List departments."`
	Projects    projectsCmd    `cmd:"" help:"List projects."`
	Activities  activitiesCmd  `cmd:"" help:"List what happened, or follow it."`
}
