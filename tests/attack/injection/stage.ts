// Stage: one scenario's kernel, with its outside, its agents and its person.

import { createKernel, type Kernel } from "@aos/daemon";
import type { Json, JournalRecord, ProcessId, Program } from "@aos/protocol";
import { canonicalText } from "@aos/protocol";
import { sleepMs } from "../../helpers/kernel.ts";
import { obedientAgent } from "./obedient-agent.ts";
import { type Call, obedientModel } from "./obedient-model.ts";
import { Outside } from "./outside.ts";

const AGENTS: ReadonlySet<string> = new Set(["reader", "helper", "payer"]);
const THINK = "model:*:infer";

/** What stands between the agents and the outside: all that ships, or nothing at all. */
export type Guard = "default" | "none";

const NOTHING_ASKED = [
  {
    layer: "kernel",
    origin: "the test",
    format: "policy" as const,
    document: { version: 1, rules: [{ id: "anything", allow: "*" }] },
  },
];

const recall: Program = async (sys, path) => {
  try {
    return await sys.read(path as string);
  } catch {
    return null;
  }
};

const remember: Program = async (sys, paths) => {
  for (const path of paths as string[]) await sys.write(path, "as it was");
};

/** Passes the mail on, word for word: into memory, as a name in memory, or to another process. */
const relay: Program = async (sys, input) => {
  const { path, data, to } = input as { path?: string; data?: string; to?: string };
  const mail = (await sys.exec("mail.read", {})) as string;
  const filled = (text: string) => text.replace("$mail", mail);
  if (to !== undefined) await sys.send(to, mail);
  if (path !== undefined) await sys.write(filled(path), filled(data ?? ""));
};

const manifestOf = (name: string) => ({
  apiVersion: "aos/v1" as const,
  kind: "Agent" as const,
  name,
  program: "obedient",
  model: "obedient/model",
});

export class Stage {
  readonly kernel: Kernel;
  readonly outside: Outside;
  clerk: ProcessId | undefined;
  /** To how many questions the person said yes. */
  approved = 0;
  readonly #guard: Guard;
  #isOver = false;
  #person: Promise<void> | undefined;

  private constructor(kernel: Kernel, outside: Outside, guard: Guard) {
    this.kernel = kernel;
    this.outside = outside;
    this.#guard = guard;
  }

  static async open(guard: Guard): Promise<Stage> {
    const outside = new Outside();
    const kernel = await createKernel({
      store: "memory",
      programs: { obedient: obedientAgent, recall, remember, relay },
      tools: outside.tools(),
      models: [obedientModel],
      agents: (name) =>
        AGENTS.has(name)
          ? {
              manifest: {
                ...manifestOf(name),
                capabilities: ["tool:*:call", "memory:/**:*", THINK],
              },
            }
          : undefined,
      ...(guard === "none" ? { policy: NOTHING_ASKED } : {}),
    });
    return new Stage(kernel, outside, guard);
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#person;
    await this.kernel.close();
    this.outside.clear();
  }

  /** Says yes to what the user wants, and no to all else. Without a guard they say yes to everything. */
  employ(wanted: readonly Call[]): void {
    this.#person = this.#answer(wanted.flatMap(wordings));
  }

  async #answer(wanted: readonly string[]): Promise<void> {
    while (!this.#isOver) {
      for (const { id, kind, about } of await this.kernel.questions()) {
        const { call, args, cover, rule } = about!;
        const asked = kind === "proposal" ? `ask ${canonicalText([...cover])}` : `${call} ${args}`;
        const isWanted = this.#guard === "none" || wanted.includes(asked);
        if (isWanted) this.approved += 1;
        const answer = { by: "ann", choice: isWanted ? "approve" : "deny" };
        await this.kernel.answer(id, { ...answer, text: rule ?? "a proposal" });
      }
      await sleepMs(2);
    }
  }

  start(name: string, input: Json, powers: readonly string[]): Promise<ProcessId> {
    const capabilities = [...new Set([...powers, THINK])];
    return this.kernel.spawn({ manifest: { ...manifestOf(name), capabilities }, input });
  }

  /** Somebody who has read the mail, and passes it on. */
  async relay(input: Json): Promise<void> {
    const capabilities = ["tool:mail.read:call", "memory:/mem/**:*", "message:*:send"];
    const pid = await this.kernel.spawn({ agent: "relay", input, capabilities });
    const { state, error } = await this.kernel.wait(pid);
    if (state !== "completed") throw new Error(`relay ended ${state}: ${error?.message ?? ""}`);
  }

  /** Rows that somebody wrote who had read nothing. */
  async remember(...paths: string[]): Promise<void> {
    const capabilities = ["memory:/mem/**:*"];
    await this.kernel.wait(
      await this.kernel.spawn({ agent: "remember", input: paths, capabilities }),
    );
  }

  async recall(path: string): Promise<Json | undefined> {
    const capabilities = ["memory:/mem/**:*"];
    const pid = await this.kernel.spawn({ agent: "recall", input: path, capabilities });
    return (await this.kernel.wait(pid)).output ?? undefined;
  }

  /** A process that waits for a message, and has read nothing yet. */
  async hireClerk(powers: readonly string[]): Promise<void> {
    this.clerk = await this.start("clerk", { plan: [{ tool: "sys.receive", args: {} }] }, powers);
  }

  async clerkSaid(): Promise<string> {
    return JSON.stringify((await this.kernel.wait(this.clerk!)).output);
  }

  async records(): Promise<{ pid: string; record: JournalRecord }[]> {
    const all = await this.kernel.list({ limit: 1000 });
    const journals = all.map(async ({ pid }) =>
      (await this.kernel.journal(pid)).map((record) => ({ pid, record })),
    );
    return (await Promise.all(journals)).flat();
  }
}

/** A call as a question spells it, with those that it hands to a child. */
function wordings({ tool, args }: Call): string[] {
  const { input, propose } = args as { input?: { plan?: Call[] }; propose?: string[] };
  if (propose !== undefined) return [`ask ${canonicalText(propose)}`];
  // The agent has long results cut; other programs take them whole.
  const own = tool.startsWith("sys.")
    ? [`${tool.slice(4)} ${canonicalText(args)}`]
    : [
        { tool, args },
        { tool, args, cutAt: 32_000 },
      ].map((one) => `exec ${canonicalText(one)}`);
  return [...own, ...(input?.plan ?? []).flatMap(wordings)];
}
