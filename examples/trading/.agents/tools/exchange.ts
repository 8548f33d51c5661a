// A paper exchange on recorded prices, and the ledger of the desk. Money is in cents.
//
// An order has the key of its step as its id, and the exchange knows its ids: asked again after a crash, it gives the
// same fill and books nothing.

import { defineTool, z } from "agent-os";

const LEDGER = "/work/ledger.json";
const PRICES = "/work/prices.json";

interface Day {
  readonly day: string;
  readonly prices: Readonly<Record<string, number>>;
  readonly news: readonly string[];
}
interface Fill {
  readonly id: string;
  readonly day: string;
  readonly symbol: string;
  /** Below zero where it was sold. */
  readonly quantity: number;
  readonly price: number;
}
interface Ledger {
  readonly start: number;
  readonly cash: number;
  readonly fills: readonly Fill[];
}
interface Files {
  read(path: string): Promise<{ readonly text: string }>;
}

const daysIn = async (files: Files) => JSON.parse((await files.read(PRICES)).text) as Day[];
const ledgerIn = async (files: Files) => JSON.parse((await files.read(LEDGER)).text) as Ledger;

async function dayOf(files: Files, day: string): Promise<Day> {
  const found = (await daysIn(files)).find((one) => one.day === day);
  if (found === undefined) throw new Error(`there are no prices of ${day}`);
  return found;
}

function positionsIn({ fills }: Ledger): Record<string, number> {
  const positions: Record<string, number> = {};
  for (const { symbol, quantity } of fills) positions[symbol] = (positions[symbol] ?? 0) + quantity;
  return positions;
}

const reads = (...files: string[]) =>
  files.map((resource) => ({ kind: "file" as const, resource, verb: "read" }));

export const days = defineTool({
  name: "market.days",
  version: "1",
  description: "The days with prices.",
  input: z.strictObject({}),
  output: z.strictObject({ days: z.array(z.string()) }),
  effect: "read",
  touches: reads(PRICES),
  run: async (_args, context) => ({ days: (await daysIn(context)).map(({ day }) => day) }),
});

export const at = defineTool({
  name: "market.at",
  version: "1",
  description: "Prices and news of a day, and what the desk has.",
  input: z.strictObject({ day: z.string() }),
  output: z.strictObject({
    day: z.string(),
    prices: z.record(z.string(), z.number()),
    news: z.array(z.string()),
    cash: z.number(),
    positions: z.record(z.string(), z.number()),
  }),
  effect: "read",
  touches: reads(PRICES, LEDGER),
  run: async ({ day }, context) => {
    const { prices, news } = await dayOf(context, day);
    const ledger = await ledgerIn(context);
    return { day, prices, news: [...news], cash: ledger.cash, positions: positionsIn(ledger) };
  },
});

export const order = defineTool({
  name: "exchange.order",
  version: "1",
  description: "Buy or sell at the price of a day: no short sale, no credit.",
  input: z.strictObject({
    day: z.string(),
    side: z.enum(["buy", "sell"]),
    symbol: z.string(),
    quantity: z.number().int().positive(),
    price: z.number().positive(),
  }),
  output: z.strictObject({
    id: z.string(),
    day: z.string(),
    symbol: z.string(),
    quantity: z.number(),
    price: z.number(),
  }),
  effect: "idempotent",
  touches: [...reads(PRICES, LEDGER), { kind: "file", resource: LEDGER, verb: "write" }],
  run: async ({ day, side, symbol, quantity, price }, context) => {
    const ledger = await ledgerIn(context);
    const before = ledger.fills.find(({ id }) => id === context.key);
    if (before !== undefined) return { ...before };
    const { prices } = await dayOf(context, day);
    if (prices[symbol] !== price) throw new Error(`${price} is not the price of ${symbol}`);
    const signed = side === "buy" ? quantity : -quantity;
    const cash = ledger.cash - signed * price;
    if (cash < 0) throw new Error(`the desk has no credit: ${ledger.cash} is less than needed`);
    if ((positionsIn(ledger)[symbol] ?? 0) + signed < 0)
      throw new Error(`the desk does not have ${quantity} of ${symbol}`);
    const fill: Fill = { id: context.key, day, symbol, quantity: signed, price };
    const after: Ledger = { ...ledger, cash, fills: [...ledger.fills, fill] };
    await context.write(LEDGER, `${JSON.stringify(after, undefined, 2)}\n`);
    return { ...fill };
  },
});

export const check = defineTool({
  name: "ledger.check",
  version: "1",
  description: "Whether the ledger adds up: what was paid, what is there, each order once.",
  input: z.strictObject({}),
  output: z.strictObject({ orders: z.number(), cash: z.number(), equity: z.number() }),
  effect: "read",
  touches: reads(PRICES, LEDGER),
  run: async (_args, context) => {
    const ledger = await ledgerIn(context);
    const { start, cash, fills } = ledger;
    const paid = fills.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
    if (cash !== start - paid) throw new Error(`${cash} of cash is not ${start} less ${paid}`);
    if (new Set(fills.map(({ id }) => id)).size !== fills.length)
      throw new Error("an order is in the ledger twice");
    const prices = (await daysIn(context)).at(-1)?.prices ?? {};
    const worth = Object.entries(positionsIn(ledger)).map(
      ([symbol, quantity]) => quantity * (prices[symbol] ?? 0),
    );
    return { orders: fills.length, cash, equity: cash + worth.reduce((sum, one) => sum + one, 0) };
  },
});
