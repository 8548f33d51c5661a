// What the tests of goals have in common: roles whose programs leave a mark, and a planner that says what it is told.

import type { AgentRoleText, Json, ManifestText, ModelDriver, Sys } from "@aos/protocol";
import { programs as shipped } from "@aos/userland";

/** `mark` is seen outside once for each run; `fails` fails until the test says otherwise. */
export const goalPrograms = {
  plan: shipped["plan"]!.run,
  noop: async () => null,
  mark: async (sys: Sys, input: Json) => {
    const { step } = input as { step: string };
    await sys.exec("pay", { step });
    return `marked ${step}`;
  },
  fails: async (sys: Sys) => sys.exit(7, null, "no luck"),
  sees: async (_sys: Sys, input: Json) => (input as { results: Json }).results,
};

const role = (name: string, more: Partial<AgentRoleText> = {}): AgentRoleText => ({
  name,
  program: name,
  capabilities: ["tool:pay:call"],
  ...more,
});

export const goalRoles: AgentRoleText[] = [
  role("noop", { capabilities: [] }),
  role("mark"),
  role("fails"),
  role("sees", { capabilities: [] }),
  role("writer", {
    program: "noop",
    capabilities: ["file:{inputs.*}:read", "file:{output}:write"],
    parameters: { inputs: { type: "string_list" }, output: { type: "path", required: true } },
  }),
  role("fetcher", {
    program: "noop",
    capabilities: ["http:{url}/**:get"],
    parameters: { url: { type: "url", required: true } },
  }),
  role("payer", {
    program: "noop",
    capabilities: ["tool:{what}:call"],
    parameters: { what: { type: "string", required: true } },
  }),
];

export const goalManifest = (more: Partial<ManifestText> = {}): ManifestText => ({
  apiVersion: "aos/v1",
  kind: "Goal",
  name: "goal",
  roles: goalRoles,
  model: "planner/one",
  capabilities: [
    "agent:inline/*:spawn",
    "tool:pay:call",
    "model:planner/*:infer",
    "file:/work/**:read,write,list",
    "http:*.example.com/**:get",
  ],
  ...more,
});

/** Answers with these texts, one after another, and keeps what it was asked. */
export function plannerModel(answers: Json[]) {
  const asked: { text: string }[] = [];
  const driver: ModelDriver = {
    provider: "planner",
    egress: false,
    worstCase: () => ({ usd: 0.001, tokens: 10 }),
    infer: async ({ messages }) => {
      asked.push({ text: messages.map(({ content }) => content).join("\n") });
      const answer = answers.shift() ?? "I have no idea";
      return {
        text: typeof answer === "string" ? answer : JSON.stringify(answer),
        toolCalls: [],
        finish: "stop",
        usage: { inputTokens: 5, outputTokens: 5 },
        usd: 0.001,
      };
    },
  };
  return { driver, asked };
}

interface StepText {
  readonly id: string;
  readonly role?: string;
  readonly depends_on?: string[];
  readonly [field: string]: Json | undefined;
}

export const planOf = (steps: readonly StepText[], final = steps.at(-1)!.id): Json =>
  ({
    version: 1,
    subtasks: steps.map(({ role: name = "mark", ...step }) => ({
      role: name,
      params: {},
      ...step,
    })),
    final_output: final,
  }) as unknown as Json;

/** Ten, one after another. */
export const chain = (count: number, roleOf: (nth: number) => string = () => "mark"): Json =>
  planOf(
    Array.from({ length: count }, (_, at) => ({
      id: String(at + 1),
      role: roleOf(at + 1),
      depends_on: at === 0 ? [] : [String(at)],
    })),
  );
