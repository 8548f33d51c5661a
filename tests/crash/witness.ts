// Witness: the world outside, as a file that only grows. Every effect is one line, on the disk before
// the tool returns.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

export interface Effect {
  readonly key: string;
  readonly what: string;
}

export class Witness {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  saw(effect: Effect): void {
    const fd = openSync(this.file, "a");
    writeSync(fd, `${JSON.stringify(effect)}\n`);
    fsyncSync(fd);
    closeSync(fd);
  }

  get effects(): Effect[] {
    if (!existsSync(this.file)) return [];
    const lines = readFileSync(this.file, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Effect);
  }

  /** What happened, sorted; an effect that happened twice is there twice. */
  get whats(): string[] {
    return this.effects.map(({ what }) => what).sort();
  }

  has(key: string): boolean {
    return this.effects.some((effect) => effect.key === key);
  }
}
