// Placeholders: random words that a sandboxed program receives instead of secrets. The proxy inserts the value on the
// way out, where the secret is bound.
//
//   const placeholders = placeholdersFor(context, ["GITHUB_TOKEN"]);
//   placeholders.env             { GITHUB_TOKEN: "aos-secret-…" }
//
// PLACEHOLDERS-1  A value is inserted only into the value of a header, and only if the kernel releases it for that
//     origin and header. A placeholder anywhere else, or of another run, is refused.
// PLACEHOLDERS-2  In headers of the answer the value is replaced by the placeholder.

import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { Transform } from "node:stream";
import { type DeviceContext, SysError } from "@aos/protocol";

const WORD = "aos-secret-";
const MARK = /aos-secret-[0-9a-f]{32}/gi;
const MARK_CHARS = WORD.length + 32;
/** The shortest that a secret is; anything shorter would be found in harmless text. */
const MIN_VALUE_CHARS = 8;
const BASIC = /^(basic +)([A-Za-z0-9+/=_-]+)$/i;

export interface Placeholders {
  /** Variables for the program, by the names of the secrets. */
  readonly env: Readonly<Record<string, string>>;
  readonly isEmpty: boolean;
  /** A header's value with its secrets put in; `secret` gives one by its name, or throws. */
  fill(value: string, secret: (name: string) => string): string;
  /** A value from outside without the secrets that were put in. */
  hide(value: string): string;
}

/** Throws EACCES for a secret that the process may not use. */
export function placeholdersFor(context: DeviceContext, names: readonly string[]): Placeholders {
  for (const name of names) {
    const touch = { kind: "secret", resource: name, verb: "use" };
    if (!context.permits(touch)) context.authorize(touch); // throws the true reason
  }
  const env = Object.fromEntries(
    names.map((name) => [name, `${WORD}${randomBytes(16).toString("hex")}`]),
  );
  return create(env);
}

export const noPlaceholders = (): Placeholders => create({});

function create(env: Readonly<Record<string, string>>): Placeholders {
  const nameOf = new Map(Object.entries(env).map(([name, placeholder]) => [placeholder, name]));
  const placeholderOf = new Map<string, string>();

  function fillPlain(text: string, secret: (name: string) => string): string {
    let filled = "";
    let end = 0;
    for (const { 0: mark, index } of text.matchAll(MARK)) {
      const name = nameOf.get(mark);
      if (name === undefined)
        throw new SysError("EACCES", "the placeholder belongs to a secret of another run");
      const value = secret(name);
      remember(value, mark);
      const before = text.slice(end, index);
      // A secret that is bound with `Bearer ` brings it along; most programs say it themselves.
      filled += before !== "" && value.startsWith(before) ? value : `${before}${value}`;
      end = index + mark.length;
    }
    return filled + text.slice(end);
  }

  function remember(value: string, mark: string): void {
    placeholderOf.set(value, mark);
    const withoutPrefix = value.slice(value.lastIndexOf(" ") + 1);
    if (withoutPrefix.length >= MIN_VALUE_CHARS) placeholderOf.set(withoutPrefix, mark);
  }

  return {
    env,
    isEmpty: nameOf.size === 0,
    fill(value, secret) {
      const basic = BASIC.exec(value);
      const inside = basic === null ? "" : Buffer.from(basic[2]!, "base64").toString("latin1");
      if (!hasPlaceholder(inside)) return fillPlain(value, secret);
      return `${basic![1]}${Buffer.from(fillPlain(inside, secret), "latin1").toString("base64")}`;
    },
    hide(value) {
      let hidden = value;
      for (const [secret, mark] of placeholderOf) hidden = hidden.replaceAll(secret, mark);
      return hidden;
    },
  };
}

/** Whether there is a placeholder in a text, also one that is encoded for a URL. */
export function hasPlaceholder(text: string): boolean {
  if (text.search(MARK) >= 0) return true;
  const decoded = text.replaceAll(/%([0-9a-f]{2})/gi, (_code, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decoded.search(MARK) >= 0;
}

export const misplaced = (where: string): SysError =>
  new SysError(
    "EACCES",
    `the placeholder of a secret is in ${where}; it is allowed only in a header`,
  );

export const bodyTooLong = (most: number): SysError =>
  new SysError("EINVAL", `the body of the request has more than ${most} bytes`);

/** Lets a body pass until there is a placeholder in it, or more than `most` bytes. */
export function checkedBody(most: number): Transform {
  let tail = "";
  let size = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > most) return done(bodyTooLong(most));
      const seen = tail + chunk.toString("latin1");
      tail = seen.slice(-(MARK_CHARS - 1));
      if (seen.search(MARK) >= 0) return done(misplaced("the body"));
      done(null, chunk);
    },
  });
}
