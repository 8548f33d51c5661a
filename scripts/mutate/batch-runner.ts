// BatchRunner: runs one test file again and again in one process, each time with another mutant on. Vitest
// is given the file as many times as this may take.
//
// MUTATION-BATCH-1  The sources are loaded without a mutant: what a mutant changes while a file is loaded looks green
//     here, and has to be tried in a process of its own (trial.ts).
// MUTATION-BATCH-2  After a red run the file runs without a mutant. If that is red too, the process is spoiled and
//     nothing more is learned from it: only the first mutant of a process is known to have done it itself.

import { appendFileSync, writeFileSync } from "node:fs";
import { inject, TestRunner } from "vitest";

export interface Batch {
  readonly keys: readonly string[];
  /** A line for each run that began and for each that ended. */
  readonly progressFile: string;
  readonly pidFile: string;
}

interface State {
  readonly waiting: string[];
  /** "" for none, undefined when all is done. */
  current: string | undefined;
  /** The mutant whose red run is to be checked. */
  suspect: string | undefined;
  reds: number;
  greens: number;
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
    state.hasFailed = false;
    if (state.greens + state.reds === 0 || state.suspect !== undefined) state.current = "";
    else state.current = state.waiting.shift();
    if (state.current !== undefined && state.current !== "") this.#tell("begin", state.current);
    return state.current;
  }

  #start(): State {
    writeFileSync(this.#batch.pidFile, String(process.pid));
    shared.$mutant = (key) => key === shared.$batch?.current;
    const waiting = [...this.#batch.keys];
    return { waiting, current: "", suspect: undefined, reds: 0, greens: 0, hasFailed: false };
  }

  #over(state: State, key: string, isGreen: boolean): void {
    if (isGreen) state.greens += 1;
    else state.reds += 1;
    if (key !== "" && isGreen) this.#tell("green", key);
    if (key !== "" && !isGreen) state.suspect = key;
    if (key !== "") return;
    const { suspect } = state;
    state.suspect = undefined;
    const isFirst = state.reds + state.greens === 3; // once without, with it, once without
    if (suspect !== undefined && (isGreen || isFirst)) this.#tell("red", suspect);
    if (!isGreen) state.waiting.length = 0; // MUTATION-BATCH-2
  }

  #tell(what: string, key: string): void {
    appendFileSync(this.#batch.progressFile, `${what} ${key}\n`);
  }
}
