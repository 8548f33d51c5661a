// Sources: the values of arguments and options, by the names in the rows. Values of the daemon are requested from it;
// complete.ts handles a daemon that is down.

import type { Client } from "@aos/client";
import { lanes, liveStates, processStates, roles, signals } from "@aos/protocol/words";
import { agentsHere } from "../agents-here.ts";
import { formats, namesOf } from "../line/shape.ts";
import { endpointOf } from "../endpoint.ts";
import { shells } from "../shells.ts";
import { templates } from "../templates.ts";
import type { Position } from "./position.ts";

export type Candidate = readonly [value: string, what: string];
export type Source = (() => Promise<readonly Candidate[]>) | "files" | "folders";

/** A shell that waits longer looks broken. */
const PATIENCE_MS = 1000;
const MOST_PROCESSES = 50;

const ask =
  (question: (client: Client, soon: { signal: AbortSignal }) => Promise<readonly Candidate[]>) =>
  async (): Promise<readonly Candidate[]> => {
    const { connectTo } = await import("../connection.ts");
    const client = connectTo(endpointOf(process.env), { startsDaemon: false, note: () => {} });
    return question(client, { signal: AbortSignal.timeout(PATIENCE_MS) });
  };

const words =
  (...values: readonly string[]): Source =>
  async () =>
    values.map((value) => [value, ""]);

const pids = (states: readonly string[] | undefined): Source =>
  ask(async (client, soon) => {
    const request = states === undefined ? {} : { states: states.join(",") };
    const found = await client.list({ ...request, limit: MOST_PROCESSES }, soon);
    const all = found.map(({ pid, agent, state }): Candidate => [pid, `${agent}, ${state}`]);
    return all.length === 0 ? [] : [["@last", "the newest"], ...all];
  });

const living = pids(liveStates);
const anyPid = pids(undefined);

/** Of the daemon with what they are for; as the files say, where it is not up. */
const agents: Source = async () => {
  const endpoint = endpointOf(process.env);
  const here = agentsHere(endpoint).map((name): Candidate => [name, "agent"]);
  const asked = ask(async (client, soon) =>
    (await client.agents({ cwd: process.cwd() }, soon)).map((agent) => [
      agent.name,
      agent.description || "agent",
    ]),
  );
  return asked().catch(() => here);
};

const tools = ask(async (client, soon) =>
  (await client.tools({ cwd: process.cwd() }, soon)).map((tool) => [tool.name, tool.description]),
);
const models = ask(async (client, soon) =>
  (await client.models({}, soon))
    .filter(({ model }) => !model.endsWith("*"))
    .map(({ model, provider }) => [model, provider]),
);
const questions = ask(async (client, soon) =>
  (await client.questions({}, soon)).map(({ id, question }) => [id, question]),
);
const tokens = ask(async (client, soon) =>
  (await client.accessTokens({}, soon)).map(({ id, name, role }) => [id, `${name}, ${role}`]),
);
const secrets = ask(async (client, soon) =>
  (await client.secrets({}, soon)).map(({ name }) => [name, ""]),
);
const mcpServers = ask(async (client, soon) =>
  (await client.mcpServers({ cwd: process.cwd() }, soon)).map(({ name, state }) => [name, state]),
);
const skills = ask(async (client, soon) =>
  (await client.skills({ cwd: process.cwd() }, soon)).map((skill) => [
    skill.name,
    skill.description,
  ]),
);
const tenants = ask(async (client, soon) =>
  (await client.tenants({}, soon)).map(({ name }) => [name, ""]),
);
const layers = ask(async (client) => {
  const { layersOf } = await import("../policy-layers.ts");
  return layersOf(await client.policy()).map(({ name }) => [name, ""]);
});

const signalWords: Source = async () =>
  Object.entries(signals).map(([name, { meaning }]) => [name.replace(/^SIG/, ""), meaning]);
const templateWords: Source = async () =>
  Object.entries(templates).map(([name, what]) => [name, what]);

/** By the argument's name, where all commands mean the same by it. */
export const argumentSources: Readonly<Record<string, readonly Source[]>> = {
  pid: [anyPid],
  "pid|agent": [anyPid, agents],
  agent: [agents, "files"],
  lane: [words(...lanes)],
  model: [models],
  shell: [words(...shells)],
  template: [templateWords],
  file: ["files"],
  folder: ["folders"],
  paths: ["files"],
};

/** By the command and the argument, where only that says what is meant. */
export const ownSources: Readonly<Record<string, readonly Source[]>> = {
  "approvals show id": [questions],
  "approvals cancel id": [questions],
  "approve id": [questions],
  "deny id": [questions],
  "token revoke id": [tokens],
  "tool show name": [tools],
  "tool call name": [tools],
  "mcp show name": [mcpServers],
  "mcp test name": [mcpServers],
  "mcp pin name": [mcpServers],
  "mcp rm name": [mcpServers],
  "skill show name": [skills],
  "secret set name": [secrets],
  "secret rm name": [secrets],
  "tenant show name": [tenants],
  "tenant set name": [tenants],
  "tenant rm name": [tenants],
  "signal name": [signalWords],
  ...Object.fromEntries(
    ["pause", "resume", "stop", "kill", "signal", "send", "invoke", "nice", "ctx compact"].map(
      (command) => [`${command} pid`, [living]],
    ),
  ),
};

/** By the option, with what the help calls its value. */
export const optionSources: Readonly<Record<string, readonly Source[]>> = {
  "--output <format>": [words(...formats)],
  "--lane <lane>": [words(...lanes)],
  "--role <role>": [words(...roles)],
  "--state <states>": [words(...processStates)],
  "--signal <name>": [signalWords],
  "--by <group>": [words("agent", "tree", "model", "tool", "tenant", "day")],
  "--agent <name>": [agents],
  "--pid <pid>": [anyPid],
  "--tenant <name>": [tenants],
  "--agent <file>": ["files"],
  "--tool <name>": [tools],
  "--model <model>": [models],
  "--layer <name>": [layers],
  "--attach <file>": ["files"],
  "--context <file>": ["files"],
  "--write <file>": ["files"],
  "--junit <file>": ["files"],
  "--dir <folder>": ["folders"],
  "--out <folder>": ["folders"],
};

export function sourcesFor(position: Position): readonly Source[] {
  if (position.kind === "words") return [];
  if (position.kind === "value") {
    const { long, value } = position.option;
    return optionSources[`${long} <${value}>`] ?? [];
  }
  const { row, argument } = position;
  const own = `${namesOf(row).join(" ")} ${argument}`;
  return ownSources[own] ?? argumentSources[argument] ?? [];
}
