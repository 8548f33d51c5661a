// Tools of projects: see docs/tools.md.

export { createProjectTools, type ProjectTools, type ToolFlaw } from "./project-tools.ts";
