// Ingest: writes files below a folder of memory and removes others. `aos ctx ingest` runs it, a batch at a time.
//
// INGEST-1  Every path is below the folder; the gate, and not this program, sees to it.
// INGEST-2  What is gone already is no failure: a batch that was cut short is sent again whole.

import { type Json, type Program, SysError } from "@aos/protocol";

interface IngestInput {
  readonly folder: string;
  readonly files: readonly { readonly path: string; readonly data: Json }[];
  readonly remove: readonly string[];
}

export const ingestProgram: Program = async (sys, input) => {
  const { folder, files = [], remove = [] } = (input ?? {}) as unknown as Partial<IngestInput>;
  if (typeof folder !== "string" || !Array.isArray(files) || !Array.isArray(remove))
    throw new SysError("EINVAL", "the input names no folder, or no files", {
      hint: '{"folder": "/mem/shared/docs", "files": [{"path": "a.md", "data": "…"}], "remove": []}',
    });
  for (const { path, data } of files as IngestInput["files"])
    await sys.write(`${folder}/${path}`, data);
  let removed = 0;
  for (const path of remove as readonly string[]) {
    try {
      await sys.remove(`${folder}/${path}`);
      removed++;
    } catch (error) {
      if (!(error instanceof SysError) || error.code !== "ENOENT") throw error; // INGEST-2
    }
  }
  return { written: files.length, removed };
};
