// OCSF: records of journals as events of the Open Cybersecurity Schema Framework, version 1.5, for a SIEM.
//
//   API Activity (6003)        a system call that is over
//   Authorize Session (3003)   what a process was given at its start or by a grant
//   Detection Finding (2004)   a call that was refused by capability, policy or a person; a process that was killed
//                              for what it did
//
// OCSF-1  An event is made of a record and of who the process is, and is scrubbed as a whole.
// OCSF-2  No argument, result, prompt or message of a call is in it: only names of calls, tools, models, agents and
//     rules, and the text of a refusal.
// OCSF-3  Texts are cut: an event has a bounded size, and fits a datagram.
// OCSF-4  Every attribute is one that version 1.5 has for its class and objects, and a number of an enumeration is
//     one of its numbers. A finding has its actor and machine by the profile `host`.

import type { FailureCode, FeedEvent, Json, JournalRecord, ProcessDetail } from "@aos/protocol";

export type OcsfClass = "api" | "authorization" | "finding";

export type OcsfEvent = Readonly<Record<string, unknown>> & {
  readonly class_uid: number;
  readonly activity_id: number;
  readonly severity_id: number;
  readonly time: number;
};

/** Of whom the event is. */
export type OcsfSubject = Pick<ProcessDetail, "agent" | "tenant"> & { readonly hostname: string };

/** A call whose outcome is another record. */
export interface BegunCall {
  readonly call: string;
  readonly args: Json;
}

const VERSION = "1.5.0";
const MOST_CHARS = 1000;
const MOST_ITEMS = 50;

const classes = {
  api: { class_uid: 6003, category_uid: 6, class_name: "API Activity" },
  authorization: { class_uid: 3003, category_uid: 3, class_name: "Authorize Session" },
  finding: { class_uid: 2004, category_uid: 2, class_name: "Detection Finding" },
} as const;

const severity = { informational: 1, low: 2, medium: 3, high: 4 } as const;

/** What a call does, in the words of API Activity: 1 create, 2 read, 3 update, 4 delete; the rest is 99, other. */
const activities: Readonly<Record<string, number>> = {
  spawn: 1,
  send: 1,
  publish: 1,
  grant: 1,
  read: 2,
  list: 2,
  search: 2,
  receive: 2,
  check: 2,
  self: 2,
  now: 2,
  write: 3,
  checkpoint: 3,
  remove: 4,
  revoke: 4,
};

/** Refusals that say that something was tried which is not allowed; a full queue or a spent budget does not. */
const findings: Readonly<Partial<Record<FailureCode, keyof typeof severity>>> = {
  EACCES: "medium",
  EPOLICY: "medium",
  EDENIED: "low",
};

export function ocsfEvents(
  event: FeedEvent,
  subject: OcsfSubject,
  product: { readonly version: string },
  begun?: BegunCall,
): OcsfEvent[] {
  const { record } = event;
  const make = (kind: OcsfClass, activity: number, more: Readonly<Record<string, unknown>>) =>
    base(kind, activity, event, subject, product, more);
  if (record.kind === "call") return ofCall(event, record, record, make);
  if (record.kind === "outcome")
    return begun === undefined ? [] : ofCall(event, begun, record, make);
  if (record.kind === "signal") return ofSignal(event, record, make);
  if (record.kind === "start")
    return [make("authorization", 1, authorized(event, subject, record.capabilities))];
  if (record.kind !== "grant") return [];
  const given = authorized(event, subject, record.capabilities);
  return [make("authorization", 1, { ...given, actor: { user: { name: cut(record.by) } } })];
}

type Make = (
  kind: OcsfClass,
  activity: number,
  more: Readonly<Record<string, unknown>>,
) => OcsfEvent;

function base(
  kind: OcsfClass,
  activity: number,
  { pid, tree, record }: FeedEvent,
  { agent, tenant, hostname }: OcsfSubject,
  product: { readonly version: string },
  more: Readonly<Record<string, unknown>>,
): OcsfEvent {
  const { class_uid } = classes[kind];
  const machine = { hostname, type_id: 0 };
  const isFinding = kind === "finding";
  return {
    ...classes[kind],
    activity_id: activity,
    type_uid: class_uid * 100 + activity,
    severity_id: severity.informational,
    time: Math.floor(record.at),
    metadata: {
      version: VERSION,
      uid: `${pid}#${record.seq}`,
      correlation_uid: tree,
      tenant_uid: cut(tenant),
      product: { name: "Agent OS", vendor_name: "Agent OS", version: product.version },
      ...(isFinding ? { profiles: ["host"] } : {}),
    },
    actor: { app_name: cut(agent), app_uid: pid, session: { uid: tree } },
    ...(isFinding ? { device: machine } : { src_endpoint: machine }),
    ...more,
  };
}

function ofCall(
  { pid, record }: FeedEvent,
  { call, args }: BegunCall,
  { n, err, verdict }: Extract<JournalRecord, { kind: "call" | "outcome" }>,
  make: Make,
): OcsfEvent[] {
  const resources = namedBy(call, args);
  const api = make("api", activities[call] ?? 99, {
    ...(call in activities ? {} : { activity_name: call }),
    status_id: err === undefined ? 1 : 2,
    ...(err === undefined ? {} : { status_code: err.code, severity_id: severity.low }),
    api: {
      operation: call,
      service: { name: "agent-os" },
      request: { uid: `${pid}#${n}` },
      ...(err === undefined ? {} : { response: { error: err.code } }),
    },
    ...(resources.length === 0 ? {} : { resources }),
  });
  const level = err === undefined ? undefined : findings[err.code];
  if (err === undefined || level === undefined) return [api];
  return [
    api,
    make("finding", 1, {
      severity_id: severity[level],
      status_id: 1,
      finding_info: {
        uid: `${pid}#${record.seq}`,
        title: `${call} was refused: ${err.code}`,
        desc: cut(err.message),
        created_time: Math.floor(record.at),
        types: [err.code],
        ...(verdict === undefined ? {} : { analytic: { name: cut(verdict), type_id: 1 } }),
      },
      ...(resources.length === 0 ? {} : { resources }),
    }),
  ];
}

/** A process that is killed for a violation is what people are called for. */
function ofSignal(
  { pid, record }: FeedEvent,
  { signal }: Extract<JournalRecord, { kind: "signal" }>,
  make: Make,
): OcsfEvent[] {
  if (signal !== "SIGPOLICY" && signal !== "SIGTRUST") return [];
  return [
    make("finding", 1, {
      severity_id: severity.high,
      status_id: 1,
      is_alert: true,
      finding_info: {
        uid: `${pid}#${record.seq}`,
        title: `a process was killed by ${signal}`,
        created_time: Math.floor(record.at),
        types: [signal],
      },
    }),
  ];
}

const authorized = (
  { pid, tree }: FeedEvent,
  { agent }: OcsfSubject,
  capabilities: readonly string[],
) => ({
  user: { name: cut(agent), uid: pid, type_id: 99, type: "Service" },
  session: { uid: tree },
  privileges: (capabilities.length === 0 ? ["none"] : capabilities).slice(0, MOST_ITEMS).map(cut),
});

/** The tool, the model or the agent that a call names. */
function namedBy(call: string, args: Json): { name: string; type: string }[] {
  const member = { exec: "tool", infer: "model", spawn: "agent" }[call];
  if (member === undefined) return [];
  const name = (args as Readonly<Record<string, Json>> | null)?.[member];
  return typeof name === "string" ? [{ name: cut(name), type: member }] : [];
}

/** OCSF-3. */
const cut = (text: string): string =>
  text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS - 1)}…`;
