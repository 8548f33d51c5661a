// Row values: what a database gives for a column, as what it is to us.

import type { Value } from "./writes.ts";

export type Row = Record<string, Value>;

export const text = (value: Value | undefined) => value as string;
export const number = (value: Value | undefined) => Number(value);
export const orNull = <T>(value: Value | undefined, read: (value: Value) => T): T | null =>
  value === null || value === undefined ? null : read(value);
