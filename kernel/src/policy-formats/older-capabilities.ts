// Capabilities as people write them: the canonical form (capability/grammar.ts), or one of two older syntaxes, parsed
// into the same value and printed in the canonical form. What is stored is canonical.
//
//   readCapability("file:/data/**:read")
//   capability://file/data/*?action=read&timeout=30s     the URL form
//   file_read: /data/*                                   the colon-space form
//
// COMPAT-1  These forms grant nothing that a canonical text could not grant, and are as strict.
// COMPAT-2  In the colon-space form a final `/*` means the whole subtree and becomes `/**`; so it does
//     for hosts in the URL form. Everywhere else `*` keeps its one meaning.

import { ConstraintReader } from "../capability/constraints.ts";
import { CapabilityError, rebaseErrors } from "../capability/error.ts";
import { type Capability, MAX_LENGTH, parseCapability } from "../capability/grammar.ts";
import { type CapabilityKind, kindRow } from "../capability/kinds.ts";
import { compile } from "../capability/pattern.ts";
import { barePattern, readKind, readVerbs } from "../capability/words.ts";

const OLDER_SCHEME = "capability://";
/** What no canonical text begins with. */
export const OLDER_FORM = /^(?:capability:\/\/|[^:]*: )/;

interface Form {
  readonly kind: CapabilityKind;
  readonly verbs: string;
  /** From what is written to our pattern. */
  readonly rewrite: (value: string) => string;
}

const FORMS: Readonly<Record<string, Form>> = {
  file_read: { kind: "file", verbs: "read", rewrite: subtree },
  file_write: { kind: "file", verbs: "write", rewrite: subtree },
  network: { kind: "http", verbs: "*", rewrite: hosts },
  spawn_child: { kind: "agent", verbs: "spawn", rewrite: bracketed },
  tool: { kind: "tool", verbs: "call", rewrite: (value) => value },
};

export function readCapability(text: string): Capability {
  if (!OLDER_FORM.test(text)) return parseCapability(text);
  if (text.length > MAX_LENGTH) throw new CapabilityError("capability too long", text, MAX_LENGTH);
  return text.startsWith(OLDER_SCHEME) ? readUrlForm(text) : readColonForm(text, text.indexOf(":"));
}

function readColonForm(text: string, colon: number): Capability {
  const word = text.slice(0, colon);
  const form = Object.hasOwn(FORMS, word) ? FORMS[word] : undefined;
  if (form === undefined) throw new CapabilityError(`unknown capability "${word}: …"`, text, 0);
  const at = colon + 2;
  const { kind } = form;
  const written = text.slice(at);
  const ours = rebaseErrors(text, at, () => form.rewrite(written));
  // Where rewriting moved the characters, an error points at the start of the value.
  const isMoved = !ours.startsWith(written);
  const pattern = rebaseErrors(text, at, () => compile(kind, ours), { pointAtStart: isMoved });
  return { kind, pattern, verbs: readVerbs(kind, form.verbs), constraints: {} };
}

function subtree(path: string): string {
  return path.endsWith("/*") ? `${path}*` : path;
}

/** Hosts, or URLs of which only the host counts in this form. */
function hosts(list: string): string {
  const items = list.split(",").map((item) => {
    const host = item.trim();
    const start = host.startsWith("https://") ? 8 : host.startsWith("http://") ? 7 : 0;
    const bare = host.slice(start);
    return bare.endsWith("/") ? bare.slice(0, -1) : bare;
  });
  const path = items.find((item) => item.includes("/"));
  if (path === undefined) return items.join(",");
  throw new CapabilityError(
    "only hosts here; write http:host/path:verbs",
    list,
    list.indexOf(path),
  );
}

function bracketed(list: string): string {
  if (!list.startsWith("[") || !list.endsWith("]")) {
    throw new CapabilityError("expected [name, …]", list, 0);
  }
  return list
    .slice(1, -1)
    .split(",")
    .map((name) => name.trim())
    .join(",");
}

function readUrlForm(text: string): Capability {
  const question = text.indexOf("?");
  if (question === -1) throw new CapabilityError("expected ?action=…", text, text.length);
  const slash = text.slice(0, question).indexOf("/", OLDER_SCHEME.length);
  const kindEnd = slash === -1 ? question : slash;
  const kind = readKind(text, OLDER_SCHEME.length, text.slice(OLDER_SCHEME.length, kindEnd));
  const { verbs, programs, constraints } = readQuery(text, question + 1, kind);
  if (slash === -1) {
    const pattern =
      programs === null
        ? barePattern(text, kind, kindEnd)
        : rebaseErrors(text, programs.at, () => compile(kind, programs.list));
    return { kind, pattern, verbs, constraints };
  }
  if (programs !== null) throw new CapabilityError("a path and an allowlist", text, slash);
  const pattern = rebaseErrors(text, patternAt(kind, slash), () =>
    compile(kind, urlPattern(kind, text.slice(slash, question))),
  );
  return { kind, pattern, verbs, constraints };
}

function patternAt(kind: CapabilityKind, slash: number): number {
  return kindRow(kind).shape === "path" ? slash : slash + 1;
}

function urlPattern(kind: CapabilityKind, written: string): string {
  const { shape } = kindRow(kind);
  if (shape === "path") return written;
  return shape === "host" ? subtree(written.slice(1)) : written.slice(1);
}

function readQuery(text: string, start: number, kind: CapabilityKind) {
  const reader = new ConstraintReader();
  let verbs: readonly string[] | null = null;
  let programs: { readonly list: string; readonly at: number } | null = null;
  let at = start;
  for (const pair of text.slice(start).split("&")) {
    const { name, value, valueAt } = splitPair(text, pair, at, "=");
    if (name === "action" && verbs === null) {
      verbs = rebaseErrors(text, valueAt, () => readVerbs(kind, value));
    } else if (name === "allowlist" && kind === "shell" && programs === null) {
      programs = { list: value, at: valueAt };
    } else if (name === "constraint") {
      addConstraints(reader, text, value, valueAt);
    } else {
      reader.add(name, value, text, at, valueAt);
    }
    at += pair.length + 1;
  }
  if (verbs === null) throw new CapabilityError("expected action=…", text, start);
  return { verbs, programs, constraints: reader.done() };
}

/** `constraint=timeout:30s,max:3` */
function addConstraints(reader: ConstraintReader, text: string, list: string, start: number): void {
  let at = start;
  for (const item of list.split(",")) {
    const { name, value, valueAt } = splitPair(text, item, at, ":");
    reader.add(name, value, text, at, valueAt);
    at += item.length + 1;
  }
}

function splitPair(text: string, pair: string, at: number, sign: string) {
  const end = pair.indexOf(sign);
  if (end === -1) throw new CapabilityError(`expected name${sign}value`, text, at);
  return { name: pair.slice(0, end), value: pair.slice(end + 1), valueAt: at + end + 1 };
}
