// IdempotencyStore: executes a request with an `Idempotency-Key` once. Its answer is kept for a day, in a file of the
// home.
//
// IDEMPOTENCY-STORE-1  The same key, caller and request get the first answer again. The key with another request is
//     refused; another caller's key is a different key.
// IDEMPOTENCY-STORE-2  A request is stored before it begins. A spawn is stored with its future pid, so that one cut
//     off by a crash is not started twice. For other operations the outcome is then unknown, and the answer says so.
// IDEMPOTENCY-STORE-3  Only final answers are kept; a failure that may pass is executed again.
// IDEMPOTENCY-STORE-4  The file has only digests of keys and requests.

import { createHash, createHmac, randomBytes } from "node:crypto";
import { failures, newProcessId, SysError, type FailureCode, type ProcessId } from "@aos/protocol";
import {
  openIdempotencyFile,
  type IdempotencyFile,
  type IdempotencyEntry,
} from "./idempotency-file.ts";

const KEPT_MS = 24 * 60 * 60 * 1000;
const MOST_ENTRIES = 100_000;
const MOST_ANSWER_CHARS = 256 * 1024;

export interface IdempotentRequest {
  readonly entry: IdempotencyEntry;
  /** What a spawn is to have. */
  readonly pid: ProcessId | undefined;
}

export class IdempotencyStore {
  readonly #entries: IdempotencyFile;
  readonly #now: () => number;
  readonly #underWay = new Set<string>();

  constructor(options: { file: string; now?: () => number }) {
    this.#now = options.now ?? Date.now;
    this.#entries = openIdempotencyFile(options.file, this.#now() - KEPT_MS);
  }

  /** What was answered before, or undefined and it is begun. */
  begin(request: {
    caller: string;
    key: string;
    request: string;
    isSpawn: boolean;
  }): IdempotentRequest | IdempotencyEntry {
    const id = createHash("sha256").update(`${request.caller}\n${request.key}`).digest("hex");
    const print = createHmac("sha256", request.key).update(request.request).digest("hex");
    const known = this.#known(id);
    if (known !== undefined && known.print !== print) throw new IdempotencyKeyReused();
    if (this.#underWay.has(id)) throw new RequestInProgress();
    if (known?.answer !== undefined) return known;
    if (known !== undefined && known.pid === undefined) throw inDoubt();
    const pid = request.isSpawn
      ? (known?.pid ?? newProcessId(this.#now(), randomBytes(10)))
      : undefined;
    const entry: IdempotencyEntry = {
      id,
      print,
      at: this.#now(),
      ...(pid === undefined ? {} : { pid }),
    };
    this.#makeRoom();
    this.#entries.put(entry); // IDEMPOTENCY-STORE-2
    this.#underWay.add(id);
    return { entry, pid: pid as ProcessId | undefined };
  }

  /** `code` where it failed. */
  finish(
    { entry }: IdempotentRequest,
    answer: { status: number; body: string; code?: FailureCode },
  ): void {
    this.#underWay.delete(entry.id);
    const { status, body, code } = answer;
    const isFinal =
      code === undefined || (failures[code].retry === "never" && code !== "EINTERNAL");
    if (isFinal) {
      const kept = body.length > MOST_ANSWER_CHARS ? null : body;
      this.#entries.put({ ...entry, answer: { status, body: kept } });
    } else if (entry.pid === undefined) {
      this.#entries.remove(entry.id); // IDEMPOTENCY-STORE-3; a spawn keeps its pid, whatever became of it
    }
  }

  #known(id: string): IdempotencyEntry | undefined {
    const known = this.#entries.get(id);
    return known === undefined || known.at <= this.#now() - KEPT_MS ? undefined : known;
  }

  #makeRoom(): void {
    for (const { id, at } of this.#entries.oldestFirst()) {
      if (at > this.#now() - KEPT_MS && this.#entries.size < MOST_ENTRIES) return;
      this.#entries.remove(id);
    }
  }
}

/** 422. */
export class IdempotencyKeyReused extends SysError {
  constructor() {
    super("EINVAL", "this Idempotency-Key was used for another request", {
      hint: "use a new key for a new request",
    });
  }
}

/** 409. */
export class RequestInProgress extends SysError {
  constructor() {
    super("EAGAIN", "the request with this Idempotency-Key is still running", {
      hint: "repeat it in a moment",
      retryAfter: 1000,
    });
  }
}

const inDoubt = (): SysError =>
  new SysError("EINDOUBT", "the daemon stopped during this request, and its outcome is unknown", {
    hint: "check whether it was done; a new key does it again",
  });
