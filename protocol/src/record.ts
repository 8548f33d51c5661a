// What every reader of records needs to know about the format. operations/record.ts has the records themselves.

/** 2 added `grant` and `revoke`; whoever reads 2 reads 1. */
export const RECORD_SCHEMA = 2;

/** `7` in the same process, `agt_…#7` in another, `operator` for a person at the command line. */
export type Cause = number | string;
