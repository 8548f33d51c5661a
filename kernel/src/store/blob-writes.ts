// Blob writes: how a large text is put, whole or in parts. The same SQL for both databases.

import type { Write } from "./write-kinds.ts";
import type { Statement } from "./writes.ts";

const PUT_BLOB =
  "insert into blob (tenant, digest, body, in_parts) values (?, ?, ?, ?) on conflict do nothing";

/** Nothing shorter is ever stored in parts: it is put without looking at what is there. */
const IN_PARTS_LENGTH = 1024;

/** Who puts a text whole uses none of its parts: they may go, and so it is whole from then on. */
const PUT_WHOLE_BLOB = `
  insert into blob (tenant, digest, body, in_parts) values (?, ?, ?, ?) on conflict (tenant, digest)
    do update set body = excluded.body, in_parts = 0 where blob.in_parts = 1`;

type BlobPut = Extract<Write, { op: "blob.put" }>;

/** A record uses it, whatever states do. */
const USE = `
  insert into blob_use (tenant, digest, process) values (?, ?, ?) on conflict (tenant, digest, process)
    do update set state_seq = null where blob_use.state_seq is not null`;

/** The first state that has a part is the one that it goes with. */
const USE_BY_STATE =
  "insert into blob_use (tenant, digest, process, state_seq) values (?, ?, ?, ?) on conflict do nothing";

export function putBlob(write: BlobPut): readonly Statement[] {
  const { tenant, process, digest, body, inParts, state } = write;
  const isPart = inParts === true || body.length < IN_PARTS_LENGTH;
  return [
    [isPart ? PUT_BLOB : PUT_WHOLE_BLOB, [tenant, digest, body, inParts === true ? 1 : 0]],
    state === undefined
      ? [USE, [tenant, digest, process]]
      : [USE_BY_STATE, [tenant, digest, process, state]],
  ];
}
