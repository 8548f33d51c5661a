// Store failure: a database that cannot be used, as an error with a hint.

import { SysError } from "@aos/protocol/failures";

type Say = (name: string, said: string) => string;

const rows: readonly [pattern: RegExp, message: Say, hint: string][] = [
  [
    /database is locked|SQLITE_BUSY/i,
    (name) => `${name} is in use by another daemon`,
    "stop the other one (`aos down`), or use another AOS_HOME",
  ],
  [
    /read-only transaction/i,
    (name) => `${name} takes no writes`,
    "it is a standby, or set to be read-only: use the primary's address in AOS_DATABASE_URL",
  ],
  [
    /readonly|read-only|attempt to write a readonly/i,
    (name) => `${name} cannot be written`,
    "check the owner and mode of the file and its folder",
  ],
  [
    /disk is full|ENOSPC|no space left on device| 4874$/i, // SQLITE_IOERR_SHMSIZE
    (name) => `there is no space left for ${name}`,
    "free some space; what was acknowledged is safe, and goes on when there is some",
  ],
  [
    /not a database|malformed|file is encrypted/i,
    (name) => `${name} is not a database of ours, or it is damaged`,
    "restore it from a backup, or move it away to start anew",
  ],
  [
    /unable to open/i,
    (name) => `${name} cannot be opened`,
    "check that its folder exists and can be written",
  ],
  [
    /too many clients|remaining connection slots|too many connections/i,
    (name, said) => `${name} has no connection left for us: ${said}`,
    "raise max_connections of the server, or let others have fewer; it is tried again",
  ],
  [
    /disk I\/O error|SQLITE_IOERR|EIO/i,
    (name, said) => `the disk of ${name} fails: ${said}`,
    "check the disk and the log of the system; it is tried again",
  ],
  [
    /ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|terminat(ed|ing)|timeout (expired|exceeded)|is (starting up|shutting down)|not queryable/i,
    (name, said) => `${name} does not answer: ${said}`,
    "check AOS_DATABASE_URL and that the server runs",
  ],
  [
    /password|no pg_hba|role .* does not exist|database .* does not exist|permission denied/i,
    (name) => `${name} refuses us`,
    "check the user, password and database in AOS_DATABASE_URL",
  ],
];

/** Any error of a database as ESTORE; an error of ours as it is. */
export function storeFailure(error: unknown, name: string): SysError {
  if (error instanceof SysError) return error;
  const said =
    error instanceof Error
      ? error.message || String((error as { code?: unknown }).code)
      : String(error);
  for (const [pattern, message, hint] of rows) {
    if (pattern.test(`${said} ${(error as { errcode?: number } | null)?.errcode}`))
      return new SysError("ESTORE", message(name, said), { hint, detail: said });
  }
  return new SysError("ESTORE", `${name}: ${said}`);
}

/** The version of a database whose content was moved elsewhere: newer than any release knows, so that each refuses it. */
export const MOVED_AWAY = 1_000_000;

export function newerSchemaFailure(name: string, found: number, known: number): SysError {
  if (found === MOVED_AWAY)
    return new SysError("ESTORE", `what ${name} had was moved to another database`, {
      hint: "use that one; to go back to this one instead: delete from aos_version where version = 1000000",
    });
  return new SysError(
    "ESTORE",
    `${name} has schema version ${found}, and this program knows versions up to ${known}`,
    {
      hint: "it was written by a newer version of Agent OS: use that one, or restore a backup from before",
    },
  );
}
