// A home in which a person is named everywhere: in memory, records, large values, states, results, messages.

import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import type { Program } from "@aos/protocol";

export const WHO = "Alice Quillmore";
export const ABOUT_HER = "Alice  QUILLMORE lives at Harbour Street 12";

const GRANTS = ["memory:/mem/**:*", "model:*:infer", "message:*:send"];

/** What it is given is in each place that a run can leave it. */
const worker: Program = async (sys, input) => {
  const { words } = input as { words: string };
  await sys.write("/mem/semantic/facts/alice-quillmore/1", {
    kind: "fact",
    text: `Her address: ${words}.`,
    source: "agent",
    confidence: 1,
  });
  await sys.write("/mem/episodic/tasks/a", {
    kind: "episode",
    goal: `write to ${words}`,
    action: "wrote",
    result: "done",
    outcome: "good",
  });
  await sys.write("/mem/working/note", { nested: JSON.stringify({ at: `\n${words}` }) });
  await sys.search("/mem/semantic", words);
  await sys.infer({ model: "fake/1", messages: [{ role: "user", content: `hello ${words}` }] });
  await sys.checkpoint({ known: `${words} `.repeat(300), rest: "z".repeat(9000) });
  return { large: `${words} `.repeat(200), small: words };
};

const bystander: Program = async (sys) => {
  await sys.write("/mem/shared/team/port", "the gateway listens on port 9443");
  await sys.now();
  return "Alicequillmore is another word";
};

/** Small answers, and one who fails by her name. */
const brief: Program = async (_sys, input) => {
  if ((input as { fails?: true }).fails === true) throw new Error(`no door for ${WHO}`);
  return `told ${WHO}`;
};

/** Writes what it is given, and searches. */
const keeper: Program = async (sys, input) => {
  for (const [path, text] of Object.entries(input as { [path: string]: string }))
    await sys.write(path, text);
  const found = await sys.search("/mem/semantic", "about tea cake harbour");
  return found.map(({ path }) => path).toSorted();
};

/** Waits with what it was told. */
const waiting: Program = async (sys) => {
  const { body } = await sys.receive();
  await sys.receive();
  return body;
};

export const forgettingOptions = (folder: string, store?: { url: string }): KernelOptions => ({
  store: store ?? { file: join(folder, "aos.db") },
  auditFolder: join(folder, "audit"),
  keyFile: join(folder, "audit.key"),
  programs: { worker, bystander, brief, waiting, keeper },
  models: [
    {
      provider: "fake",
      egress: false,
      worstCase: () => ({ usd: 0.1, tokens: 10 }),
      infer: async ({ messages }) => ({
        text: `I know ${messages.at(-1)!.content}`,
        toolCalls: [],
        finish: "stop",
        usage: { inputTokens: 2, outputTokens: 3 },
        usd: 0.02,
      }),
    },
  ],
});

export interface NamedIn {
  readonly worker: string;
  readonly bystander: string;
  readonly fork: string;
  readonly brief: string;
  readonly failed: string;
}

export const newHome = () => mkdtempSync(join(tmpdir(), "aos-forget-"));

export async function run(kernel: Kernel, agent: string, input: object = {}, tenant?: string) {
  const pid = await kernel.spawn({
    agent,
    input: input as never,
    capabilities: GRANTS,
    ...(tenant === undefined ? {} : { tenant }),
  });
  await kernel.wait(pid);
  return pid as string;
}

/** Two runs that name her, one that does not, and a fork of the first. */
export async function fillHome(kernel: Kernel): Promise<NamedIn> {
  const pids = {
    worker: await run(kernel, "worker", { words: ABOUT_HER }),
    bystander: await run(kernel, "bystander"),
    brief: await run(kernel, "brief"),
    failed: await run(kernel, "brief", { fails: true }),
  };
  const fork = await kernel.fork(pids.worker, { at: 2 });
  await kernel.wait(fork);
  return { ...pids, fork };
}

export const open = (folder: string, store?: { url: string }): Promise<Kernel> =>
  bootKernel(forgettingOptions(folder, store));

/** The files below a folder that have a text. */
export function filesWith(folder: string, text: RegExp): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => text.test(readFileSync(file, "latin1")));
}
