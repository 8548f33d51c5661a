// Workspaces: one per tree of processes.

export { AGENT_ROOT, toAgent, toMachine } from "./mapping.ts";
export { createWorkspaces, type Workspace, type Workspaces } from "./workspaces.ts";
