// FleetQueue: how items come to a fleet: sent by people and programs, or as messages of a topic.
//
// FLEET-QUEUE-1  The same id is one item. Sent again with something else it is refused.
// FLEET-QUEUE-2  An input is checked before it is an item. A message that does not fit is a dead item, with the reason.
// FLEET-QUEUE-3  A message stays in the store until the commit that has its item: it is one item, whatever is killed when.
// FLEET-QUEUE-4  The label of an item is that of what was sent; the fleet can only add to it.

import { bodyMismatch, SysError, type Json, type Label } from "@aos/protocol";
import { hexOf } from "../../journal/chain.ts";
import type { Journal } from "../../journal/journal.ts";
import { labelText, UNLABELLED, readLabel } from "../../label/label.ts";
import type { Platform } from "../../platform/clock.ts";
import { fleetWrite, type FleetItemRow, type FleetRow } from "../../store/fleet-rows.ts";
import type { OpenedStore } from "../../store/mail-reports.ts";
import { fleetEntry, stableOf, type FleetEntry } from "./fleet-spec.ts";

export const MOST_INPUT_BYTES = 262_144;
const PAGE = 100;
/** What a fleet with a full queue asks senders to wait for. */
const RETRY_MS = 5000;

interface Parts {
  readonly store: OpenedStore;
  readonly journal: Journal;
  readonly platform: Platform;
  readonly scrub: (text: string) => string;
}

export interface SentItem {
  readonly input: Json;
  readonly key?: string | undefined;
  readonly label: Label;
  readonly by: string;
}

/** Whose durable subscription a fleet's is: no agent has such a name. */
export const fleetSubscriber = (name: string): string => `fleet:${name}`;
export const ITEMS = "items";

export class FleetQueue {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** FLEET-QUEUE-1. */
  async send(row: FleetRow, tenantName: string, sent: SentItem): Promise<FleetItemRow> {
    const { store, journal, platform, scrub } = this.#parts;
    const entry = fleetEntry(row, tenantName);
    const input = scrub(JSON.stringify(sent.input));
    const problem = mismatch(entry, input);
    if (problem !== undefined) throw new SysError("EINVAL", problem);
    const id = sent.key ?? `item-${hexOf(platform.bytes(10))}`;
    const label = labelText(sent.label);
    const known = sent.key === undefined ? undefined : await store.fleetItem(row.key, id);
    if (known === undefined) {
      if (row.draining !== null) throw draining(row);
      const { waiting } = await store.fleetCounts(row.key);
      if (waiting >= entry.fleet.queue)
        throw new SysError("EAGAIN", `the queue of the fleet ${row.name} is full`, {
          retryAfter: RETRY_MS,
        });
      const item = itemOf(row, { id, input, label, by: sent.by, at: platform.now() });
      journal.write(fleetWrite({ op: "item.send", row: item }));
      await journal.durable();
    }
    const there = await store.fleetItem(row.key, id);
    if (there === undefined) throw draining(row);
    if (there.input !== input || there.label !== label)
      throw new SysError("EEXIST", `the fleet ${row.name} has another item ${id}`, {
        hint: "a key names one item: take another key",
      });
    return there;
  }

  /** What has come to its topic, as items. Answers whether there may be more. */
  async takeMessages(entry: FleetEntry, waiting: number): Promise<boolean> {
    const { store, journal, platform } = this.#parts;
    const { row, fleet } = entry;
    if (fleet.topic === undefined || row.draining !== null) return false;
    const durable = await store.durableSubscription(row.tenant, fleetSubscriber(row.name), ITEMS);
    entry.durable = durable?.key;
    const most = Math.min(PAGE, fleet.queue - waiting);
    if (durable === undefined || most <= 0) return false;
    const now = platform.now();
    const messages = await store.backlog(durable.key, most);
    for (const { id, body, label, key, from, expiresAt = null } of messages) {
      if (expiresAt !== null && expiresAt <= now) continue;
      const problem = mismatch(entry, body);
      const its = labelText(label === null ? UNLABELLED : readLabel(label));
      const item = itemOf(row, { id: `topic:${id}`, input: body, label: its, by: from, at: now });
      const sent = problem === undefined ? item : dead(item, problem, now);
      journal.write(fleetWrite({ op: "item.send", row: sent, took: key })); // FLEET-QUEUE-3
    }
    if (messages.length > 0) await journal.durable();
    return messages.length === PAGE;
  }
}

const dead = (item: FleetItemRow, reason: string, at: number): FleetItemRow => ({
  ...item,
  state: "dead",
  reason,
  endedAt: at,
});

/** FLEET-QUEUE-2. */
function mismatch(entry: FleetEntry, text: string): string | undefined {
  if (Buffer.byteLength(text) > MOST_INPUT_BYTES)
    return `an item has at most ${MOST_INPUT_BYTES} bytes: put more into a file, and send its path`;
  const { manifest } = stableOf(entry) as { manifest: InputManifest | null };
  const schema = entry.fleet.schema ?? manifest?.input?.schema ?? manifest?.mailbox?.schema;
  if (schema === undefined) return undefined;
  const flaw = bodyMismatch(schema as Json, JSON.parse(text) as Json, "input");
  return flaw === undefined
    ? undefined
    : `it does not fit the schema of ${entry.row.name}: ${flaw}`;
}

interface InputManifest {
  readonly input?: { readonly schema?: unknown };
  readonly mailbox?: { readonly schema?: unknown };
}

const draining = ({ name }: FleetRow): SysError =>
  new SysError("ESTATE", `the fleet ${name} is drained and takes no items`, {
    hint: `aos fleet resume ${name}`,
  });

const itemOf = (
  { key, tenant }: FleetRow,
  { id, input, label, by, at }: Record<"id" | "input" | "label" | "by", string> & { at: number },
): FleetItemRow => ({
  fleet: key,
  id,
  tenant,
  state: "waiting",
  attempt: 0,
  crashes: 0,
  version: null,
  pid: null,
  process: null,
  reason: null,
  input,
  label,
  sentAt: at,
  sentBy: by,
  notBefore: at,
  begunAt: null,
  endedAt: null,
  microUsd: 0,
  tokens: 0,
});
