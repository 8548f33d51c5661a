// Mapping: converts between agent paths (`/work/…`) and machine paths, which agents do not see.
//
//   toMachine(root, "/work/a/b")   `<root>/a/b`
//   toAgent(root, "<root>/a/b")    `/work/a/b`
//
// MAPPING-1  The machine path of a path in `/work` is the root or below it, textually.
// MAPPING-2  toAgent is the inverse of toMachine.
// MAPPING-3  The machine's own `/work`, if any, has no agent path.
//
// The mapping is textual: targets of links are resolved by the code that opens the file, and then passed to toAgent
// again.

import { SysError } from "@aos/protocol";

export const AGENT_ROOT = "/work";

/** The machine's path of an agent's `path`. Outside `/work` both are the same. */
export function toMachine(root: string, path: string): string {
  const base = plainRoot(root);
  plainOrRefused(path);
  return isIn(AGENT_ROOT, path) ? `${base}${path.slice(AGENT_ROOT.length)}` : path;
}

/** What agents call a real path of the machine. */
export function toAgent(root: string, real: string): string {
  const base = plainRoot(root);
  plainOrRefused(real);
  if (isIn(base, real)) return `${AGENT_ROOT}${real.slice(base.length)}`;
  if (!isIn(AGENT_ROOT, real)) return real;
  throw new SysError(
    "EACCES",
    `${real} is below ${AGENT_ROOT} of the machine, which agents cannot name`,
    {
      hint: `${AGENT_ROOT} is the workspace of the process; use another path for the folder`,
    },
  );
}

export const isIn = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(`${folder}/`);

/** The root itself comes from us, and must be a plain path below `/`. */
function plainRoot(root: string): string {
  plainOrRefused(root);
  if (root === "/")
    throw new SysError("EINVAL", "a workspace cannot be the root of the file system");
  return root;
}

/** Absolute, and in its shortest form: two spellings of one path would be two answers of the gate. */
function plainOrRefused(path: string): void {
  const isPlain =
    path === "/" ||
    (path.startsWith("/") &&
      !path.includes("\0") &&
      path
        .slice(1)
        .split("/")
        .every((part) => part !== "" && part !== "." && part !== ".."));
  if (isPlain) return;
  throw new SysError("EINVAL", `${JSON.stringify(path)} is not a canonical absolute path`, {
    hint: "begin with /, without `.`, `..`, empty segments or a trailing slash",
  });
}
