// What every reader of records knows of their format. The records themselves are in operations/record.ts.

/** 2 added `grant` and `revoke`; whoever reads 2 reads 1. */
export const RECORD_SCHEMA = 2;

/** `7` in the same process, `agt_…#7` in another, `operator` for a person at the command line. */
export type Cause = number | string;
