// The file of tokens: `$AOS_HOME/tokens.json`, private to its owner.
//
// TOKEN-FILE-1  An unreadable file does not count as empty: the daemon does not start.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { roles, SysError } from "@aos/protocol";
import { z } from "zod";

const kept = z.strictObject({
  id: z.string(),
  kind: z.enum(["token", "session"]),
  /** The token that opened it; a token's own id. */
  of: z.string(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  name: z.string(),
  role: z.enum(roles),
  tenant: z.string().nullable(),
  /** Milliseconds since 1970. */
  createdAt: z.number(),
  expiresAt: z.number().nullable(),
});
export type StoredToken = Readonly<z.output<typeof kept>>;

const whole = z.strictObject({ version: z.literal(1), tokens: z.array(kept) });

export function readTokens(file: string): StoredToken[] {
  try {
    return whole.parse(JSON.parse(readFileSync(file, "utf8"))).tokens;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new SysError("ECORRUPT", `${file} is not a valid token file`, {
      hint: "restore it from a backup, or delete it and create new tokens with `aos token create`",
    });
  }
}

/** On the disk when it returns: who was let in is let in after a crash, who was put out stays out. */
export function writeTokens(file: string, tokens: readonly StoredToken[]): void {
  const opened = openSync(`${file}.new`, "w", 0o600);
  try {
    writeSync(opened, `${JSON.stringify({ version: 1, tokens }, null, 1)}\n`);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
  renameSync(`${file}.new`, file);
}
