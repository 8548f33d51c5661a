// ReadyQueue: delivers items to programs. Each ready process gets one item per turn of the event loop, so that it has
// finished everything that the last item led to: the order of its calls is then the same in a replay.

import type { Process } from "../process/process.ts";

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
