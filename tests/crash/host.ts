// Host: a kernel on one SQLite file with the programs and tools of the crash tests; the same in the
// process that is killed and in the test that looks at what is left.

import { setTimeout as delay } from "node:timers/promises";
import { bootKernel, type Kernel, type KernelOptions } from "@aos/kernel";
import { join } from "node:path";
import { sandboxedPrograms } from "../helpers/sandbox.ts";
import {
  CAPABILITIES,
  child,
  fakeModel,
  note,
  parent,
  toolsWith,
  type OnDoubt,
} from "./mixed-run.ts";
import { tangled } from "./tangled-run.ts";
import { Witness } from "./witness.ts";

export interface Situation {
  readonly folder: string;
  readonly onDoubt: OnDoubt;
  readonly durability: "visible" | "every-call";
  /** `python` does the work of `parent` as a program in another process. */
  readonly program: "parent" | "python" | "tangled";
  readonly seed?: number;
  readonly unloadAfterMs: number;
}

export const witnessOf = ({ folder }: Pick<Situation, "folder">): Witness =>
  new Witness(join(folder, "witness"));

export async function bootHost(situation: Situation, more: KernelOptions = {}): Promise<Kernel> {
  const { folder, onDoubt, durability, unloadAfterMs } = situation;
  return bootKernel({
    store: { file: join(folder, "aos.db") },
    auditFolder: join(folder, "audit"),
    programs: { parent, child, tangled, note },
    foreign: sandboxedPrograms(),
    tools: toolsWith(witnessOf(situation), onDoubt),
    models: [fakeModel],
    durability,
    unloadAfterMs,
    ...more,
  });
}

const python = join(import.meta.dirname, "mixed_run.py");

/** Starts what is not yet there, answers what is asked, and waits for the end. */
export async function carryThrough(
  kernel: Kernel,
  situation: Situation,
  acknowledged: (what: "spawn" | "send", id: string) => void,
) {
  const known = (await kernel.list()).find((process) => process.parent === null);
  let pid = known?.pid;
  if (pid === undefined) {
    const input = { onDoubt: situation.onDoubt, seed: situation.seed ?? 0 };
    pid = await kernel.spawn(
      situation.program !== "python"
        ? { agent: situation.program, capabilities: CAPABILITIES, input }
        : {
            manifest: {
              apiVersion: "aos/v1",
              kind: "Agent",
              name: "python",
              command: ["python3", python, situation.folder],
              capabilities: CAPABILITIES,
            },
            input,
          },
    );
    acknowledged("spawn", pid);
  }
  const isOver = (await kernel.show(pid)).endedAt !== null;
  if (!isOver) {
    const said = await kernel.send(pid, "go on", { type: "order" }).catch(() => undefined);
    if (said !== undefined) acknowledged("send", said);
  }
  const answering = answerDoubts(kernel, situation);
  const ending = await kernel.wait(pid, { timeoutMs: 120_000 });
  answering.stop();
  return ending;
}

/** A person who looks at the witness before he says anything. */
function answerDoubts(kernel: Kernel, situation: Situation): { stop: () => void } {
  const stopping = new AbortController();
  const witness = witnessOf(situation);
  void (async () => {
    while (!stopping.signal.aborted) {
      for (const { id, kind, question } of await kernel.questions().catch(() => [])) {
        if (kind !== "doubt") continue;
        const what = /"what":"(\w+)"/.exec(question)![1]!;
        const choice = witness.whats.includes(what) ? "done" : "retry";
        await kernel.answer(id, { by: "the test", choice }).catch(() => {});
      }
      await delay(10);
    }
  })();
  return { stop: () => stopping.abort() };
}
