import { basename, dirname } from "node:path";

/** The agents of a project are in its `.agents/agents`. */
export const projectOfAgents = (folder: string): string =>
  basename(folder) === "agents" && basename(dirname(folder)) === ".agents"
    ? dirname(dirname(folder))
    : folder;
