// A daemon with agents for clients of OpenAI's API to ask, and the official client on it.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isEnded, type ProcessDetail, type ProcessInfo } from "@aos/protocol";
import OpenAI from "openai";
import { vi } from "vitest";
import { createTestHome, ROOT, type TestHome } from "../home.ts";

const manifest = (name: string, more = ""): string => `
apiVersion: aos/v1
kind: Agent
name: ${name}
description: The agent ${name}.
model: scripted/${name}-words
capabilities: [model:scripted/*:infer, tool:echo:call]
${more}`;

/** By the agent's name: what its manifest says beside, and what its model says. */
const agents: Record<string, { more?: string; words: string }> = {
  clerk: {
    more: "system: You are a clerk.\ntools: [echo]",
    words: `
turns:
  - when: { last: user, contains: two cities }
    call:
      - { tool: get_weather, args: { city: Paris } }
      - { tool: echo, args: { text: both } }
      - { tool: get_weather, args: { city: Rome } }
  - when: { last: user, contains: weather }
    say: I note that.
    call: [{ tool: echo, args: { text: noted } }]
  - when: { turn: 2, tool: echo, contains: noted }
    say: I look it up.
    call: [{ tool: get_weather, args: { city: Paris } }]
  - when: { turn: 3, tool: get_weather }
    say: "After three steps: {{last}}"
  - when: { tool: get_weather }
    say: "After two steps: {{last}}"
  - when: { last: user, contains: patch }
    call: [{ tool: apply_patch, args: { input: "*** Begin" } }]
  - when: { last: user, contains: sub-agent }
    call: [{ tool: crew__hire, args: { who: Ann } }]
  - when: { last: user, contains: long story }
    say: ${"Once upon a time there was a kernel. ".repeat(20).trim()}
  - when: { last: user, contains: slow }
    say: one two three four five
    pieceMs: 300
    call: [{ tool: echo, args: { text: slowly } }]
  - when: { tool: echo, contains: slowly }
    say: and so on
    delayMs: 60000
otherwise: { say: "You said {{last}}" }
`,
  },
  coder: {
    words: `
turns:
  - when: { last: user, contains: make the file }
    say: I make it.
    call: [{ tool: exec_command, args: { cmd: "echo by hand > made.txt; echo it is $((40 + 2))" } }]
  - when: { turn: 2, tool: exec_command, contains: it is 42 }
    say: The file is there.
  - when: { last: user, contains: how are you }
    say: I am well.
`,
  },
  form: {
    more: "output: { schema: { type: object, required: [sum], properties: { sum: { type: number } } } }",
    words: 'turns: [{ say: the sum is four }, { say: "{\\"sum\\": 4}" }]',
  },
  poor: {
    more: "budget: { tokens: 1 }",
    words: "turns: [{ say: hello }]",
  },
  mute: { words: "turns: [{ when: { contains: never }, say: x }]" },
  steady: {
    more: "persistent: true",
    words: 'turns: [{ say: "I stay: {{last}}" }]',
  },
  loose: {
    words: 'turns: [{ say: it is Paris }, { say: "{\\"city\\": \\"Paris\\"}" }]',
  },
};

const SDK = join(ROOT, "sdk/src/index.ts");
/** A program of one's own. */
const PARROT = `
apiVersion: aos/v1
kind: Agent
name: parrot
command: [${JSON.stringify(process.execPath)}, parrot.mjs]
`;

export interface OpenAiRig {
  readonly home: TestHome;
  readonly url: string;
  readonly client: OpenAI;
  /** Their names, in order. */
  readonly agents: readonly string[];
  token(...words: string[]): Promise<string>;
  clientOf(token: string): OpenAI;
  /** As the gateway shows it. */
  run(pid: string): Promise<ProcessDetail>;
  runs(): Promise<ProcessInfo[]>;
  ended(pid: string): Promise<ProcessDetail>;
  close(): Promise<void>;
}

export async function openOpenAiRig(): Promise<OpenAiRig> {
  const home = createTestHome({ AOS_HTTP: "127.0.0.1:0" });
  for (const [name, { more, words }] of Object.entries(agents))
    addAgent(home, name, manifest(name, more), words);
  addAgent(home, "parrot", PARROT);
  writeFileSync(
    join(home.folder, "agents", "parrot.mjs"),
    `import { runProgram } from ${JSON.stringify(SDK)};\nrunProgram(async (_sys, input) => input + "!");\n`,
  );
  await home.aos("up", "-d");
  await home.aos("tenant", "add", "b");
  const { url } = (await home.aos("status", "-o", "json")).json() as { url: string };
  const token = async (...words: string[]) =>
    (await home.aos("token", "create", ...words)).stdout.trim();
  const operator = await token("--role", "operator");
  const clientOf = (apiKey: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey });
  const get = async (path: string): Promise<unknown> =>
    (await fetch(url + path, { headers: { authorization: `Bearer ${operator}` } })).json();
  const run = (pid: string) => get(`/api/v1/processes/${pid}`) as Promise<ProcessDetail>;
  return {
    home,
    url,
    client: clientOf(operator),
    agents: [...Object.keys(agents), "parrot"].toSorted(),
    token,
    clientOf,
    run,
    runs: () => get("/api/v1/processes") as Promise<ProcessInfo[]>,
    ended: (pid) =>
      vi.waitUntil(
        async () => {
          const shown = await run(pid);
          return isEnded(shown.state) && shown.exitCode !== null ? shown : undefined;
        },
        { timeout: 120_000, interval: 50 },
      ) as Promise<ProcessDetail>,
    close: () => home.remove(),
  };
}

export function addAgent(home: TestHome, name: string, text: string, words?: string): void {
  const agentsFolder = join(home.folder, "agents");
  const scripts = join(home.folder, "scripts");
  for (const folder of [agentsFolder, scripts]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(agentsFolder, `${name}.yaml`), text);
  if (words !== undefined) writeFileSync(join(scripts, `${name}-words.yaml`), words);
}

/** The process that answered. */
export const pidOf = (answer: object): string => (answer as { aos: { pid: string } }).aos.pid;

export const weather: OpenAI.Chat.ChatCompletionFunctionTool = {
  type: "function",
  function: {
    name: "get_weather",
    description: "The weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

export const hammer: OpenAI.Chat.ChatCompletionFunctionTool = {
  type: "function",
  function: { name: "hammer" },
};
