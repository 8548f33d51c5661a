// Write files: writes a list of files and returns what became of each. An import of memory runs it.
//
// WRITE-FILES-1  A refused write is reported, and the others go on.

import { type Json, type Program, SysError } from "@aos/protocol";

interface WrittenFile {
  readonly path: string;
  readonly data: Json;
}

/** By path: null, or why it was not written. */
export const writeFilesProgram: Program = async (sys, input) => {
  const { files } = (input ?? {}) as { files?: unknown };
  if (!Array.isArray(files))
    throw new SysError("EINVAL", "the input names no files", {
      hint: '{"files": [{"path": "/mem/shared/note", "data": "…"}]}',
    });
  const results: Record<string, string | null> = {};
  for (const { path, data } of files as readonly WrittenFile[])
    results[path] = await sys.write(path, data).then(
      () => null,
      (error: unknown) => {
        if (!(error instanceof SysError) || error.code === "EINTR") throw error;
        return `${error.code}: ${error.message}`;
      },
    );
  return results as Json;
};
