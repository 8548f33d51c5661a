// Past run: the origin and the records of a process with every value in full, wherever the store keeps it.

import type { JournalRecord, Json, Manifest } from "@aos/protocol";
import type { RecordedRun } from "../api.ts";
import { argumentsOf, decodeValue, type FetchBlob } from "../journal/codec.ts";
import { recordsFrom } from "../process/recorded-state.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessRow } from "../store/rows.ts";

export async function pastRunOf(store: Store, row: ProcessRow): Promise<RecordedRun> {
  const { manifestHash, folder, label, blocks } = row.spec;
  const narrowed = blocks.find(({ id }) => id === `${row.pid}.1`)?.capabilities;
  const manifest = JSON.parse((await store.manifest(row.tenant, manifestHash))!) as Manifest;
  const fetch: FetchBlob = (digest) => store.blob(row.tenant, digest);
  const records: JournalRecord[] = [];
  for (const record of await recordsFrom(store, row.key, 0))
    records.push(await wholeRecord(record, fetch));
  return {
    manifest,
    label,
    records,
    ...(folder === undefined ? {} : { folder }),
    ...(narrowed === undefined ? {} : { capabilities: narrowed }),
  };
}

export async function wholeRecord(record: JournalRecord, fetch: FetchBlob): Promise<JournalRecord> {
  const { args, ok, input, output } = record as { [Name in keyof Values]?: Json };
  const { call = "" } = record as { call?: string };
  const values: Values = {};
  if (args !== undefined) values.args = await argumentsOf({ call, args }, fetch);
  if (ok !== undefined) values.ok = await decodeValue(ok, fetch);
  if (input !== undefined) values.input = await decodeValue(input, fetch);
  if (output !== undefined) values.output = await decodeValue(output, fetch);
  return { ...record, ...values } as JournalRecord;
}

interface Values {
  args?: Json;
  ok?: Json;
  input?: Json;
  output?: Json;
}
