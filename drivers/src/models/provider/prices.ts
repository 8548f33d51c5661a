// Prices: what is known of a model, from the table (prices.yaml) and from the operator, whose values take precedence.
//
// PRICES-1  An unknown price is null, never 0. Only a model on this machine costs 0 by default.
// PRICES-2  The table's prices hold at the vendor's own address only.
// PRICES-3  Billing is the used tokens at the rate of their kind; the worst case uses the highest rate.

import { readFileSync } from "node:fs";
import type { ModelPrice, Usage } from "@aos/protocol";
import { parse } from "yaml";
import { z } from "zod";

const rates = {
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cachedInput: z.number().nonnegative().optional(),
  cacheWrite: z.number().nonnegative().optional(),
};
const row = z.strictObject({
  match: z.string().min(1),
  price: z.strictObject(rates),
  over: z.strictObject({ tokens: z.number().int().positive(), ...rates }).optional(),
  limits: z.strictObject({
    window: z.number().int().positive().nullable(),
    maxOutputTokens: z.number().int().positive().nullable(),
  }),
  date: z.iso.date(),
  source: z.string().regex(/^(copy of|transcript of|unverified,) https:/),
});
const tables = z.record(z.string(), z.strictObject({ origin: z.url(), models: z.array(row) }));

type Row = z.infer<typeof row>;
interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cachedInput?: number | undefined;
  readonly cacheWrite?: number | undefined;
}

/** A price with what it is for a long request. */
export interface FullPrice extends ModelPrice {
  readonly over?: Rates & { readonly tokens: number };
}

/** What an operator says of a model, by its name or the beginning of it with a `*`. */
export interface ModelOverride {
  readonly price?: Partial<Omit<FullPrice, "input" | "output">> & Rates;
  readonly window?: number;
  readonly maxOutputTokens?: number;
}

export interface KnownModel {
  readonly price: FullPrice | null;
  readonly window: number | null;
  readonly maxOutputTokens: number | null;
}

const FREE: FullPrice = { input: 0, output: 0, date: "1970-01-01", source: "this machine" };
const MILLION = 1_000_000;

let read: z.infer<typeof tables> | undefined;
const table = (): z.infer<typeof tables> =>
  (read ??= tables.parse(parse(readFileSync(new URL("../prices.yaml", import.meta.url), "utf8"))));

/** The names that the table has for an address. */
export const namesAt = (origin: string): readonly string[] =>
  Object.values(table())
    .filter((each) => each.origin === origin)
    .flatMap(({ models }) => models.map(({ match }) => match.replace(/\*$/, "")));

export function knownModel(
  model: string,
  place: { readonly origin: string; readonly isLocal: boolean },
  overrides: Readonly<Record<string, ModelOverride>> = {},
): KnownModel {
  const rows = Object.values(table()).flatMap(({ origin, models }) =>
    models.map((each) => ({ ...each, origin })),
  );
  const found = best(rows, ({ match }) => match, model);
  const said = best(Object.entries(overrides), ([match]) => match, model)?.[1];
  return {
    price: priceOf(found, said, place),
    window: said?.window ?? found?.limits.window ?? null,
    maxOutputTokens: said?.maxOutputTokens ?? found?.limits.maxOutputTokens ?? null,
  };
}

function priceOf(
  found: (Row & { origin: string }) | undefined,
  said: ModelOverride | undefined,
  { origin, isLocal }: { readonly origin: string; readonly isLocal: boolean },
): FullPrice | null {
  if (said?.price !== undefined)
    return { date: "1970-01-01", source: "the configuration", ...said.price } as FullPrice;
  if (isLocal) return FREE; // PRICES-1
  if (found?.origin !== origin) return null; // PRICES-2
  const { price, over, date, source } = found;
  return { ...price, date, source, ...(over === undefined ? {} : { over }) } as FullPrice;
}

/** The name itself, or else the longest beginning. */
function best<T>(all: readonly T[], matchOf: (each: T) => string, model: string): T | undefined {
  const fits = all.filter((each) => {
    const match = matchOf(each);
    return match.endsWith("*") ? model.startsWith(match.slice(0, -1)) : match === model;
  });
  const rank = (each: T): number => {
    const match = matchOf(each);
    return match.endsWith("*") ? match.length : Infinity;
  };
  return fits.toSorted((a, b) => rank(b) - rank(a))[0];
}

/** PRICES-3. */
export function billOf(price: FullPrice | null, usage: Usage): number | null {
  if (price === null) return null;
  const { inputTokens, outputTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  const { input, output, cachedInput = input, cacheWrite = input } = ratesFor(price, inputTokens);
  const fresh = Math.max(inputTokens - cachedTokens - cacheWriteTokens, 0);
  return (
    (fresh * input +
      cachedTokens * cachedInput +
      cacheWriteTokens * cacheWrite +
      outputTokens * output) /
    MILLION
  );
}

export function worstBill(price: FullPrice | null, input: number, output: number): number | null {
  if (price === null) return null;
  // A request below the bound may be billed by either.
  const all = [price, ratesFor(price, input)];
  const dearest = (of: (rates: Rates) => number): number => Math.max(...all.map(of));
  const inputRate = dearest((each) =>
    Math.max(each.input, each.cacheWrite ?? 0, each.cachedInput ?? 0),
  );
  return (input * inputRate + output * dearest((each) => each.output)) / MILLION;
}

const ratesFor = (price: FullPrice, inputTokens: number): Rates =>
  price.over !== undefined && inputTokens > price.over.tokens ? price.over : price;
