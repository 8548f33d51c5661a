// ReadyQueue: who is told something next. Each process that is ready gets one turn in each turn of
// the event loop, so that it has done all that the last thing led to before it is told the next one:
// the order of its calls is then the same whenever it is replayed.

import type { Process } from "../process/process.ts";

export class ReadyQueue {
  readonly #turn: (process: Process) => void;
  #ready = new Set<Process>();
  #scheduled = false;

  constructor(turn: (process: Process) => void) {
    this.#turn = turn;
  }

  enqueue(process: Process): void {
    this.#ready.add(process);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(this.#run);
  }

  readonly #run = (): void => {
    this.#scheduled = false;
    const ready = this.#ready;
    this.#ready = new Set();
    for (const process of ready) this.#turn(process);
  };
}
