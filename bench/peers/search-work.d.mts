export interface SearchRows {
  readonly texts: readonly string[];
  readonly vectors: Float32Array;
}
export interface SearchQuery {
  readonly target: number;
  readonly words: readonly string[];
  readonly vector: Float32Array;
}
export interface SearchTimes {
  readonly p50: number;
  readonly p99: number;
  readonly found: number;
  readonly answers: readonly (readonly number[])[];
}
export function makeRows(size: { readonly rows: number; readonly dims: number }): SearchRows;
export function makeQueries(
  rows: SearchRows,
  size: { readonly queries: number; readonly dims: number },
): SearchQuery[];
export function nearest(
  vectors: Float32Array,
  dims: number,
  vector: Float32Array,
  count: number,
): number[];
export function timeQueries(
  queries: readonly SearchQuery[],
  search: (query: SearchQuery) => readonly number[],
): SearchTimes;
