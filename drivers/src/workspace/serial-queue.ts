// SerialQueue: runs tasks one after another, by name.

export class SerialQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work once all that was asked for before under this name has ended. */
  take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(name, mine);
    const leave = () => {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    };
    mine.then(leave, leave);
    return mine;
  }
}
