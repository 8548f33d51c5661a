// Files: makes one call on the file tree and returns its answer. `aos fs` runs it for what a tenant shares.

import { type Json, type Program, SysError } from "@aos/protocol";

interface FileInput {
  readonly call: "list" | "read" | "search" | "write" | "remove";
  readonly path: string;
  readonly query?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly data?: Json;
}

export const filesProgram: Program = async (sys, input) => {
  const {
    call,
    path,
    query = "",
    limit,
    cursor,
    data = null,
  } = (input ?? {}) as Partial<FileInput>;
  if (typeof path !== "string" || call === undefined) throw unusable();
  const page = {
    ...(limit === undefined ? {} : { limit }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  switch (call) {
    case "list":
      return (await sys.list(path, page)) as Json;
    case "read":
      return sys.read(path, page);
    case "search":
      return (await sys.search(path, query, page)) as unknown as Json;
    case "write":
      await sys.write(path, data);
      return null;
    case "remove":
      await sys.remove(path);
      return null;
    default:
      throw unusable();
  }
};

const unusable = () =>
  new SysError("EINVAL", "the input names no path, or no call on files", {
    hint: '{"call": "read", "path": "/mem/shared/note"}',
  });
