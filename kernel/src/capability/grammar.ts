// Grammar: a capability as one line of text.
//
//   kind:pattern:verbs{constraints}        http:api.example.com:8080/v1/**:get,head{rate:100/min}
//
//   parseCapability(text)     the capability, or a CapabilityError that points at the character
//   formatCapability(cap)     its canonical text
//
// GRAMMAR-1  parseCapability(formatCapability(c)) is c.
// GRAMMAR-2  Anything unknown is refused: kind, verb, constraint, number, repeated name.
//
// Older forms are read outside (policy-formats/older-capabilities.ts); what is stored is canonical.
//
// Patterns may hold colons (ports, model tags) but no brace: the kind ends at the first colon, the
// verbs begin after the last colon before the first brace.

import { type Constraints, readConstraints, writeConstraints } from "./constraints.ts";
import { CapabilityError, rebaseErrors } from "./error.ts";
import type { CapabilityKind } from "./kinds.ts";
import { compile, type Pattern } from "./pattern.ts";
import { barePattern, readKind, readVerbs } from "./words.ts";

export const MAX_LENGTH = 16_384;

export interface Capability {
  readonly kind: CapabilityKind;
  readonly pattern: Pattern;
  /** In the order of the kinds table. */
  readonly verbs: readonly string[];
  readonly constraints: Constraints;
}

/** Every process of an agent is given the same few texts: each is read once, and what it says never changes. */
const known = new Map<string, Capability>();
const MAX_KNOWN = 2048;
const MAX_KNOWN_LENGTH = 256;

export function parseCapability(text: string): Capability {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (text.length > MAX_LENGTH) throw new CapabilityError("capability too long", text, MAX_LENGTH);
  const capability = readCanonical(text);
  if (text.length > MAX_KNOWN_LENGTH) return capability;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, Object.freeze(capability));
  return capability;
}

export function formatCapability(capability: Capability): string {
  const { kind, pattern, verbs, constraints } = capability;
  return `${kind}:${pattern.text}:${verbs.join(",")}${writeConstraints(constraints)}`;
}

function readCanonical(text: string): Capability {
  const brace = text.indexOf("{");
  const headEnd = brace < 0 ? text.length : brace;
  const head = text.slice(0, headEnd);
  const kindEnd = head.indexOf(":");
  if (kindEnd < 0) throw new CapabilityError("expected kind:pattern:verbs", text, headEnd);
  const kind = readKind(text, 0, head.slice(0, kindEnd));
  const verbsAt = head.lastIndexOf(":") + 1;
  const verbs = rebaseErrors(text, verbsAt, () => readVerbs(kind, head.slice(verbsAt)));
  const pattern =
    kindEnd + 1 === verbsAt
      ? barePattern(text, kind, verbsAt)
      : rebaseErrors(text, kindEnd + 1, () => compile(kind, head.slice(kindEnd + 1, verbsAt - 1)));
  const constraints = headEnd < text.length ? readConstraints(text, headEnd) : {};
  return { kind, pattern, verbs, constraints };
}
