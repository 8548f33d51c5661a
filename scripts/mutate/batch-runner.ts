// BatchRunner: runs one test file again and again in one process, each time with another mutant on. Vitest
// is given the file as many times as this may take.
//
// MUTATION-BATCH-1  Every run loads the sources anew, with its mutant on.
// MUTATION-BATCH-2  A red run counts once a later run without a mutant was green. If that is red, the process is
//     spoiled and nothing more is learned from it; only a mutant that ran right before is known to have done it.

import { appendFileSync, writeFileSync } from "node:fs";
import { inject, TestRunner, vi } from "vitest";

export interface Batch {
  readonly keys: readonly string[];
  /** A line for each run that began and for each that ended. */
  readonly progressFile: string;
  readonly pidFile: string;
  /** So many red runs are checked by one without a mutant. */
  readonly checkEvery: number;
}

interface State {
  readonly waiting: string[];
  /** "" for none, undefined when all is done. */
  current: string | undefined;
  /** Mutants with a red run that has not been checked. */
  reds: string[];
  isChecked: boolean;
  hasFailed: boolean;
}

type Importing = Parameters<TestRunner["importFile"]>;
type Test = Parameters<TestRunner["onBeforeRunTask"]>[0];
type Files = Parameters<TestRunner["onAfterRunFiles"]>[0];

const shared = globalThis as unknown as {
  $batch?: State;
  $mutant: (key: string) => boolean;
};

export default class BatchRunner extends TestRunner {
  readonly #batch = inject("batch" as never) as Batch;

  override importFile(...[path, source]: Importing): unknown {
    if (source === "collect" && this.#next() === undefined) return undefined;
    return super.importFile(path, source);
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    if (shared.$batch!.hasFailed) test.mode = "skip";
    await super.onBeforeRunTask(test);
  }

  override onAfterRunTask(test: Test): void {
    if (test.result?.state === "fail") shared.$batch!.hasFailed = true;
    super.onAfterRunTask(test);
  }

  override onAfterRunFiles(files: Files): void {
    const state = shared.$batch!;
    if (state.current !== undefined)
      this.#over(
        state,
        state.current,
        files!.every(({ result }) => result?.state === "pass"),
      );
    super.onAfterRunFiles(files);
  }

  #next(): string | undefined {
    const state = (shared.$batch ??= this.#start());
    vi.resetModules();
    state.hasFailed = false;
    const isEnd = state.waiting.length === 0 && state.reds.length > 0;
    const isCheck = !state.isChecked || isEnd || state.reds.length >= this.#batch.checkEvery;
    state.current = isCheck ? "" : state.waiting.shift();
    if (state.current !== undefined && !isCheck) this.#tell("begin", state.current);
    return state.current;
  }

  #start(): State {
    writeFileSync(this.#batch.pidFile, String(process.pid));
    shared.$mutant = (key) => key === shared.$batch?.current;
    const waiting = [...this.#batch.keys];
    return { waiting, current: "", reds: [], isChecked: false, hasFailed: false };
  }

  #over(state: State, key: string, isGreen: boolean): void {
    if (key !== "" && isGreen) this.#tell("green", key);
    if (key !== "" && !isGreen) state.reds.push(key);
    if (key !== "") return;
    if (isGreen || this.#batch.checkEvery === 1)
      for (const red of state.reds) this.#tell("red", red);
    if (!isGreen) state.waiting.length = 0; // MUTATION-BATCH-2
    state.reds = [];
    state.isChecked = true;
  }

  #tell(what: string, key: string): void {
    appendFileSync(this.#batch.progressFile, `${what} ${key}\n`);
  }
}
