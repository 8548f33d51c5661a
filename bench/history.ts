// history: what a call cost in earlier states of this repository, beside today's, in turn with the bare loop.
//
//   npm run bench -- history --beside CHECKOUT [--beside CHECKOUT]
//
// Each checkout measures itself, with the bench that it has: its own `steps` and `replay`.

import { basename } from "node:path";
import { inChild } from "./child.ts";
import { median, round } from "./measure.ts";
import { peer } from "./steps.ts";

const ROUNDS = 5;

const many = { agents: 200, steps: 100, bytes: 400 };
const one = { agents: 1, steps: 1000, bytes: 400 };
const alone = { agents: 1, steps: 20_000, bytes: 400 };

/** Each figure: the bench of a checkout that says it, and what it is asked. */
const figures = {
  "durable steps/s": ["steps", { ...many, durability: "every-call" }],
  "one agent, internal steps/s": ["steps", { ...alone, durability: "visible" }],
  "one agent, every step awaited": ["steps", { ...one, durability: "every-call" }],
  "replayed calls/s": ["replay", { calls: 50_000, bytes: 400 }],
} as const;

type Figure = keyof typeof figures;

export async function history(args: readonly string[]): Promise<Record<string, unknown>> {
  const checkouts = [undefined, ...args.filter((_, at) => args[at - 1] === "--beside")];
  const nameOf = (checkout: string | undefined) =>
    checkout === undefined ? "ours" : basename(checkout);
  const seen = new Map<string, Map<Figure, number[]>>();
  const bare: { many: number[]; one: number[] } = { many: [], one: [] };
  for (let nth = 0; nth < ROUNDS; nth++) {
    bare.many.push(await peer("bare", many));
    bare.one.push(await peer("bare", one));
    for (const checkout of checkouts)
      for (const figure of Object.keys(figures) as Figure[]) {
        const [bench, options] = figures[figure];
        const of = seen.get(nameOf(checkout)) ?? new Map<Figure, number[]>();
        of.set(figure, [...(of.get(figure) ?? []), await inChild(bench, options, checkout)]);
        seen.set(nameOf(checkout), of);
      }
  }
  const floor = { many: median(bare.many), one: median(bare.one) };
  const columns = [...seen].map(([name, of]) => {
    const speed = (figure: Figure) => median(of.get(figure)!);
    const column = {
      ...Object.fromEntries([...of.keys()].map((figure) => [figure, round(speed(figure))])),
      "of the bare loop": round(speed("durable steps/s") / floor.many, 2),
      "awaited, of the bare loop": round(speed("one agent, every step awaited") / floor.one, 2),
    };
    return [name, column];
  });
  return { ...Object.fromEntries(columns), bare: floor, unit: `steps/s, median of ${ROUNDS}` };
}
