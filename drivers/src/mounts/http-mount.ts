// HTTP mount: a JSON API below /mnt/NAME, described by data: which request lists, reads and searches, and where in
// the answers the entries and the cursor are.
//
// HTTP-MOUNT-1  Every hop goes through the egress (web/egress.ts): a redirect out of the declared URL, and a private
//     address behind a name, are asked of the gate.
// HTTP-MOUNT-2  A path, words and a cursor are encoded when they are filled in: none of them can add to the path, the
//     query or the headers.

import {
  SysError,
  type DeviceContext,
  type Json,
  type Connector,
  type MountRequest,
} from "@aos/protocol";
import type { Egress, EgressReply } from "../web/egress.ts";
import { secretsIn } from "../web/header-text.ts";
import { showBody } from "../web/reply.ts";
import { readUrl, touchOf } from "../web/url.ts";
import {
  connector,
  isPlainName,
  MOST_BYTES,
  MOST_ENTRIES,
  noFile,
  pieceOfText,
  USUAL_TIMEOUT_MS,
  type DeclaredMount,
} from "./connector.ts";
import { coversWeb } from "./mount-reach.ts";

type HttpDeclaration = Extract<DeclaredMount["declaration"], { driver: "http" }>;
type Template = NonNullable<HttpDeclaration["list"]>;

const USUAL_LIMIT = 100;
const MAX_REDIRECTS = 3;

export function httpMount(declared: DeclaredMount<HttpDeclaration>, egress: Egress): Connector {
  const { url, headers = {}, list, read, search, timeout } = declared.declaration;
  const base = readUrl(url);
  const templateOf = ({ call }: MountRequest) => ({ list, read, search })[call];
  const secrets = secretsIn(headers).map((resource) => ({ kind: "secret", resource, verb: "use" }));
  const ask = async (template: Template, request: MountRequest, context: DeviceContext) => {
    const reply = await egress.send(
      {
        method: "get",
        target: readUrl(urlOf(url, template, request)),
        headers: { accept: "application/json", ...headers },
        limit: MOST_BYTES,
        timeoutMs: timeout ?? USUAL_TIMEOUT_MS,
        maxRedirects: MAX_REDIRECTS,
      },
      context,
    );
    return checked(reply, request);
  };
  return connector(declared, {
    target: url,
    egress: true,
    covers: coversWeb(`${base.host}:${base.port}${base.path}`),
    needs: (request) => {
      const template = templateOf(request);
      const touched =
        template === undefined ? [] : [touchOf(readUrl(urlOf(url, template, request)), "get")];
      return [...touched, ...secrets];
    },
    async list(request, context) {
      if (list === undefined) throw new SysError("EINVAL", "it cannot be listed");
      const answer = await ask(list, request, context);
      const prefix = request.path === "" ? "" : `${request.path}/`;
      const paths = entriesOf(answer, list).flatMap((entry) => {
        const name = nameOf(entry, list);
        return name === undefined ? [] : [`${prefix}${name}`];
      });
      return { paths, next: nextOf(answer, list) };
    },
    async read(request, context) {
      const answer = await ask(read, request, context);
      const value = read.items === undefined ? answer : valueAt(answer, read.items);
      if (read.next !== undefined) return { value: value ?? null, next: nextOf(answer, read) };
      return typeof value === "string" ? pieceOfText(value, request) : (value ?? null);
    },
    ...(search === undefined
      ? {}
      : {
          search: async (request: MountRequest, context: DeviceContext) => {
            const answer = await ask(search, request, context);
            const entries = entriesOf(answer, search).slice(0, request.limit ?? USUAL_LIMIT);
            const found = entries.map((entry, index) => ({
              path: nameOf(entry, search) ?? "",
              data: entry,
              score: 1 - index / entries.length,
            }));
            return { found, next: nextOf(answer, search) };
          },
        }),
  });
}

/** HTTP-MOUNT-2. What is filled in with nothing is left out. */
function urlOf(url: string, { path, query = {} }: Template, request: MountRequest): string {
  const values: Readonly<Record<string, string>> = {
    path: request.path.split("/").map(encodeURIComponent).join("/"),
    query: encodeURIComponent(request.query ?? ""),
    cursor: encodeURIComponent(request.cursor ?? ""),
    limit: String(Math.min(request.limit ?? USUAL_LIMIT, MOST_ENTRIES)),
  };
  const fill = (text: string) =>
    text.replaceAll(/\{(path|query|cursor|limit)\}/g, (_, name: string) => values[name]!);
  const pairs = Object.entries(query)
    .map(([name, value]) => [encodeURIComponent(name), filled(value, fill)] as const)
    .filter(([, value]) => value !== "");
  const below = fill(path).replace(/\/+$/, "");
  const search = pairs.map(([name, value]) => `${name}=${value}`).join("&");
  return `${url.replace(/\/+$/, "")}${below}${search === "" ? "" : `?${search}`}`;
}

/** The declared parts are encoded as well; the places in them are not. */
const filled = (value: string, fill: (text: string) => string): string =>
  value
    .split(/(\{(?:path|query|cursor|limit)\})/)
    .map((part, index) => (index % 2 === 1 ? fill(part) : encodeURIComponent(part)))
    .join("");

function checked(reply: EgressReply, { path }: MountRequest): Json {
  const { status, headers, cut } = reply;
  if (status === 404 || status === 410) throw noFile(path);
  if (status < 200 || status > 299)
    throw new SysError("EUPSTREAM", `the server answered ${status}`);
  if (cut) throw new SysError("EUPSTREAM", `the answer has more than ${MOST_BYTES} bytes`);
  const said = headers["content-type"];
  const type = typeof said === "string" ? said : "";
  const shown = showBody(reply, type);
  if (!("text" in shown)) return shown;
  if (!/[/+]json\b/i.test(type)) return shown.text;
  try {
    return JSON.parse(shown.text) as Json;
  } catch {
    throw new SysError("EUPSTREAM", "the answer is not JSON, although its content type says so");
  }
}

function valueAt(value: Json, pointer: string): Json | undefined {
  let at: Json | undefined = value;
  for (const name of pointer.split(".")) {
    if (typeof at !== "object" || at === null) return undefined;
    at = Object.hasOwn(at, name) ? (at as Record<string, Json>)[name] : undefined;
  }
  return at;
}

function entriesOf(answer: Json, { items }: Template): Json[] {
  const entries = items === undefined ? answer : valueAt(answer, items);
  if (Array.isArray(entries)) return entries;
  throw new SysError("EUPSTREAM", `the answer has no list at ${items ?? "its top"}`);
}

/** Of what cannot be a segment of a path there is none. */
function nameOf(entry: Json, { name }: Template): string | undefined {
  const value = name === undefined ? entry : valueAt(entry, name);
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && isPlainName(text) ? text : undefined;
}

function nextOf(answer: Json, { next }: Template): string | null {
  const cursor = next === undefined ? undefined : valueAt(answer, next);
  if (typeof cursor === "number") return String(cursor);
  return typeof cursor === "string" && cursor !== "" ? cursor : null;
}
