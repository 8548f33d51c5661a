// Formats models, their prices and the result of a test.

import type { ModelReport, ModelTestReport } from "@aos/protocol/words";
import { printable } from "./printable.ts";

export function formatModelTest({ model, ok, ms, text, usd, error }: ModelTestReport): string {
  if (!ok)
    return [
      `${model} failed: ${printable(error?.message ?? "no reason given")} (${error?.code ?? "?"})`,
      ...(error?.hint === undefined ? [] : [`hint: ${printable(error.hint)}`]),
    ].join("\n");
  const cost = usd === null ? "price unknown" : `$${usd.toFixed(6)}`;
  return `${model} answered in ${ms} ms (${cost}): ${printable(text ?? "").trim()}`;
}

/** Dollars for a million tokens in and out. */
export function formatPrice({ price }: Pick<ModelReport, "price">): string {
  if (price === null) return "not known";
  if (isFree(price)) return "free";
  return `$${price.input} / $${price.output}`;
}

/** The day of a price; what is free is so on any. */
export const formatPriceDay = ({ price }: Pick<ModelReport, "price">): string =>
  price === null || isFree(price) ? "-" : price.date;

const isFree = ({ input, output }: { input: number; output: number }): boolean =>
  input === 0 && output === 0;

/** `200k`, `1M`. */
export function formatTokenCount(count: number | null): string {
  if (count === null) return "-";
  if (count >= 1_000_000) return `${trim(count / 1_000_000)}M`;
  return count >= 1000 ? `${trim(count / 1000)}k` : String(count);
}

const trim = (value: number): string => value.toFixed(1).replace(/\.0$/, "");

export const formatMs = (value: number | null): string =>
  value === null ? "-" : value < 10_000 ? `${Math.round(value)} ms` : `${trim(value / 1000)} s`;

export const formatKeyState = ({ key }: Pick<ModelReport, "key">): string =>
  key === null ? "none needed" : key.isSet ? "set" : `${key.name} is not set`;
