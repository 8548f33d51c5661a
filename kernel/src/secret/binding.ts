// Bindings: where the value of a secret may be put, and nowhere else.
//
//   readBinding(written)      checked, in its one canonical form; throws EINVAL
//   isBound(binding, place)   whether it covers the place
//   bindingMismatch(binding, value)    why a value cannot stand there
//
// BINDING-1  A header is bound to an origin: scheme, host and port. A host without a scheme means https.
// BINDING-2  `*.example.com` covers names below example.com, never example.com itself, and never an
//     address.
// BINDING-3  A place counts only in its canonical spelling. Any other is not bound.

import { type SecretPlace, SysError } from "@aos/protocol";

export type Binding =
  | {
      readonly kind: "header";
      readonly origin: string;
      readonly header: string;
      /** Put before the value, as in `Bearer `. */
      readonly prefix?: string;
    }
  | { readonly kind: "variable"; readonly tool: string; readonly variable: string }
  | { readonly kind: "service"; readonly service: string };

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,64}$/;
const HEADER_TEXT = /^[\u{20}-\u{7e}]*$/u;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const TOOL = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,127}$/;
const SERVICE = /^(?:hook|notify|channel):[a-z0-9][a-z0-9._-]{0,62}$/;
const MAX_PREFIX = 64;

export function readBinding(written: Binding): Binding {
  if (written.kind === "header") return readHeaderBinding(written);
  if (written.kind === "service") {
    if (SERVICE.test(written.service)) return { kind: written.kind, service: written.service };
    throw invalid(
      `${JSON.stringify(written.service)} is not hook:NAME, notify:NAME or channel:NAME`,
    );
  }
  const { kind, tool, variable } = written;
  if (!TOOL.test(tool)) throw invalid(`${JSON.stringify(tool)} is not the name of a tool`);
  if (!VARIABLE.test(variable))
    throw invalid(`${JSON.stringify(variable)} is not the name of an environment variable`);
  return { kind, tool, variable };
}

function readHeaderBinding(written: Extract<Binding, { kind: "header" }>): Binding {
  const header = written.header.toLowerCase();
  const prefix = written.prefix ?? "";
  if (!HEADER_NAME.test(header))
    throw invalid(`${JSON.stringify(written.header)} is not the name of a header`);
  if (!HEADER_TEXT.test(prefix) || prefix.length > MAX_PREFIX)
    throw invalid(`a prefix has at most ${MAX_PREFIX} printable ASCII characters`);
  const bound = { kind: "header", origin: readOrigin(written.origin), header } as const;
  return prefix === "" ? bound : { ...bound, prefix };
}

const STAR = "*.";

function readOrigin(written: string): string {
  const refuse = (problem: string) =>
    invalid(
      `${JSON.stringify(written)} is not an origin such as https://api.example.com: ${problem}`,
    );
  const [, scheme = "https://", authority = ""] = /^(https?:\/\/)?(.*)$/is.exec(written) ?? [];
  const hasStar = authority.startsWith(STAR);
  const host = hasStar ? authority.slice(STAR.length) : authority;
  if (!/^[A-Za-z0-9._:[\]-]+$/.test(host))
    throw refuse("a host, and a port if it is not the usual");
  const url = URL.parse(`${scheme}${host}`);
  if (url === null || url.host === "") throw refuse("there is no such host");
  if (url.hostname.endsWith(".")) throw refuse("a host does not end in a dot");
  if (!hasStar) return url.origin;
  if (isAddress(url.hostname) || !url.hostname.includes("."))
    throw refuse("* must be followed by a domain of at least two labels");
  return `${url.protocol}//${STAR}${url.host}`;
}

function isAddress(host: string): boolean {
  return host.startsWith("[") || /^[0-9]/.test(host.slice(host.lastIndexOf(".") + 1));
}

export function isBound(binding: Binding, place: SecretPlace): boolean {
  if (binding.kind === "service")
    return place.kind === "service" && place.service === binding.service;
  if (binding.kind === "variable")
    return (
      place.kind === "variable" &&
      place.tool === binding.tool &&
      place.variable === binding.variable
    );
  if (place.kind !== "header" || place.header.toLowerCase() !== binding.header) return false;
  return coversOrigin(binding.origin, place.origin);
}

function coversOrigin(bound: string, origin: string): boolean {
  const [scheme = "", host = ""] = bound.split("//");
  if (!host.startsWith(STAR)) return bound === origin;
  const start = `${scheme}//`;
  const ending = host.slice(STAR.length - 1);
  const labels = origin.slice(start.length, -ending.length);
  return origin === `${start}${labels}${ending}` && /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(labels);
}

/** Why the value cannot be put there, or undefined. */
export function bindingMismatch(binding: Binding, value: string): string | undefined {
  if (binding.kind === "header" && !HEADER_TEXT.test(value))
    return "a header takes one line of printable ASCII characters";
  return value.includes("\0") ? "the value contains a NUL character" : undefined;
}

export function placeText(place: SecretPlace): string {
  if (place.kind === "service") return place.service;
  return place.kind === "header"
    ? `the header ${place.header} for ${place.origin}`
    : `the variable ${place.variable} of ${place.tool}`;
}

const invalid = (message: string): SysError => new SysError("EINVAL", message);
