// Own files: what of a project the program of one of its MCP servers is: `.agents`, and the files that its
// command names. They are mounted from the copy of what was trusted.

import { join, relative, resolve } from "node:path";
import type { McpDeclaration } from "@aos/drivers";
import type { TrustedFolder } from "@aos/protocol";

type OwnFiles = NonNullable<Extract<McpDeclaration, { kind: "stdio" }>["own"]>;

export function ownFilesOf(
  command: readonly string[],
  { folder, copy, files }: TrustedFolder,
): OwnFiles {
  const named = command
    .map((word) => relative(folder, resolve(folder, word)))
    .filter((path) => files.has(path) && !path.startsWith(".agents/"));
  return [...new Set([".agents", ...named])].map((path) => ({
    from: join(copy, path),
    at: join(folder, path),
  }));
}
