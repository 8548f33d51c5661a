// StartQueue: spreads the starts of new programs. Of many concurrent spawns only a few start in each turn of the
// event loop, so that spawns are accepted meanwhile.
//
// START-QUEUE-1  Programs start in order of arrival; a single one starts at once.
// START-QUEUE-2  A failed start does not affect the others.

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
