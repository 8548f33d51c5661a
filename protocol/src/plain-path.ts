// Plain path: the canonical spelling of a path of the virtual file system. Rights are checked by the text of a path,
// so two spellings of one file would be two rights.

import { SysError } from "./failures.ts";

const hasControlCharacter = (text: string): boolean =>
  Array.from(text).some((character) => character < " " || character === "\u007f");

/** Refuses what is not a plain absolute path. */
export function plainPath(path: string): string {
  if (path === "/") return path; // the root has no name
  const parts = path.split("/").slice(1);
  const odd = parts.some((part) => part === "" || part === "." || part === "..");
  if (!path.startsWith("/") || odd || hasControlCharacter(path) || path !== path.normalize("NFC")) {
    throw new SysError("EINVAL", `not a plain absolute path: ${JSON.stringify(path)}`);
  }
  return path;
}
