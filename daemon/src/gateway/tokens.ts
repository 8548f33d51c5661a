// TokenRegistry: the credentials of network callers: tokens for programs, sessions for the page, and one-time login
// keys.
//
// GATEWAY-TOKENS-1  A token is shown once. Its SHA-256 and its owner are stored in a private file.
// GATEWAY-TOKENS-2  A session ends with the token that opened it.
// GATEWAY-TOKENS-3  A login key opens one session, within minutes, and is in no file.
// GATEWAY-TOKENS-4  A revoked or expired credential is invalid at once, also for answers in progress.
// GATEWAY-TOKENS-5  A session is identified by its secret and its origin; at another origin it is invalid.

import { createHash, randomBytes } from "node:crypto";
import { newId, SysError, type AccessTokenReport, type Role } from "@aos/protocol";
import type { Caller } from "./caller.ts";
import { readTokens, writeTokens, type StoredToken } from "./token-file.ts";

const SESSION_MS = 7 * 24 * 60 * 60 * 1000;
const LOGIN_KEY_MS = 5 * 60 * 1000;
const MOST_SESSIONS = 100;
const MOST_LOGIN_KEYS = 1000;
const MAX_TIMER_MS = 2 ** 31 - 1;

export type TokenIssuer = Pick<Caller, "role" | "tenant" | "name" | "id">;

/** GATEWAY-TOKENS-5. */
const hashOf = (secret: string, origin?: string): string =>
  createHash("sha256")
    .update(origin === undefined ? secret : `${secret}\n${origin}`)
    .digest("hex");
const secretOf = (prefix: string): string => `${prefix}_${randomBytes(32).toString("base64url")}`;

export class TokenRegistry {
  readonly #file: string;
  readonly #now: () => number;
  readonly #byHash = new Map<string, StoredToken>();
  readonly #keys = new Map<string, { readonly asker: TokenIssuer; readonly expiresAt: number }>();
  /** Of those who were asked for: GATEWAY-TOKENS-4. */
  readonly #ends = new Map<string, AbortController>();

  constructor(options: { file: string; now?: () => number }) {
    this.#file = options.file;
    this.#now = options.now ?? Date.now;
    for (const kept of readTokens(options.file)) this.#byHash.set(kept.hash, kept);
  }

  create(request: {
    role: Role;
    tenant?: string | undefined;
    name?: string | undefined;
    expiresInMs?: number | undefined;
  }): AccessTokenReport & { token: string } {
    const token = secretOf("aost");
    const id = newId("tok", this.#now(), randomBytes(10));
    const kept = this.#keep(hashOf(token), {
      id,
      kind: "token",
      of: id,
      name: request.name ?? id,
      role: request.role,
      tenant: request.tenant ?? null,
      expiresAt: request.expiresInMs === undefined ? null : this.#now() + request.expiresInMs,
    });
    return { ...reportOf(kept), token };
  }

  list(): AccessTokenReport[] {
    return this.#living().map(reportOf);
  }

  revoke(id: string): { id: string; sessions: number } {
    const found = this.#living().find((kept) => kept.id === id);
    if (found === undefined) {
      throw new SysError("ENOENT", `unknown token ${id}`, {
        hint: "aos token ls lists the tokens",
      });
    }
    // GATEWAY-TOKENS-2.
    const fallen = this.#living().filter((kept) => kept.id === id || kept.of === id);
    this.#forget(fallen);
    return { id, sessions: fallen.filter(({ kind }) => kind === "session").length };
  }

  /** Undefined for what is no token, and for what is one no longer. */
  callerOf(secret: string, origin?: string): Caller | undefined {
    const kept = this.#byHash.get(hashOf(secret, origin));
    if (kept === undefined || !this.#lives(kept)) return undefined;
    const { role, tenant, name, of } = kept;
    return { role, tenant, name, id: of, transport: "network", gone: this.#endOf(kept) };
  }

  openSession(asker: TokenIssuer, origin?: string): { secret: string; maxAgeMs: number } {
    const mine = this.#living().filter(({ kind, of }) => kind === "session" && of === asker.id);
    this.#forget(mine.slice(0, Math.max(0, mine.length - MOST_SESSIONS + 1)));
    const until = this.#now() + SESSION_MS;
    const token = this.#living().find(({ kind, id }) => kind === "token" && id === asker.id);
    const expiresAt = Math.min(until, token?.expiresAt ?? until); // GATEWAY-TOKENS-2
    const secret = secretOf("aoss");
    const { role, tenant, name, id: of } = asker;
    const id = newId("ses", this.#now(), randomBytes(10));
    this.#keep(hashOf(secret, origin), { id, kind: "session", of, name, role, tenant, expiresAt });
    return { secret, maxAgeMs: expiresAt - this.#now() };
  }

  closeSession(secret: string, origin?: string): void {
    const kept = this.#byHash.get(hashOf(secret, origin));
    if (kept?.kind === "session") this.#forget([kept]);
  }

  loginKey(asker: TokenIssuer): { key: string; expiresAt: number } {
    const key = secretOf("aosk");
    const expiresAt = this.#now() + LOGIN_KEY_MS;
    for (const [hash, kept] of this.#keys)
      if (kept.expiresAt <= this.#now() || this.#keys.size >= MOST_LOGIN_KEYS)
        this.#keys.delete(hash);
    this.#keys.set(hashOf(key), { asker, expiresAt });
    return { key, expiresAt };
  }

  /** GATEWAY-TOKENS-3. */
  redeem(key: string): TokenIssuer | undefined {
    const found = this.#keys.get(hashOf(key));
    this.#keys.delete(hashOf(key));
    if (found === undefined || found.expiresAt <= this.#now()) return undefined;
    const isToken = found.asker.id.startsWith("tok_");
    const stillIs = !isToken || this.#living().some(({ id }) => id === found.asker.id);
    return stillIs ? found.asker : undefined;
  }

  #keep(hash: string, more: Omit<StoredToken, "hash" | "createdAt">): StoredToken {
    const kept: StoredToken = { ...more, hash, createdAt: this.#now() };
    this.#byHash.set(kept.hash, kept);
    this.#save();
    return kept;
  }

  #forget(fallen: readonly StoredToken[]): void {
    if (fallen.length === 0) return;
    for (const { hash } of fallen) this.#byHash.delete(hash);
    this.#save();
    for (const { hash } of fallen) {
      this.#ends.get(hash)?.abort();
      this.#ends.delete(hash);
    }
  }

  #lives = ({ expiresAt }: StoredToken): boolean => expiresAt === null || expiresAt > this.#now();

  #living = (): StoredToken[] => [...this.#byHash.values()].filter(this.#lives);

  #save(): void {
    for (const [hash, kept] of this.#byHash) if (!this.#lives(kept)) this.#byHash.delete(hash);
    writeTokens(this.#file, [...this.#byHash.values()]);
  }

  /** GATEWAY-TOKENS-4. */
  #endOf({ hash, expiresAt }: StoredToken): AbortSignal {
    let end = this.#ends.get(hash);
    if (end === undefined) {
      const made = new AbortController();
      end = made;
      this.#ends.set(hash, made);
      const left = expiresAt === null ? Infinity : expiresAt - this.#now();
      if (left <= MAX_TIMER_MS) setTimeout(() => made.abort(), left).unref();
    }
    return end.signal;
  }
}

const iso = (ms: number): string => new Date(ms).toISOString();

const reportOf = (kept: StoredToken): AccessTokenReport => ({
  id: kept.id,
  kind: kept.kind,
  name: kept.name,
  role: kept.role,
  tenant: kept.tenant,
  createdAt: iso(kept.createdAt),
  expiresAt: kept.expiresAt === null ? null : iso(kept.expiresAt),
});
