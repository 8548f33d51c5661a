// Context for people: what a process shows its model at a record, its share of the window, and the cost of one more
// request.
//
//   contextAt(parts, row, at)      undefined if no model was asked until then
//
// CONTEXT-1  The provider's count is preferred to ours. For single messages only ours exists.
// CONTEXT-2  A fork at that record begins with the same blocks under the same ids.

import {
  readArchiveNotice,
  SysError,
  type ContextBlock,
  type ContextReport,
  type Message,
  type ModelDriver,
  type SyscallArgs,
} from "@aos/protocol";
import type { Devices } from "../device/devices.ts";
import { decodeArgs } from "../journal/codec.ts";
import type { Journal } from "../journal/journal.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessRow } from "../store/rows.ts";
import { ContextScan, replyOf } from "../vfs/context-scan.ts";

type Request = SyscallArgs<"infer">;

interface Parts {
  readonly journal: Journal<Store>;
  readonly devices: Devices;
}

export interface PastContext {
  readonly model: string;
  readonly messages: readonly Message[];
  /** The digest of each message with all before it. */
  readonly ids: readonly string[];
  readonly tokens: number;
  readonly window: number | null;
  readonly compactions: number;
  /** US dollars for one more request with it, in input alone; null without a price. */
  readonly nextUsd: number | null;
  /** Tokens of one message, as near as they can be counted here. */
  readonly tokensOf: (message: Message) => number;
}

export async function contextAt(
  { journal, devices }: Parts,
  row: ProcessRow,
  at?: number,
): Promise<PastContext | undefined> {
  await journal.durable();
  if (row.compacted)
    throw new SysError(
      "ESTATE",
      `retention removed the history of ${row.pid}; only its result is left`,
      {
        hint: "raise the retention to keep more: see `aos gc --help`",
      },
    );
  const scan = new ContextScan(journal.store, row);
  await scan.readOn(at);
  if (scan.turn === undefined) return undefined;
  const request = (await decodeArgs(scan.turn.args, scan.fetch)) as unknown as Request;
  const driver = driverOf(devices, request.model);
  const measured = driver?.measure?.(request);
  const reply = await replyOf(scan.turn, scan.fetch);
  const tokens = reply?.usage.inputTokens ?? measured?.tokens ?? guess(request.messages); // CONTEXT-1
  const price = measured?.card.price ?? null;
  return {
    model: request.model,
    messages: request.messages,
    ids: scan.turn.blocks.map(({ id }) => id),
    tokens,
    window: reply?.context?.window ?? measured?.card.window ?? null,
    compactions: scan.archives.length,
    nextUsd: price === null ? null : (tokens * price.input) / 1_000_000,
    tokensOf: counterOf(driver, request.model),
  };
}

export async function reportContext(
  parts: Parts,
  row: ProcessRow,
  at?: number,
): Promise<ContextReport> {
  const found = await contextAt(parts, row, at);
  if (found === undefined) return { pid: row.pid, ...NOTHING_SHOWN };
  const { messages, ids, tokensOf, ...rest } = found;
  return {
    pid: row.pid,
    ...rest,
    blocks: messages.map((message, index) => blockOf(ids[index]!, message, tokensOf(message))),
  };
}

const NOTHING_SHOWN = {
  model: null,
  tokens: 0,
  window: null,
  compactions: 0,
  blocks: [],
  nextUsd: null,
} as const;

/** Of a text so much is told. */
const BEGINNING = 200;

function blockOf(id: string, message: Message, tokens: number): ContextBlock {
  const archived = readArchiveNotice(message);
  return {
    id,
    role: message.role,
    tokens,
    text: message.content.slice(0, BEGINNING).replace(/[\uD800-\uDBFF]$/, ""),
    toolCalls: (message.toolCalls ?? []).map(({ tool }) => tool),
    replaces:
      archived === undefined
        ? null
        : {
            messages: archived.last - archived.first + 1,
            archive: `/ctx/archive/${archived.archive}`,
          },
  };
}

/** A model that was used may be gone since. */
function driverOf(devices: Devices, model: string): ModelDriver | undefined {
  try {
    return devices.model(model);
  } catch (error) {
    if (error instanceof SysError && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function counterOf(driver: ModelDriver | undefined, model: string): (message: Message) => number {
  const count = (messages: Message[]) => driver?.measure?.({ model, messages }).tokens;
  const empty = count([]) ?? 0;
  return (message) => Math.max(0, (count([message]) ?? guess([message])) - empty);
}

/** Where no tokenizer is at hand: four characters in a token. */
const guess = (messages: readonly Message[]): number =>
  messages.reduce(
    (sum, { content, toolCalls }) =>
      sum + 4 + Math.ceil((content.length + JSON.stringify(toolCalls ?? "").length) / 4),
    0,
  );
