// CloudEvents: the outside form of messages (CloudEvents 1.0, structured JSON).
//
//   incoming   data becomes the body of a message and `type` its type; what comes from outside is untrusted
//   outgoing   records of sends, requests, publications and receipts, once they are durable
//
// CLOUD-EVENTS-1  An incoming event is labelled `untrusted/public` unless its extension `aoslabel` says otherwise.
// CLOUD-EVENTS-2  An outgoing event is made from a durable record: nothing is told that did not happen.

import type { CloudEvent, FeedEvent, Json, Lane } from "@aos/protocol";

const TYPES: Readonly<Record<string, CloudEvent["type"]>> = {
  send: "aos.message.sent",
  request: "aos.message.requested",
  publish: "aos.event.published",
  receive: "aos.message.received",
};

/** CLOUD-EVENTS-1. */
export const INCOMING_LABEL = "untrusted/public";

interface MessageWords {
  readonly to?: string;
  readonly from?: string;
  readonly topic?: string;
  readonly lane?: Lane;
  readonly body?: Json;
}

/** CLOUD-EVENTS-2. Undefined for a record that is about no message, or of a call that failed. */
export function cloudEventOf({ pid, tenant, record }: FeedEvent): CloudEvent | undefined {
  // A request is told of when it goes out: its answer may come much later.
  const isAsked = record.kind === "intent" && record.call === "request";
  const isDone = record.kind === "call" && record.err === undefined && record.call !== "request";
  if (!isAsked && !isDone) return undefined;
  const type = TYPES[record.call];
  if (type === undefined) return undefined;
  const said = record.kind === "call" && record.call === "receive" ? record.ok : record.args;
  const { to, from, topic, lane, body } = (said ?? {}) as MessageWords;
  const digest = blobOf(body) ?? blobOf(said as Json);
  return {
    specversion: "1.0",
    id: `${pid}#${record.seq}`,
    source: `/processes/${pid}`,
    type,
    subject: topic ?? to ?? from ?? pid,
    time: new Date(record.at).toISOString(),
    datacontenttype: "application/json",
    ...(digest === undefined ? { data: body ?? null } : { aosdigest: digest }),
    ...(lane === undefined ? {} : { aoslane: lane }),
    ...(topic === undefined ? {} : { aostopic: topic }),
    aostenant: tenant,
  };
}

const blobOf = (value: Json | undefined): string | undefined => {
  const digest = (value as { $blob?: Json } | null | undefined)?.$blob;
  return typeof digest === "string" ? digest : undefined;
};
