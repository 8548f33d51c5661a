// Gate work: the hundred rules and the requests of the gate bench, in no engine's words. Ours
// (gate.ts) and every peer say them in their own.
//
//   rule      { id, effect: allow | deny | ask, of, when?, after? }
//   of        what it speaks of, as a selector of policy.yaml
//   when      clauses that all have to hold: [name, operator, value]
//   after     a sequence rule: it counts only once something of this selector was done
//
// GATE-WORK-1  Every request of `requests` is allowed by all hundred; none of `refusals` is.
// GATE-WORK-2  About half of the rules could be about the request (its call, its tool, a file), and half
//     of those have a condition; the others are about calls, tools, hosts and sinks that it has nothing
//     to do with, as in any real policy.

const times = (count, make) => Array.from({ length: count }, (_, n) => make(n));

const PAYING = times(16, (n) => `pay.account-${n}`);
const FORMATS = ["pdf", "xlsx", "docx", "zip", "tar", "parquet"];
const CURRENCIES = ["EUR", "USD", "CHF", "GBP", "JPY", "SEK", "NOK", "DKK"];
const CALLS = ["spawn", "publish", "subscribe", "signal", "grant", "send"];

/** The names that rules speak of have to be there: ours refuses a rule about a tool that is not. */
export const tools = ["files.report", "mail.send", "deploy.start", ...PAYING];

export const agent = "analyst";

export const rules = [
  { id: "the-rest-is-allowed", effect: "allow", of: "*" },
  // kinds and paths
  ...times(14, (n) => ({ id: `private-${n}`, effect: "deny", of: `file:/work/team-${n}/private/**:read,write` })),
  ...times(6, (n) => ({
    id: `archive-${n}`,
    effect: "ask",
    of: `file:/work/archive-${n}/**:write`,
    when: [["label.integrity", "==", "untrusted"]],
  })),
  ...times(10, (n) => ({ id: `host-${n}`, effect: "deny", of: `http:h${n}.example.net/**` })),
  // arguments
  ...times(8, (n) => ({
    id: `amount-${n}`,
    effect: n % 2 === 0 ? "deny" : "ask",
    of: "exec",
    when: [["args.currency", "==", CURRENCIES[n]], ["args.amount", ">", 1000 * (n + 1)]],
  })),
  ...times(16, (n) => ({
    id: `pay-${n}`,
    effect: "ask",
    of: `tool:${PAYING[n]}`,
    when: [["args.amount", ">", 50 * (n + 1)], ["args.to", "!=", "treasury"]],
  })),
  // labels
  ...times(6, (n) => ({
    id: `export-${n}`,
    effect: "deny",
    of: "tool:files.*",
    when: [["label.secrecy", "==", "confidential"], ["args.format", "==", FORMATS[n]]],
  })),
  ...times(8, (n) => ({
    id: `leave-${n}`,
    effect: "ask",
    of: "sink:egress",
    when: [["label.integrity", "==", "untrusted"], ["args.to", "==", `team-${n}@example.com`]],
  })),
  { id: "secret-tools", effect: "deny", of: "exec", when: [["label.secrecy", "==", "secret"]] },
  { id: "red-deploy", effect: "deny", of: "tool:deploy.*", when: [["label.integrity", "==", "untrusted"]] },
  // effects and calls
  ...times(4, (n) => ({
    id: `undoable-${n}`,
    effect: "ask",
    of: "effect:external",
    when: [["args.amount", ">", 100 * (n + 1)]],
  })),
  ...times(6, (n) => ({ id: `deep-${n}`, effect: "deny", of: CALLS[n], when: [["depth", ">", 2 + n]] })),
  // time
  ...times(6, (n) => ({
    id: `closed-${n}`,
    effect: "deny",
    of: "exec",
    when: [["time.date", "in", [`20${40 + n}-01-01`, `20${40 + n}-12-25`, `20${40 + n}-12-26`]]],
  })),
  ...times(5, (n) => ({
    id: `night-${n}`,
    effect: "ask",
    of: "exec",
    when: [["time.hour", "<", 3 + n], ["args.amount", ">", 500 + 100 * n]],
  })),
  // sequence
  ...times(8, (n) => ({
    id: `after-finance-${n}`,
    effect: "deny",
    of: n % 2 === 0 ? "sink:egress" : "tool:mail.send",
    after: `file:/work/finance-${n}/**:read`,
  })),
];
if (rules.length !== 100) throw new Error(`there are ${rules.length} rules`);

const usual = {
  agent,
  depth: 3,
  call: "exec",
  tool: "files.report",
  effect: "read",
  sinks: [],
  label: { integrity: "untrusted", secrecy: "internal" },
  /** Marks of the sequence rules that are armed. */
  tags: [],
  /** 10 March 2027, 14:00 UTC. */
  atMs: Date.UTC(2027, 2, 10, 14),
};

const reportOf = (path, more = {}) => ({ path, format: "csv", currency: "EUR", amount: 100, to: "team-3", ...more });

/** No two that follow each other are the same: nothing can be remembered from the last one. */
export const requests = times(64, (n) => ({
  ...usual,
  args: reportOf(`/work/team-${n % 14}/reports/week-${n}.csv`, { amount: 100 + n }),
}));

/** What none of them may allow: an engine that only says yes quickly is not measured. */
export const refusals = [
  { ...usual, args: reportOf("/work/team-7/private/wages.csv") },
  { ...usual, args: reportOf("/work/team-7/reports/a.csv", { amount: 1001 }) },
  { ...usual, args: reportOf("/work/team-7/reports/a.csv", { currency: "JPY", amount: 5001 }) },
  { ...usual, args: reportOf("/work/team-7/reports/a.csv"), label: { ...usual.label, secrecy: "secret" } },
  {
    ...usual,
    args: reportOf("/work/team-7/reports/a.csv", { format: "zip" }),
    label: { ...usual.label, secrecy: "confidential" },
  },
  { ...usual, args: reportOf("/work/team-7/reports/a.csv"), atMs: Date.UTC(2042, 11, 25, 14) },
  { ...usual, args: reportOf("/work/team-7/reports/a.csv", { amount: 901 }), atMs: Date.UTC(2027, 2, 10, 2) },
];
