// Row values: what a database gives for a column, as what it is to us.

import type { SqlValue } from "./writes.ts";

export type Row = Record<string, SqlValue>;

/** Runs a statement; answers with its rows. */
export type RunQuery = (sql: string, values: readonly SqlValue[]) => Promise<Row[]>;

export const textValue = (value: SqlValue | undefined) => value as string;
export const numberValue = (value: SqlValue | undefined) => Number(value);
export const orNull = <T>(value: SqlValue | undefined, read: (value: SqlValue) => T): T | null =>
  value === null || value === undefined ? null : read(value);
