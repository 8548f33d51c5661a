/** Words, each once: rows name them by their place. */
export class Words {
  readonly all: string[] = [];
  readonly #places = new Map<string, number>();

  placeOf(word: string): number {
    let place = this.#places.get(word);
    if (place === undefined) {
      place = this.all.push(word) - 1;
      this.#places.set(word, place);
    }
    return place;
  }
}
