// A program of many branches at once, made up from a seed: what it does is always the same, in which
// order its calls are answered is not. Each branch goes through a few turns of its own between calls,
// so that an answer that comes a turn too early or too late would show.

import type { Json, Program, Sys } from "@aos/protocol";

const DEPTH = 2;
const STEPS = 3;

/** A small generator of numbers from 0 up to 1 (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const tangled: Program = async (sys, input) => {
  const { seed } = input as { seed: number };
  return branch(sys, `${seed}`, seed, DEPTH);
};

async function branch(sys: Sys, name: string, seed: number, depth: number): Promise<Json> {
  const next = numbersFrom(seed);
  const steps: Json[] = [];
  for (let step = 0; step < STEPS; step++) {
    const [kind, ms, turns, below] = [
      next(),
      Math.floor(next() * 6),
      next() * 12,
      next() * 2 ** 31,
    ];
    const here = `${name}.${step}`;
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    if (kind < 0.2) steps.push(await sys.exec("look", { ms }));
    else if (kind < 0.5) {
      await sys.exec("charge", { what: here, ms }, { onDoubt: "retry" });
      steps.push(here);
    } else if (kind < 0.6) {
      await sys.write(`/mem/working/${here}`, ms);
      steps.push(await sys.read(`/mem/working/${here}`));
    } else if (kind < 0.7) await sys.sleep((await sys.now()) + ms);
    else if (depth === 0) await sys.random();
    else {
      const branches = [0, 1, 2].map((nth) =>
        branch(sys, `${here}.${nth}`, below + nth, depth - 1),
      );
      steps.push(await Promise.all(branches));
    }
  }
  return steps;
}
