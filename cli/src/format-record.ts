// Formats a journal record as one line.

import type { JournalRecord, Outcome } from "@aos/protocol/words";
import { colors } from "./colors.ts";
import { printableStyled } from "./printable.ts";

const MOST_CHARS = 200;

export function formatRecord(record: JournalRecord): string {
  const time = new Date(record.at).toISOString().slice(11, 23);
  return `${colors.dim(`${String(record.seq).padStart(4)} ${time}`)} ${what(record)}`;
}

type Sayings = {
  readonly [Kind in JournalRecord["kind"]]: (
    record: Extract<JournalRecord, { kind: Kind }>,
  ) => string;
};

const sayings: Sayings = {
  start: ({ program, input }) => `start ${program.name} ${short(input)}`,
  call: (record) => `${colors.bold(record.call)} ${given(record)} → ${outcome(record)}`,
  intent: ({ call, args, attempt }) => `${colors.bold(call)} ${short(args)} … (try ${attempt})`,
  outcome: (record) => `call ${record.n} → ${outcome(record)}`,
  signal: ({ signal, did }) => colors.yellow(`${signal} ${did}`),
  restart: ({ why }) => colors.yellow(`restart after ${why}`),
  crash: ({ reason }) => colors.red(`crash: ${reason}`),
  fork: ({ from, shared }) => `fork of ${from} at ${shared}`,
  grant: ({ by, capabilities }) => colors.yellow(`granted by ${by}: ${capabilities.join(" ")}`),
  revoke: ({ by, handle }) => colors.yellow(`revoked by ${by}: ${handle}`),
  end: ({ state, code, output, error }) =>
    `${state === "completed" ? colors.green(state) : colors.red(state)} ${code} ${error?.message ?? short(output)}`,
};

/** Of a request to a model, whom it asks: what it shows is references here, and told by `aos ctx`. */
function given({ call, args }: Extract<JournalRecord, { kind: "call" }>): string {
  const { model, messages } = (args ?? {}) as { model?: unknown; messages?: { count?: unknown } };
  const isRequest = call === "infer" && typeof model === "string";
  return isRequest && typeof messages?.count === "number"
    ? `${model}, ${messages.count} messages`
    : short(args);
}

const what = (record: JournalRecord): string =>
  printableStyled((sayings[record.kind] as (record: JournalRecord) => string)(record));

const outcome = ({ ok, err }: Outcome): string =>
  err === undefined ? short(ok) : colors.red(`${err.code}: ${err.message}`);

function short(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text;
}
