// Package organization has the commands that read and change what a service holds:
// company, departments, agents and their labels, projects and activities.
package organization

// Get lists what the service holds.
type Get struct {
	Agents      agentsCmd      `cmd:"" aliases:"agent" help:"List agents."`
	Departments departmentsCmd `cmd:"" aliases:"department" help:"List departments."`
	Projects    projectsCmd    `cmd:"" aliases:"project" help:"List projects."`
	Activities  activitiesCmd  `cmd:"" aliases:"activity,events" help:"List what happened, or follow it."`
	Changes     changesCmd     `cmd:"" aliases:"change,log" help:"List what was changed, by whom and why, or follow it."`
	Audit       Audit          `cmd:"" help:"List who changed what."`
	Webhooks    webhooksCmd    `cmd:"" aliases:"webhook" help:"List webhooks."`
	Company     companyShowCmd `cmd:"" help:"Show the company."`
}

// Habits are the commands under the names by which people look for them.
type Habits struct {
	Agents      agentsCmd      `cmd:"" hidden:""`
	Departments departmentsCmd `cmd:"" hidden:""`
	Projects    projectsCmd    `cmd:"" hidden:""`
	Activities  activitiesCmd  `cmd:"" hidden:"" aliases:"activity,events"`
	Changes     changesCmd     `cmd:"" hidden:"" aliases:"log"`
	Labels      labelListCmd   `cmd:"" hidden:""`
	Webhooks    webhooksCmd    `cmd:"" hidden:""`
	Describe    struct {
		Agent      agentShowCmd      `cmd:"" aliases:"agents" help:"Show an agent."`
		Department departmentShowCmd `cmd:"" aliases:"departments" help:"Show a department."`
		Project    projectShowCmd    `cmd:"" aliases:"projects" help:"Show a project."`
		Webhook    webhookShowCmd    `cmd:"" aliases:"webhooks" help:"Show a webhook."`
	} `cmd:"" hidden:"" aliases:"show"`
	Edit struct {
		Agent agentEditCmd `cmd:"" aliases:"agents" help:"Change an agent in an editor."`
	} `cmd:"" hidden:""`
	Create struct {
		Agent      agentCreateCmd      `cmd:"" help:"Hire an agent."`
		Department departmentCreateCmd `cmd:"" help:"Make a department."`
		Project    projectCreateCmd    `cmd:"" help:"Make a project."`
		Webhook    webhookCreateCmd    `cmd:"" help:"Make a webhook."`
	} `cmd:"" hidden:""`
	Delete struct {
		Agent      agentDeleteCmd      `cmd:"" aliases:"agents" help:"Fire agents."`
		Department departmentDeleteCmd `cmd:"" aliases:"departments" help:"Delete departments that have no agents."`
		Project    projectDeleteCmd    `cmd:"" aliases:"projects" help:"Delete projects."`
		Webhook    webhookDeleteCmd    `cmd:"" aliases:"webhooks" help:"Delete webhooks."`
	} `cmd:"" hidden:"" aliases:"rm"`
}

// Company is everything about the company.
type Company struct {
	Show   companyShowCmd   `cmd:"" aliases:"get,describe,view" help:"Show the company."`
	Update companyUpdateCmd `cmd:"" help:"Change the company."`
}

// Agent is everything about one agent.
type Agent struct {
	List        agentsCmd           `cmd:"" aliases:"ls" help:"List agents, as orgd get agents does."`
	Show        agentShowCmd        `cmd:"" aliases:"get,describe,view" help:"Show an agent, as it is or as it was."`
	Create      agentCreateCmd      `cmd:"" aliases:"new,add" help:"Hire an agent."`
	Update      agentUpdateCmd      `cmd:"" help:"Change an agent."`
	Edit        agentEditCmd        `cmd:"" help:"Change an agent in an editor."`
	Delete      agentDeleteCmd      `cmd:"" aliases:"rm,remove" help:"Fire agents."`
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
	List          departmentsCmd             `cmd:"" aliases:"ls" help:"List departments, as orgd get departments does."`
	Show          departmentShowCmd          `cmd:"" aliases:"get,describe,view" help:"Show a department."`
	Health        departmentHealthCmd        `cmd:"" help:"Show the figures of a department."`
	Create        departmentCreateCmd        `cmd:"" aliases:"new,add" help:"Make a department."`
	Update        departmentUpdateCmd        `cmd:"" help:"Change a department."`
	Delete        departmentDeleteCmd        `cmd:"" aliases:"rm,remove" help:"Delete departments that have no agents."`
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
	List   projectsCmd      `cmd:"" aliases:"ls" help:"List projects, as orgd get projects does."`
	Show   projectShowCmd   `cmd:"" aliases:"get,describe,view" help:"Show a project."`
	Create projectCreateCmd `cmd:"" aliases:"new,add" help:"Make a project."`
	Update projectUpdateCmd `cmd:"" help:"Change a project."`
	Delete projectDeleteCmd `cmd:"" aliases:"rm,remove" help:"Delete projects."`
}
