// RecentCache: what was made for a name, kept for the names that were asked for last.
//
//   const cards = new RecentCache(64, (name) => draw(name));
//   cards.of("a");
//
// RECENT-CACHE-1  So many at most: a name is somebody's word, and there is no end to words. Who was not asked
//     for longest goes first.

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
