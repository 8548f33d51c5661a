// Commit columns: a batch as the parameters of the commit function, a column each (commit-function.ts).
//
// COMMIT-COLUMNS-1  There is one row for each chain and one for each row of spend, however many
//     extensions add to it, in an order that is the same on every node: the function locks them in this
//     order.
// COMMIT-COLUMNS-2  Names are as the server keeps them before they are compared: two that it takes for
//     one are one row.

import type { Extension } from "../contract.ts";
import { isSameSpend, spendSum, type SpendRow } from "../spend-row.ts";
import { wholeNumber } from "../writes.ts";
import { bigints, byteas, texts } from "./binary-array.ts";
import { legible } from "./connection.ts";

interface Growth {
  readonly first: Extension;
  readonly last: Extension;
  readonly microUsd: number;
  readonly tokens: number;
  readonly toolCalls: number;
  readonly bytes: number;
  readonly overMicroUsd: number;
  readonly overTokens: number;
}

const numbers = <Row>(rows: readonly Row[], of: (row: Row) => number): Buffer =>
  bigints(rows.map((row) => wholeNumber(of(row))));

/** The values of a call of the commit function. */
export const columnsOf = (extensions: readonly Extension[]): Buffer[] => [
  ...growthColumns(extensions),
  ...recordColumns(extensions),
  ...spendColumns(extensions),
];

/** How much longer and dearer each chain is. The extensions of one follow each other. */
function growthColumns(extensions: readonly Extension[]): Buffer[] {
  const grown = new Map<number, Growth>();
  for (const extension of extensions) {
    if (extension.records.length === 0) continue;
    const before = grown.get(extension.process);
    const bytes = extension.records.reduce((sum, { text }) => sum + text.length, 0);
    grown.set(extension.process, {
      first: before?.first ?? extension,
      last: extension,
      microUsd: (before?.microUsd ?? 0) + Math.floor(extension.microUsd),
      tokens: (before?.tokens ?? 0) + Math.floor(extension.tokens),
      toolCalls: (before?.toolCalls ?? 0) + extension.toolCalls,
      bytes: (before?.bytes ?? 0) + bytes,
      overMicroUsd: (before?.overMicroUsd ?? 0) + extension.overMicroUsd,
      overTokens: (before?.overTokens ?? 0) + extension.overTokens,
    });
  }
  const rows = [...grown.values()].sort((a, b) => a.first.process - b.first.process);
  return [
    numbers(rows, ({ first }) => first.process),
    numbers(rows, ({ first }) => first.epoch),
    numbers(rows, ({ first }) => first.firstSeq - 1),
    numbers(rows, ({ last }) => last.firstSeq + last.records.length - 1),
    byteas(rows.map(({ last }) => last.records.at(-1)!.hash)),
    numbers(rows, ({ last }) => last.at),
    numbers(rows, ({ microUsd }) => microUsd),
    numbers(rows, ({ tokens }) => tokens),
    numbers(rows, ({ toolCalls }) => toolCalls),
    numbers(rows, ({ bytes }) => bytes),
    numbers(rows, ({ overMicroUsd }) => overMicroUsd),
    numbers(rows, ({ overTokens }) => overTokens),
  ];
}

/** In the order of the extensions, which is that of their places. */
function recordColumns(extensions: readonly Extension[]): Buffer[] {
  const rows = extensions.flatMap(({ process, tenant, firstSeq, records }) =>
    records.map(({ text, hash }, nth) => ({ process, seq: firstSeq + nth, tenant, text, hash })),
  );
  return [
    numbers(rows, ({ process }) => process),
    numbers(rows, ({ seq }) => seq),
    numbers(rows, ({ tenant }) => tenant),
    texts(rows.map(({ text }) => text)),
    byteas(rows.map(({ hash }) => hash)),
  ];
}

function spendColumns(extensions: readonly Extension[]): Buffer[] {
  const rows = spendRows(extensions);
  return [
    numbers(rows, ({ tenant }) => tenant),
    numbers(rows, ({ hour }) => hour),
    texts(rows.map(({ agent }) => agent)),
    numbers(rows, ({ root }) => root),
    texts(rows.map(({ what }) => what)),
    numbers(rows, ({ microUsd }) => microUsd),
    numbers(rows, ({ tokens }) => tokens),
    numbers(rows, ({ toolCalls }) => toolCalls),
    numbers(rows, ({ calls }) => calls),
    numbers(rows, ({ unpriced }) => unpriced),
    numbers(rows, ({ overMicroUsd }) => overMicroUsd),
    numbers(rows, ({ overTokens }) => overTokens),
  ];
}

/** COMMIT-COLUMNS-1, COMMIT-COLUMNS-2. Fractions are dropped before they are added up, as where each row is added by itself. */
function spendRows(extensions: readonly Extension[]): SpendRow[] {
  const rows = extensions.flatMap(({ spend }) => spend.map(asKept));
  rows.sort(byKey);
  const summed: SpendRow[] = [];
  for (const row of rows) {
    const before = summed.at(-1);
    if (before !== undefined && isSameSpend(before, row))
      summed[summed.length - 1] = spendSum(before, row);
    else summed.push(row);
  }
  return summed;
}

/** COMMIT-COLUMNS-2. */
export const asKept = (row: SpendRow): SpendRow => ({
  ...row,
  agent: legible(row.agent.toWellFormed()),
  what: legible(row.what.toWellFormed()),
  microUsd: Math.floor(row.microUsd),
  tokens: Math.floor(row.tokens),
  toolCalls: Math.floor(row.toolCalls),
});

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const byKey = (a: SpendRow, b: SpendRow): number =>
  a.tenant - b.tenant ||
  a.hour - b.hour ||
  byText(a.agent, b.agent) ||
  a.root - b.root ||
  byText(a.what, b.what);
