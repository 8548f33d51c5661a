// Edit result: edits the result of a call in the user's editor.
//
// EDIT-RESULT-1  The file is readable only by the user and is removed afterwards.
// EDIT-RESULT-2  A text that is not JSON, or is unchanged, is rejected.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JournalRecord, Json } from "@aos/protocol/words";

export type EditedResult = { readonly result: Json } | { readonly problem: string };

/** Undefined where the record says nothing of what a call came to; a refusal came to nothing yet. */
export function resultIn(record: JournalRecord): Json | undefined {
  if (record.kind !== "call" && record.kind !== "outcome") return undefined;
  return record.err === undefined ? (record.ok ?? null) : null;
}

export function editResult(before: Json, env: NodeJS.ProcessEnv): EditedResult {
  const folder = mkdtempSync(join(tmpdir(), "aos-debug-")); // EDIT-RESULT-1: 0700
  const file = join(folder, "result.json");
  try {
    const text = `${JSON.stringify(before, null, 2)}\n`;
    writeFileSync(file, text, { mode: 0o600 });
    const editor = env["VISUAL"] || env["EDITOR"] || "vi";
    // As git does: the variable may have options in it, and is read by a shell.
    const ran = spawnSync("sh", ["-c", `${editor} "$@"`, editor, file], { stdio: "inherit" });
    if (ran.status !== 0) return { problem: `${editor} ended with ${ran.status ?? ran.signal}` };
    return readEdited(text, readFileSync(file, "utf8"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** EDIT-RESULT-2. */
export function readEdited(before: string, after: string): EditedResult {
  try {
    const result = JSON.parse(after) as Json;
    return JSON.stringify(result) === JSON.stringify(JSON.parse(before))
      ? { problem: "the result is unchanged; no fork was started" }
      : { result };
  } catch (error) {
    return { problem: `that is not JSON: ${(error as Error).message}` };
  }
}
