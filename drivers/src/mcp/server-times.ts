// Default time limits of MCP servers.

export interface ServerTimes {
  /** For one step of connecting. */
  readonly connectMs: number;
  /** How long a first look at a server holds up whoever wants its tools. */
  readonly prepareMs: number;
  /** How long a call waits for a connection. */
  readonly waitMs: number;
  /** How long a call may hear nothing. */
  readonly callIdleMs: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** How long an unused program is kept. */
  readonly unusedMs: number;
}

export const defaultServerTimes: ServerTimes = {
  connectMs: 30_000,
  prepareMs: 15_000,
  waitMs: 60_000,
  callIdleMs: 300_000,
  firstPauseMs: 500,
  longestPauseMs: 60_000,
  unusedMs: 900_000,
};
