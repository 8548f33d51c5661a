/** By the clock, and of the processor: one figure for each round. */
export interface Rounds {
  readonly us: readonly number[];
  readonly cpuUs: readonly number[];
}
export type TurnFigures = Readonly<Record<"at1" | "at50", { readonly whole: Rounds; readonly bare: Rounds }>>;

export interface Wire {
  readonly heard: readonly unknown[];
  readonly fetch: typeof globalThis.fetch;
}

export function listen(): Wire;
export function timeTurns(solve: () => Promise<unknown>, wire: Wire): Promise<TurnFigures>;
