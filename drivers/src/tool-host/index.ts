// Tools of projects: see docs/tools.md.

export { createProjectTools, type ProjectTools } from "./project-tools.ts";
