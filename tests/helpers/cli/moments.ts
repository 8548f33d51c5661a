// Processes, records and reports for the tests of the debugger.

import type {
  CauseLink,
  CausesReport,
  JournalRecord,
  MomentReport,
  ProcessDetail,
} from "@aos/protocol/words";

export const PID = "agt_a";

export const processDetailForTest = (more: object = {}): ProcessDetail =>
  ({
    pid: PID,
    agent: "writer",
    state: "failed",
    exitCode: 96,
    forkedFrom: null,
    ...more,
  }) as never;

export const callRecord = (seq: number, more: object = {}): JournalRecord =>
  ({
    kind: "call",
    seq,
    at: seq * 1000,
    cause: seq - 1,
    n: seq,
    call: "exec",
    args: {},
    ok: seq,
    ...more,
  }) as never;

export const startRecord = {
  kind: "start",
  seq: 0,
  at: 0,
  cause: "operator",
  program: { name: "agent", version: "1" },
  input: "hi",
} as unknown as JournalRecord;

export const testMoment = (record: JournalRecord, more: object = {}): MomentReport => ({
  pid: PID,
  agent: "writer",
  seq: record.seq,
  records: 4,
  record,
  call: { n: record.seq, call: "exec" },
  label: "untrusted/public",
  colour: "RED",
  spent: { usd: 0.005, tokens: 50 },
  limit: { usd: 1 },
  ...more,
});

export const causeLink = (seq: number, more: Partial<CauseLink> = {}): CauseLink => ({
  id: `${PID}#${seq}`,
  pid: PID,
  agent: "writer",
  seq,
  at: "2026-01-01T12:00:00.000Z",
  kind: "call",
  what: `exec look ${seq}`,
  came: "done",
  code: null,
  verdict: null,
  label: null,
  usd: 0,
  tokens: 0,
  people: [],
  from: [`${PID}#${seq - 1}`],
  ...more,
});

export const startCauseLink = (more: Partial<CauseLink> = {}): CauseLink =>
  causeLink(0, { kind: "start", what: "start agent hi", came: null, from: ["operator"], ...more });

export const causesReportOf = (more: Partial<CausesReport> = {}): CausesReport => ({
  pid: PID,
  agent: "writer",
  state: "failed",
  waitingOn: null,
  exitCode: 96,
  waitsFor: [],
  seq: 2,
  summary: "failed with exit code 96: EACCES: no",
  error: null,
  decision: null,
  grants: [],
  label: { text: "trusted/public", colour: "BLUE", made: [] },
  cost: { usd: 0, tokens: 0, calls: [], leftOut: 0 },
  links: [
    causeLink(2, { kind: "end", what: "failed with exit code 96" }),
    causeLink(1),
    startCauseLink(),
  ],
  leftOut: 0,
  next: [],
  ...more,
});
