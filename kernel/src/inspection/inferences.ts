// Inferences: the model requests and answers of a process, from its journal.
//
// INFERENCES-1  They are in the order of the calls, not of the answers, with those that the gate refused.
// INFERENCES-2  Each has the label of the process at its answer: whoever receives the same answer has read the same.

import type { InferReply, Json } from "@aos/protocol";
import type { RecordedInference } from "../api.ts";
import { decodeArgs, decodeValue } from "../journal/codec.ts";
import { join, readLabel } from "../label/label.ts";
import { recordsFrom } from "../process/recorded-state.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessRow } from "../store/rows.ts";

export async function inferencesOf(
  store: Store,
  row: ProcessRow,
  { requests = false }: { requests?: boolean } = {},
): Promise<RecordedInference[]> {
  const fetch = (digest: string) => store.blob(row.tenant, digest);
  const found: RecordedInference[] = [];
  let label = row.spec.label;
  for (const record of await recordsFrom(store, row.key, 0)) {
    if (record.kind === "restart" && record.label !== undefined)
      label = join(label, readLabel(record.label));
    if (record.kind !== "call" && record.kind !== "outcome") continue;
    if (record.label !== undefined) label = readLabel(record.label);
    if (record.kind === "outcome" || record.call !== "infer") continue;
    const { n, args, err } = record;
    found.push({
      n,
      model: await modelOf(args, fetch),
      label,
      ...(err === undefined
        ? { reply: (await decodeValue(record.ok, fetch)) as unknown as InferReply }
        : { err }),
      ...(requests ? { request: (await decodeArgs(args, fetch)) as never } : {}),
    });
  }
  return found.toSorted((a, b) => a.n - b.n);
}

/** Of what the gate refused as well, whose arguments may be anything. */
async function modelOf(args: Json, fetch: Parameters<typeof decodeValue>[1]): Promise<string> {
  const whole = await decodeValue(args, fetch);
  const { model } = (whole ?? {}) as { model?: Json };
  const named = await decodeValue(model, fetch);
  return typeof named === "string" ? named : "";
}
