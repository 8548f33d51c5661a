// Agent suggestion: the error for an unknown agent, with the nearest known name.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { nearest, SysError } from "@aos/protocol/words";
import { agentsHere } from "./agents-here.ts";
import type { Endpoint } from "./endpoint.ts";

export function withAgentSuggestion(error: unknown, typed: string, endpoint: Endpoint): unknown {
  if (!(error instanceof SysError) || error.code !== "ENOENT") return error;
  const meant = nearest(typed, [...agentsHere(endpoint), ...foldersHere()]);
  if (meant === undefined) return error;
  const { code, message, hint } = error;
  const advice = `did you mean \`${meant}\`?`;
  return new SysError(code, message, { hint: hint === undefined ? advice : `${advice} ${hint}` });
}

/** `aos run hello` where hello/agent.yaml is: the folder is an agent, too. */
const foldersHere = (): string[] =>
  readdirSync(".", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(entry.name, "agent.yaml")))
    .map(({ name }) => name);
