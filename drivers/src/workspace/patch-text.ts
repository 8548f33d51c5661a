// Patch text: a unified diff of two versions of a file, readable by `git apply`.
//
// PATCH-TEXT-1  A file that is too large, too different or binary is shown by its size.

import { formatPatch, OMIT_HEADERS, structuredPatch } from "diff";
import { formatBytes } from "./format.ts";
import { decodeUtf8 } from "./path-state.ts";

export const MAX_TEXT_BYTES = 524_288;
/** More lines than this removed and added: the time for it grows with the square. */
const MAX_EDITS = 1000;

export interface Version {
  readonly kind: "file" | "folder" | "link";
  readonly mode: number;
  readonly size: number;
  /** The bytes, or the target of a link. Absent when they are not to be had. */
  readonly content?: Buffer;
}

/** Undefined for folders, which no patch can tell of. */
export function patchText(
  path: string,
  old: Version | undefined,
  now: Version | undefined,
): string | undefined {
  if (old?.kind !== now?.kind && old !== undefined && now !== undefined) {
    const parts = [patchText(path, old, undefined), patchText(path, undefined, now)];
    return parts.filter((part) => part !== undefined).join("") || undefined;
  }
  if ((old ?? now)?.kind === "folder") return undefined;
  const [before, after] = [quote(`a/${path}`), quote(`b/${path}`)];
  const heads = [`diff --git ${before} ${after}`];
  if (old === undefined) heads.push(`new file mode ${gitMode(now!)}`);
  else if (now === undefined) heads.push(`deleted file mode ${gitMode(old)}`);
  else if (gitMode(old) !== gitMode(now))
    heads.push(`old mode ${gitMode(old)}`, `new mode ${gitMode(now)}`);

  const body = bodyOf(old, now);
  if (body === undefined) {
    const sizes = `${formatBytes(old?.size ?? 0)} before, ${formatBytes(now?.size ?? 0)} now`;
    heads.push(`Binary files ${before} and ${after} differ (${sizes})`);
  } else if (body !== "") {
    heads.push(`--- ${old === undefined ? "/dev/null" : before}`);
    heads.push(`+++ ${now === undefined ? "/dev/null" : after}`);
  }
  return `${heads.join("\n")}\n${body ?? ""}`;
}

/** The hunks; empty when there are none, undefined when they cannot be told. */
function bodyOf(old: Version | undefined, now: Version | undefined): string | undefined {
  const before = old === undefined ? "" : readableText(old);
  const after = now === undefined ? "" : readableText(now);
  if (before === undefined || after === undefined) return undefined;
  if (before === after) return "";
  const patch = structuredPatch("a", "b", before, after, undefined, undefined, {
    context: 3,
    maxEditLength: MAX_EDITS,
  });
  return patch === undefined ? replaced(before, after) : formatPatch(patch, OMIT_HEADERS);
}

/** All that was, and then all that is. */
function replaced(before: string, after: string): string {
  const side = (sign: string, text: string) => {
    const lines = text.split("\n");
    const isWhole = lines.at(-1) === "";
    if (isWhole) lines.pop();
    const said = lines.map((line) => `${sign}${line}\n`).join("");
    return { count: lines.length, said: isWhole ? said : `${said}\\ No newline at end of file\n` };
  };
  const [old, now] = [side("-", before), side("+", after)];
  return `@@ -1,${old.count} +1,${now.count} @@\n${old.said}${now.said}`;
}

function readableText({ content }: Version): string | undefined {
  if (content === undefined || content.length > MAX_TEXT_BYTES || content.includes(0))
    return undefined;
  return decodeUtf8(content);
}

/** Git knows three: a link, and files that may be run or not. */
function gitMode({ kind, mode }: Version): string {
  if (kind === "link") return "120000";
  return (mode & 0o100) === 0 ? "100644" : "100755";
}

/** As git quotes names that are not plain. */
function quote(name: string): string {
  const isPlain = /^[\x21-\x7e]*$/.test(name.replaceAll(" ", "")) && !/["\\]/.test(name);
  if (isPlain) return name;
  const bytes = [...Buffer.from(name)].map((byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
    return `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `"${bytes.join("")}"`;
}
