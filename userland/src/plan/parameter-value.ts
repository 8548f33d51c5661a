// Parameter values: what a plan may say in the place of a role's parameter, and what it stands for in a capability.
//
// PARAMETER-VALUE-1  A path is below /work, has no `.`, `..` or empty segment, and no character that means something
//     in a pattern. Whether it leads out by a link, the file tools say when it is opened.
// PARAMETER-VALUE-2  A URL is http or https with a plain DNS name: no user, no IP address, no other alphabet. It grants its host.
// PARAMETER-VALUE-3  Anything else in a capability is letters, digits, `.`, `_` and `-`.

import type { Json, RoleParameter } from "@aos/protocol";

const ROOT = "/work";
const MOST_CHARS = 8000;

export type Flawed<T> = { readonly value: T } | { readonly flaw: string };

/** PARAMETER-VALUE-1. Relative to the workspace unless it says so itself. */
export function workPath(written: string): Flawed<string> {
  const path = written.startsWith("/") ? written : `${ROOT}/${written}`;
  if (path !== ROOT && !path.startsWith(`${ROOT}/`))
    return { flaw: `${shown(written)} is outside the workspace ${ROOT}` };
  const segments = path.slice(1).split("/");
  if (segments.some((segment) => segment === "." || segment === ".." || segment === ""))
    return { flaw: `${shown(written)} has a segment that is empty, . or ..` };
  if (!/^[\p{L}\p{N} ._@+=~/-]+$/u.test(path) || path !== path.normalize("NFC"))
    return { flaw: `${shown(written)} has a character that no path of a plan may have` };
  if (segments.some((segment) => segment !== segment.trim() || segment.length > 255))
    return {
      flaw: `${shown(written)} has a segment that is too long, or begins or ends with a space`,
    };
  return { value: path };
}

const URL_PARTS = /^https?:\/\/([a-z0-9.-]+)(?::(\d{1,5}))?(?:[/?#][^\s\\]*)?$/i;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** PARAMETER-VALUE-2. The host, with its port where that is said. */
export function urlHost(written: string): Flawed<string> {
  const [, host, port] = URL_PARTS.exec(written) ?? [];
  if (host === undefined) return { flaw: `${shown(written)} is no plain http or https URL` };
  const labels = host.toLowerCase().split(".");
  const isName = labels.every((label) => LABEL.test(label) && !label.startsWith("xn--"));
  if (!isName || /^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1)!))
    return { flaw: `${shown(written)}: its host is no plain DNS name` };
  return { value: labels.join(".") + (port === undefined ? "" : `:${Number(port)}`) };
}

/** PARAMETER-VALUE-3. */
const plainWord = (written: string): Flawed<string> =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(written) && !written.includes("..")
    ? { value: written }
    : { flaw: `${shown(written)} is no plain name` };

/** What a value is in the resource of a capability. */
export function grantedResource(kind: string, written: string): Flawed<string> {
  if (kind === "file") return workPath(written);
  if (kind === "http" || kind === "browser") return urlHost(written);
  return plainWord(written);
}

/** The value of a parameter as the role gets it; paths are whole. */
export function parameterValue({ type }: RoleParameter, given: Json): Flawed<Json> {
  if (type === "string_list") return textsIn(given);
  if (typeof given !== "string") return { flaw: `must be a ${type}` };
  if (given.length > MOST_CHARS) return { flaw: `has more than ${MOST_CHARS} characters` };
  if (type === "path") return workPath(given);
  if (type !== "url") return { value: given };
  const host = urlHost(given);
  return "flaw" in host ? host : { value: given };
}

function textsIn(given: Json): Flawed<Json> {
  if (!Array.isArray(given) || given.some((one) => typeof one !== "string"))
    return { flaw: "must be a list of strings" };
  if (JSON.stringify(given).length > MOST_CHARS)
    return { flaw: `has more than ${MOST_CHARS} characters` };
  return { value: given };
}

const shown = (text: string): string =>
  JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
