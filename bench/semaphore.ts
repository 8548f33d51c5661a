// A plain semaphore: so many at once, the others in the order in which they came. It is what people put
// around calls of a model when their framework has nothing: a place is held until the call returns,
// whatever happens inside.

export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  #next = 0;

  constructor(places: number) {
    this.#free = places;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting[this.#next];
      if (next === undefined) this.#free += 1;
      else {
        this.#next += 1;
        next();
      }
    }
  }
}
