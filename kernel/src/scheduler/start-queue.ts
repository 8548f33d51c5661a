// StartQueue: spreads the starts of new programs. Of many concurrent spawns only a few start in each turn of the
// event loop, so that spawns are accepted meanwhile.
//
// START-QUEUE-1  Programs start in order of arrival; a single one starts at once.
// START-QUEUE-2  A failed start does not affect the others.
//
// ReadyQueue: delivers items to programs. Each ready process gets one item per turn of the event loop, so that it has
// finished everything that the last item led to: the order of its calls is then the same in a replay.

import type { Process } from "../process/process.ts";

/** So many in one turn of the event loop. */
const A_TURN = 4;

export class StartQueue {
  readonly #trouble: (what: string, error: unknown) => void;
  readonly #waiting: (() => void)[] = [];
  #startedNow = 0;
  #isScheduled = false;

  constructor(trouble: (what: string, error: unknown) => void) {
    this.#trouble = trouble;
  }

  enter(start: () => void): void {
    this.#schedule();
    if (this.#waiting.length > 0 || this.#startedNow === A_TURN) {
      this.#waiting.push(start);
      return;
    }
    this.#startedNow += 1;
    start();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#isScheduled = false;
    const now = this.#waiting.splice(0, A_TURN);
    this.#startedNow = now.length;
    if (now.length > 0) this.#schedule();
    for (const start of now)
      try {
        start();
      } catch (error) {
        this.#trouble("a program could not be started", error); // START-QUEUE-2
      }
  };
}

/** So many have their turn together. What they append is on its way to the disk while the next have theirs. */
const AT_ONCE = 64;

export class ReadyQueue {
  readonly #turn: (process: Process) => void;
  /** In the order in which they became ready; each is in it once (`isReady`). */
  #ready: Process[] = [];
  #scheduled = false;

  constructor(turn: (process: Process) => void) {
    this.#turn = turn;
  }

  enqueue(process: Process): void {
    if (process.isReady) return;
    process.isReady = true;
    this.#ready.push(process);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#run);
  }

  readonly #run = (): void => {
    const now = this.#ready;
    this.#ready = now.length > AT_ONCE ? now.splice(AT_ONCE) : [];
    for (const process of now) process.isReady = false;
    for (const process of now) this.#turn(process);
    this.#scheduled = this.#ready.length > 0;
    if (this.#scheduled) setImmediate(this.#run);
  };
}
