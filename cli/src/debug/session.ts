// Session: an interactive `aos debug`. It connects the stepper (keys) and the picture (lines) with the daemon.

import type { Client } from "@aos/client";
import { SysError, type JournalRecord } from "@aos/protocol/words";
import { stringify } from "yaml";
import { printable } from "../printable.ts";
import { formatContext } from "../format-context.ts";
import { openScreen, type Screen } from "../top/screen.ts";
import { editResult, resultIn } from "./edit-result.ts";
import { renderStepper } from "./picture.ts";
import {
  firstStep,
  grown,
  pressInStepper,
  type StepperAction,
  type BranchAction,
  type Stepper,
} from "./stepper.ts";
import { whyText } from "./why-text.ts";

const PAGE = 1000;
const LOOK_AGAIN_MS = 1000;

export async function stepThrough(client: Client, pid: string): Promise<void> {
  const session = new Session(client, await load(client, pid));
  await session.run();
}

async function load(client: Client, pid: string): Promise<Stepper> {
  const process = await client.show({ pid });
  return firstStep(process, await recordsAfter(client, process.pid, undefined));
}

async function recordsAfter(
  client: Client,
  pid: string,
  after: number | undefined,
): Promise<JournalRecord[]> {
  const records: JournalRecord[] = [];
  for (let last = after; ; last = records.at(-1)!.seq) {
    const from = last === undefined ? { pid } : { pid, after: last };
    const page = await client.journal({ ...from, limit: PAGE });
    records.push(...page);
    if (page.length < PAGE) return records;
  }
}

class Session {
  readonly #client: Client;
  readonly #left = Promise.withResolvers<void>();
  #step: Stepper;
  #screen: Screen | undefined;
  /** Of several looks only what the last one saw is shown. */
  #looks = 0;

  constructor(client: Client, step: Stepper) {
    this.#client = client;
    this.#step = step;
  }

  async run(): Promise<void> {
    this.#open();
    this.#try(this.#look());
    const timer = setInterval(() => this.#try(this.#follow()), LOOK_AGAIN_MS);
    try {
      await this.#left.promise;
    } finally {
      clearInterval(timer);
      this.#screen?.close();
    }
  }

  #open(): void {
    this.#screen = openScreen({ resize: () => this.#draw(), key: (key) => this.#press(key) });
    this.#draw();
  }

  #draw(): void {
    if (this.#screen !== undefined) this.#screen.draw(renderStepper(this.#step, this.#screen.size));
  }

  #see(more: Partial<Stepper>): void {
    this.#step = { ...this.#step, ...more };
    this.#draw();
  }

  #press(key: string): void {
    const { step, act } = pressInStepper(this.#step, key);
    this.#see(step);
    if (act?.do === "quit") this.#left.resolve();
    else if (act !== undefined) this.#try(this.#perform(act));
  }

  /** What goes wrong is said below; a mistake of ours ends it. */
  #try(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (error instanceof SysError) this.#see({ word: error.message });
      else this.#left.reject(error);
    });
  }

  async #perform(act: StepperAction): Promise<void> {
    if (act.do === "look") return this.#look();
    if (act.do === "edit") return this.#edit();
    if (act.do === "begin") return this.#begin(act.what);
    const { records, identical, difference } = await this.#client.replay({
      pid: this.#step.process.pid,
    });
    const where = difference === null ? "" : ` from record ${difference.seq} on`;
    this.#see({
      word: identical ? `replayed: ${records} records, identical` : `not identical${where}`,
    });
  }

  async #look(): Promise<void> {
    const look = ++this.#looks;
    const { process, at, pane } = this.#step;
    const [moment, text] = await Promise.all([
      this.#client.moment({ pid: process.pid, seq: at }),
      this.#textOf(pane, process.pid, at),
    ]);
    if (look === this.#looks) this.#see({ moment, text });
  }

  async #textOf(pane: Stepper["pane"], pid: string, at: number): Promise<string> {
    if (pane === "context") return formatContext(await this.#client.context({ pid, at }));
    if (pane === "why") return whyText(await this.#client.causes({ pid, seq: at }));
    if (pane === "record") return "";
    try {
      return printable(stringify(await this.#client.coreDump({ pid })));
    } catch (error) {
      if (error instanceof SysError && error.code === "ENOENT") return error.message;
      throw error;
    }
  }

  /** What it has done since. */
  async #follow(): Promise<void> {
    const { process, records } = this.#step;
    if (process.exitCode !== null) return;
    const more = await recordsAfter(this.#client, process.pid, records.at(-1)?.seq);
    const now = await this.#client.show({ pid: process.pid });
    // Somebody may be elsewhere by now, or another look was quicker.
    if (this.#step.records !== records) return;
    this.#step = grown(this.#step, now, more);
    this.#draw();
  }

  async #edit(): Promise<void> {
    const { moment } = this.#step;
    const before = moment === undefined ? undefined : resultIn(moment.record);
    const n = moment?.call?.n;
    if (before === undefined || n === undefined)
      return this.#see({ word: "this record has no result of a call" });
    this.#screen?.close();
    this.#screen = undefined;
    const edited = editResult(before, process.env);
    this.#open();
    if ("problem" in edited) return this.#see({ word: edited.problem });
    this.#see({ asking: { do: "continue", n, result: edited.result } });
  }

  async #begin(what: BranchAction): Promise<void> {
    const { pid } = this.#step.process;
    const fork =
      what.do === "fork"
        ? await this.#client.fork({ pid, at: what.at })
        : await this.#client.retry({ pid, from: what.n, result: what.result });
    const begun = await load(this.#client, fork.pid);
    const at = begun.records.findLastIndex(({ kind }) => kind === "fork");
    const word = `now debugging the fork ${fork.pid}; ${pid} is unchanged`;
    this.#step = { ...begun, at: Math.max(0, at), word };
    await this.#look();
  }
}
