// Scratch arrays: arrays of numbers by name, used again from search to search. A search of 100,000 rows needs 4 MB of
// them; made anew each time they cost more than the search in collections of garbage.
//
// SCRATCH-1  An array is valid until it is asked for again: a search asks for each name once, and awaits nothing before
//     its result is read.
// SCRATCH-2  It is all zeros when it is handed out.

type Numbers = Float64Array | Float32Array | Int32Array;

export class ScratchMemory {
  readonly #arrays = new Map<string, Numbers>();

  doubles = (name: string, length: number): Float64Array =>
    this.#of(name, length, (size) => new Float64Array(size));

  floats = (name: string, length: number): Float32Array =>
    this.#of(name, length, (size) => new Float32Array(size));

  ints = (name: string, length: number): Int32Array =>
    this.#of(name, length, (size) => new Int32Array(size));

  #of<Kind extends Numbers>(name: string, length: number, make: (size: number) => Kind): Kind {
    let whole = this.#arrays.get(name) as Kind | undefined;
    if (whole === undefined || whole.length < length) {
      whole = make(Math.ceil(length * 1.25));
      this.#arrays.set(name, whole);
    }
    const part = whole.subarray(0, length) as Kind;
    part.fill(0); // SCRATCH-2
    return part;
  }
}
