// Demo: the agent of examples/demo, started once in a home.
//
//   const pid = (await findDemo(client, home)) ?? (await seedDemo(client, home))
//   const standing = await follow(client, pid, tell)     until it waits for a person, or has ended
//
// DEMO-1  What it changes is a copy of examples/demo/desk, in the home: never the checkout.
// DEMO-2  A home that has run it is not given another by itself.

import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Client } from "@aos/client";
import type { JournalRecord, ProcessDetail, Question } from "@aos/protocol";

const FOLDER = fileURLToPath(new URL("../../examples/demo", import.meta.url));
const POLL_MS = 100;

export interface Standing {
  readonly process: ProcessDetail;
  /** What it waits for a person with. */
  readonly question: Question | undefined;
  readonly records: readonly JournalRecord[];
}

/** DEMO-2: the one that was started last, and is still kept. */
export async function findDemo(client: Client, home: string): Promise<string | undefined> {
  try {
    const pid = readFileSync(join(home, "demo", "pid"), "utf8").trim();
    return (await client.show({ pid })).pid;
  } catch (error) {
    // No such file, or no such process: both say so with the same code.
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
}

export async function seedDemo(client: Client, home: string): Promise<string> {
  const demos = join(home, "demo");
  mkdirSync(demos, { recursive: true, mode: 0o700 });
  // DEMO-1, and a desk for each: one that still waits keeps its own.
  const desk = join(demos, `desk-${readdirSync(demos).length + 1}`);
  cpSync(join(FOLDER, "desk"), desk, { recursive: true });
  const file = join(FOLDER, "agent.yaml");
  const { pid } = await client.spawn({
    manifest: { text: readFileSync(file, "utf8"), file },
    folder: FOLDER,
    cwd: FOLDER,
    input: "Add up the bills, read the post, and pay the first bill.",
    workspace: { folder: desk, isCow: false },
  });
  writeFileSync(join(demos, "pid"), `${pid}\n`);
  return pid;
}

/** Tells each record as it is written, until nothing more happens without a person. */
export async function follow(
  client: Client,
  pid: string,
  tell: (record: JournalRecord) => void,
): Promise<Standing> {
  const records: JournalRecord[] = [];
  for (;;) {
    // How it stands is looked at first: what was written up to then is told with it.
    const process = await client.show({ pid });
    const question = (await client.questions()).find(({ pids }) => pids.includes(process.pid));
    const after = records.at(-1)?.seq;
    for (const record of await client.journal({ pid, ...(after !== undefined && { after }) })) {
      records.push(record);
      tell(record);
    }
    if (question !== undefined || process.endedAt !== null) return { process, question, records };
    await sleep(POLL_MS);
  }
}
