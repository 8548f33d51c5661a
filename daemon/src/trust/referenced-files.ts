// Referenced files: files of a project that its `.agents` says to run: words of the commands of MCP servers and
// of agents that lie in the project and outside of `.agents`.

import { dirname, join, relative, resolve } from "node:path";
import { parse } from "yaml";
import { isWithinFolder } from "./power-entry.ts";

const AGENT = /^\.agents\/agents\/[^/]+\.yaml$/;

/** Paths from the project's folder; they need not be there. */
export function referencedFiles(root: string, files: ReadonlyMap<string, Buffer>): string[] {
  const named = new Set<string>();
  for (const [path, bytes] of files) {
    const base = path === ".agents/mcp.yaml" ? root : dirname(join(root, path));
    if (path !== ".agents/mcp.yaml" && !AGENT.test(path)) continue;
    for (const word of commandsIn(read(bytes))) {
      const full = resolve(base, word);
      const inside = relative(root, full);
      const isOther = inside !== "" && inside !== ".agents" && !inside.startsWith(".agents/");
      if (isOther && isWithinFolder(full, root) && !word.includes("\0")) named.add(inside);
    }
  }
  return [...named].toSorted();
}

/** What cannot be read names nothing: whoever uses the file says what is wrong with it. */
function read(bytes: Buffer): unknown {
  try {
    return parse(bytes.toString("utf8"), { maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}

function commandsIn(written: unknown): string[] {
  if (typeof written !== "object" || written === null) return [];
  const { command, servers } = written as Record<string, unknown>;
  const ofServers = typeof servers === "object" && servers !== null ? Object.values(servers) : [];
  return [wordsOf(command), ...ofServers.map((one) => commandsIn(one))].flat();
}

const wordsOf = (command: unknown): string[] =>
  (Array.isArray(command) ? command : [command]).filter((word) => typeof word === "string");
