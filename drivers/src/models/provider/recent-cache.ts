// RecentCache: a cache of the most recently used names.
//
//   const cards = new RecentCache(64, (name) => draw(name));
//   cards.of("a");
//
// RECENT-CACHE-1  Its size is limited, because names come from outside. The least recently used entry goes first.

export class RecentCache<Made> {
  readonly #made = new Map<string, Made>();
  readonly #most: number;
  readonly #make: (name: string) => Made;

  constructor(most: number, make: (name: string) => Made) {
    this.#most = most;
    this.#make = make;
  }

  of(name: string): Made {
    const known = this.#made.get(name);
    const made = known ?? this.#make(name);
    if (known !== undefined) this.#made.delete(name);
    this.#made.set(name, made);
    for (const oldest of this.#made.keys()) {
      if (this.#made.size <= this.#most) break; // RECENT-CACHE-1
      this.#made.delete(oldest);
    }
    return made;
  }
}
