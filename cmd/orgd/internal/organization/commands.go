// Package organization has the commands that read and change what a service holds:
// company, departments, agents and their labels, projects and activities.
package organization

// Get lists what the service holds.
type Get struct {
	Agents      agentsCmd      `cmd:"" help:"List agents."`
	Departments departmentsCmd `cmd:"" help:"List departments."`
	Projects    projectsCmd    `cmd:"" help:"List projects."`
	Activities  activitiesCmd  `cmd:"" help:"List what happened, or follow it."`
	Changes     changesCmd     `cmd:"" help:"List what was changed, by whom and why, or follow it."`
	Audit       auditCmd       `cmd:"" help:"List who changed what."`
}

// Company is everything about the company.
type Company struct {
	Show   companyShowCmd   `cmd:"" help:"Show the company."`
	Update companyUpdateCmd `cmd:"" help:"Change the company."`
}

// Agent is everything about one agent.
type Agent struct {
	List        agentsCmd           `cmd:"" help:"List agents, as orgd get agents does."`
	Show        agentShowCmd        `cmd:"" help:"Show an agent, as it is or as it was."`
	Create      agentCreateCmd      `cmd:"" help:"Hire an agent."`
	Update      agentUpdateCmd      `cmd:"" help:"Change an agent."`
	Delete      agentDeleteCmd      `cmd:"" help:"Fire agents."`
	Restore     agentRestoreCmd     `cmd:"" help:"Bring back an agent that was deleted."`
	Versions    agentVersionsCmd    `cmd:"" help:"List the versions of an agent."`
	Diff        agentDiffCmd        `cmd:"" help:"Show what changed from one version of an agent to another."`
	Rollback    agentRollbackCmd    `cmd:"" help:"Bring back an earlier version of an agent."`
	Health      agentHealthCmd      `cmd:"" help:"Show how an agent is doing."`
	History     agentHistoryCmd     `cmd:"" help:"List the steps of an agent's career."`
	Performance agentPerformanceCmd `cmd:"" help:"Show the figures of an agent."`
}

// Department is everything about departments.
type Department struct {
	List          departmentsCmd             `cmd:"" help:"List departments, as orgd get departments does."`
	Show          departmentShowCmd          `cmd:"" help:"Show a department."`
	Health        departmentHealthCmd        `cmd:"" help:"Show the figures of a department."`
	Create        departmentCreateCmd        `cmd:"" help:"Make a department."`
	Update        departmentUpdateCmd        `cmd:"" help:"Change a department."`
	Delete        departmentDeleteCmd        `cmd:"" help:"Delete departments that have no agents."`
	Reorder       departmentReorderCmd       `cmd:"" help:"Put departments in order."`
	ReorderAgents departmentReorderAgentsCmd `cmd:"" help:"Put the agents of a department in order."`
	Ceremonies    ceremoniesCmd              `cmd:"" help:"How a department holds its ceremonies."`
}

// ceremoniesCmd is the ceremony policy of a department.
type ceremoniesCmd struct {
	Show  ceremoniesShowCmd  `cmd:"" help:"Show the policy in force, and where each value comes from."`
	Set   ceremoniesSetCmd   `cmd:"" help:"Replace the department's own policy."`
	Unset ceremoniesUnsetCmd `cmd:"" help:"Delete the department's own policy, so that it inherits the company's."`
}

// Project is everything about projects.
type Project struct {
	List   projectsCmd      `cmd:"" help:"List projects, as orgd get projects does."`
	Show   projectShowCmd   `cmd:"" help:"Show a project."`
	Create projectCreateCmd `cmd:"" help:"Make a project."`
	Update projectUpdateCmd `cmd:"" help:"Change a project."`
	Delete projectDeleteCmd `cmd:"" help:"Delete projects."`
}
