// Blob reads: large texts, put together from their parts where they are stored so. The same words for both
// databases.
//
// BLOB-READS-1  A text that lacks a part is missing. Whether a text is what its digest says is for the
//     reader to check, as of one that is stored whole.

import { numberValue, textValue, type Row, type RunQuery } from "./row-values.ts";
import type { ProcessKey, TenantKey } from "./rows.ts";

/** No text is so long that its lists are deeper; in a damaged database one may lead back to itself. */
const MAX_DEPTH = 12;

export const blobReads = (query: RunQuery) => ({
  async blobOf(process: ProcessKey, digest: string): Promise<string | undefined> {
    const [row] = await query(
      `select blob.tenant, body, in_parts from blob_use
         join blob on blob.tenant = blob_use.tenant and blob.digest = blob_use.digest
       where blob_use.process = ? and blob_use.digest = ?`,
      [process, digest],
    );
    return row && wholeBody(query, row);
  },

  async blob(tenant: TenantKey, digest: string): Promise<string | undefined> {
    const [row] = await query(
      "select tenant, body, in_parts from blob where tenant = ? and digest = ?",
      [tenant, digest],
    );
    return row && wholeBody(query, row);
  },

  /** Of the unfinished; a part is used by whoever uses what it is part of. */
  async missingBlobs(): Promise<{ process: ProcessKey; digest: string }[]> {
    const rows = await query(
      `select blob_use.process as process, blob_use.digest as digest from blob_use
           join process on process.key = blob_use.process and ended_at is null
         where not exists (select 1 from blob
           where blob.tenant = blob_use.tenant and blob.digest = blob_use.digest)
         order by blob_use.process limit 1000`,
      [],
    );
    return rows.map((row) => ({
      process: numberValue(row["process"]),
      digest: textValue(row["digest"]),
    }));
  },
});

/** The text of a row of `blob`; undefined when a part is gone (BLOB-READS-1). */
export async function wholeBody(query: RunQuery, row: Row, depth = 0): Promise<string | undefined> {
  if (numberValue(row["in_parts"]) === 0) return textValue(row["body"]);
  if (depth === MAX_DEPTH) return undefined;
  const digests = textValue(row["body"]).split(" ");
  const found = await query(
    `select tenant, digest, body, in_parts from blob
       where tenant = ? and digest in (${digests.map(() => "?").join(", ")})`,
    [numberValue(row["tenant"]), ...digests],
  );
  const parts = new Map<string, string>();
  for (const part of found) {
    const body = await wholeBody(query, part, depth + 1);
    if (body === undefined) return undefined;
    parts.set(textValue(part["digest"]), body);
  }
  if (!digests.every((digest) => parts.has(digest))) return undefined;
  return digests.map((digest) => parts.get(digest)).join("");
}
