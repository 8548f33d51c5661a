// Agents of the storm: every kind of agent that there is, as files of a folder. Each makes outside effects, one
// line in a file that only grows, and each line is expected exactly once.
//
// STORM-AGENTS-1  A line names its agent and its step, so that a lost and a doubled effect can be told.

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface StormAgent {
  readonly name: string;
  /** The folder of its manifest. */
  readonly folder: string;
  readonly flags: readonly string[];
  /** The lines that it leaves outside. */
  readonly lines: readonly string[];
  /** It lives on and is invoked. */
  readonly isPersistent: boolean;
}

interface Kind {
  readonly count: number;
  readonly steps: number;
  readonly write: (agent: { name: string; folder: string; steps: number; witness: string }) => void;
  readonly flags?: readonly string[];
  readonly isPersistent?: true;
}

const PYTHON_CLIENT = fileURLToPath(new URL("../../sdk/python/aos.py", import.meta.url));

const kinds: Readonly<Record<string, Kind>> = {
  python: { count: 8, steps: 40, write: python },
  javascript: { count: 8, steps: 40, write: javascript },
  model: { count: 12, steps: 20, write: model },
  sandboxed: { count: 6, steps: 6, write: sandboxed },
  asking: { count: 6, steps: 4, write: model, flags: ["--label", "untrusted/public"] },
  persistent: { count: 4, steps: 12, write: persistent, isPersistent: true },
  sleeping: { count: 6, steps: 5, write: sleeping },
};

/** Writes all agents below a folder; a `share` of each kind, at least one. */
export function writeAgents(folder: string, witness: string, share = 1): StormAgent[] {
  return Object.entries(kinds).flatMap(([kind, { count, steps, write, flags, isPersistent }]) =>
    Array.from({ length: Math.max(1, Math.round(count * share)) }, (_, at): StormAgent => {
      const name = `${kind}-${at}`;
      const agent = { name, folder: join(folder, name), steps, witness };
      mkdirSync(agent.folder, { recursive: true });
      write(agent);
      return {
        name,
        folder: agent.folder,
        flags: flags ?? [],
        lines: Array.from({ length: steps }, (_, step) => lineOf(name, step)),
        isPersistent: isPersistent === true,
      };
    }),
  );
}

export const lineOf = (name: string, step: number): string => `${name}/${step}`;

const grants = (witness: string): string[] => [
  "tool:file.append:call",
  `file:${witness}:write`,
  "memory:/mem/working/**:read,write,list",
];

const manifest = (name: string, lines: readonly string[], capabilities: readonly string[]) =>
  [
    "apiVersion: aos/v1",
    "kind: Agent",
    `name: ${name}`,
    ...lines,
    "restart: { on: [crash], max: 1000, within: 1m }",
    "capabilities:",
    ...capabilities.map((capability) => `  - ${capability}`),
    "",
  ].join("\n");

interface Written {
  readonly name: string;
  readonly folder: string;
  readonly steps: number;
  readonly witness: string;
}

function python({ name, folder, steps, witness }: Written): void {
  copyFileSync(PYTHON_CLIENT, join(folder, "aos.py"));
  writeFileSync(
    join(folder, "agent.py"),
    `import aos

def main(sys, input, state=None):
    for step in range((state or {}).get("step", 0), ${steps}):
        sys.exec("file.append", {"path": ${JSON.stringify(witness)}, "line": f"${name}/{step}"})
        sys.write(f"/mem/working/steps/{step}", {"step": step})
        if step % 10 == 9:
            sys.checkpoint({"step": step + 1})
        sys.sleep(sys.now() + 1000 + 2000 * sys.random())
    return len(sys.list("/mem/working/steps"))

aos.run(main)
`,
  );
  writeFileSync(
    join(folder, "agent.yaml"),
    manifest(name, ["command: [python3, agent.py]"], grants(witness)),
  );
}

/** The protocol by hand: what a client library does not do for it. */
function javascript({ name, folder, steps, witness }: Written): void {
  writeFileSync(
    join(folder, "agent.mjs"),
    `import { createInterface } from "node:readline";
const waiting = new Map();
let last = 0;
const call = (method, params = {}) =>
  new Promise((resolve, reject) => {
    const id = ++last;
    waiting.set(id, { resolve, reject });
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\\n");
  });
async function main() {
  for (let step = 0; step < ${steps}; step++) {
    const line = "${name}/" + step;
    await Promise.all([
      call("exec", { tool: "file.append", args: { path: ${JSON.stringify(witness)}, line } }),
      call("write", { path: "/mem/working/last", data: { step } }),
    ]);
    await call("sleep", { until: (await call("now")) + 500 + 2500 * (await call("random")) });
  }
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "exit", params: { code: 0, output: ${steps} } }) + "\\n");
}
for await (const text of createInterface(process.stdin)) {
  const message = JSON.parse(text);
  if (message.method === "start") void main();
  else if (message.id !== undefined) {
    const { resolve, reject } = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error === undefined) resolve(message.result);
    else reject(new Error(message.error.message));
  }
}
`,
  );
  writeFileSync(
    join(folder, "agent.yaml"),
    manifest(name, ["command: [node, agent.mjs]"], grants(witness)),
  );
}

const appendTurn = (witness: string, line: string): string[] => [
  "    delayMs: 700",
  "    call:",
  `      - { tool: file.append, args: { path: ${JSON.stringify(witness)}, line: ${JSON.stringify(line)} } }`,
];

function writeScript(folder: string, name: string, turns: readonly (readonly string[])[]): void {
  const lines = ["turns:", ...turns.flat(), "  - say: Done.", ""];
  writeFileSync(join(folder, `${name}.yaml`), lines.join("\n"));
}

/** The LLM loop, on a script with one call a turn. */
function model({ name, folder, steps, witness }: Written): void {
  const turns = Array.from({ length: steps }, (_, step) => [
    `  - say: Step ${step}.`,
    ...appendTurn(witness, lineOf(name, step)),
  ]);
  writeScript(folder, name, turns);
  writeFileSync(
    join(folder, "agent.yaml"),
    manifest(
      name,
      [`model: scripted/${name}`, "tools: [file.append]", "limits: { maxSteps: 60 }"],
      [`model:scripted/${name}:infer`, ...grants(witness)],
    ),
  );
}

/** Programs in the sandbox between the effects. */
function sandboxed({ name, folder, steps, witness }: Written): void {
  const turns = Array.from({ length: steps }, (_, step) => [
    `  - say: Work ${step}.`,
    "    delayMs: 400",
    "    call:",
    `      - { tool: shell.execute, args: { command: [sh, -c, "echo ${step} > /work/${step}; sleep 1; cat /work/${step}"] } }`,
    `  - say: Step ${step}.`,
    ...appendTurn(witness, lineOf(name, step)),
  ]);
  writeScript(folder, name, turns);
  writeFileSync(
    join(folder, "agent.yaml"),
    manifest(
      name,
      [`model: scripted/${name}`, "tools: [file.append, shell.execute]"],
      [
        `model:scripted/${name}:infer`,
        "tool:shell.execute:call",
        "shell:sh:exec",
        "file:/work/**:read,write",
        ...grants(witness),
      ],
    ),
  );
}

/** Answers each message with one effect whose line is the message. */
function persistent({ name, folder, witness }: Written): void {
  writeFileSync(
    join(folder, `${name}.yaml`),
    [
      "turns:",
      "  - when: { last: user }",
      "    say: I write it down.",
      "    call:",
      `      - { tool: file.append, args: { path: ${JSON.stringify(witness)}, line: "{{last}}" } }`,
      "  - when: { tool: file.append }",
      "    say: Written.",
      "",
    ].join("\n"),
  );
  writeFileSync(
    join(folder, "agent.yaml"),
    manifest(
      name,
      [`model: scripted/${name}`, "tools: [file.append]", "persistent: true"],
      [`model:scripted/${name}:infer`, ...grants(witness)],
    ),
  );
}

/** Long enough asleep to be unloaded. */
function sleeping({ name, folder, steps, witness }: Written): void {
  copyFileSync(PYTHON_CLIENT, join(folder, "aos.py"));
  writeFileSync(
    join(folder, "agent.py"),
    `import aos

def main(sys, input, state=None):
    for step in range(${steps}):
        sys.sleep(sys.now() + 15000)
        sys.exec("file.append", {"path": ${JSON.stringify(witness)}, "line": f"${name}/{step}"})
    return ${steps}

aos.run(main)
`,
  );
  writeFileSync(
    join(folder, "agent.yaml"),
    manifest(name, ["command: [python3, agent.py]"], grants(witness)),
  );
}
