// AnswerCheck: whether an answer of the daemon is what its contract says, whoever it was for.
//
//   problemsOf({ method, url, status, type, text })   what is wrong with it; nothing, for what is right
//
// Every failure is a problem+json whose status is the answer's; every other answer is what its row's schema
// says (protocol/src/operations), each line of a stream and each event for itself.

import {
  API_ROOT,
  failureText,
  feedEvent,
  operationNames,
  operationOf,
  operations,
  problem,
  routes,
  type OperationName,
  type Route,
} from "@aos/protocol";
import { z } from "zod";

export interface Heard {
  readonly method: string;
  /** As it was asked for: the path and the query. */
  readonly url: string;
  readonly status: number;
  /** The Content-Type, or nothing. */
  readonly type: string;
  readonly text: string;
  /** It was cut off: by who asked, or with the daemon. */
  readonly isCut?: boolean;
}

const patterns = operationNames.map((name) => {
  const { method, path }: Route = routes[name];
  const source = `${API_ROOT}${path}`.replaceAll(/:\w+/g, "[^/]+");
  return { name, method, pattern: new RegExp(`^${source}$`) };
});

/** The row that answers it. One with fewer arguments comes first: `/processes/estimate` is no pid. */
export function operationAt(method: string, url: string): OperationName | undefined {
  const [path = ""] = url.split("?", 1);
  const fitting = patterns.filter((one) => one.method === method && one.pattern.test(path));
  const literal = ({ pattern }: (typeof patterns)[number]) => pattern.source.split("[^/]+").length;
  return fitting.sort((a, b) => literal(a) - literal(b))[0]?.name;
}

/** What is no row and answers JSON. */
const others: readonly { readonly method: string; readonly path: RegExp; schema: z.ZodType }[] = [
  { method: "GET", path: /^\/healthz$/, schema: z.strictObject({ status: z.literal("ok") }) },
  { method: "GET", path: /^\/readyz$/, schema: z.strictObject({ status: z.literal("ready") }) },
  { method: "POST", path: /^\/api\/v1\/session$/, schema: operations.whoAmI.response },
  {
    method: "DELETE",
    path: /^\/api\/v1\/session$/,
    schema: z.strictObject({ ended: z.boolean() }),
  },
];
const unready = z.strictObject({ status: z.literal("not ready"), why: z.string() });

/** Undefined for what is not the API's: the page, and what speaks another protocol. */
export function problemsOf(heard: Heard): string[] | undefined {
  const { method, url, status } = heard;
  const [path = ""] = url.split("?", 1);
  const isApi = path.startsWith(`${API_ROOT}/`) || path === "/healthz" || path === "/readyz";
  if (!isApi || method === "HEAD") return undefined;
  const found = status >= 400 ? failureProblems(heard, path) : goodProblems(heard, path);
  return found.map((what) => `${method} ${url} (${status}): ${what}`);
}

/** The same answer, whose reader is told what is wrong with it, in the place of its end. */
export function checkedAnswer(
  response: Response,
  asked: { readonly method: string; readonly url: string },
): Response {
  const { pathname, search } = new URL(asked.url);
  const { status, headers } = response;
  const decoder = new TextDecoder();
  let text = "";
  const reading = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      text += decoder.decode(piece, { stream: true });
      controller.enqueue(piece);
    },
    flush() {
      const type = headers.get("content-type") ?? "";
      const heard = { method: asked.method, url: pathname + search, status, type, text };
      const problems = problemsOf(heard) ?? [];
      if (problems.length > 0) throw new Error(`off the contract:\n${problems.join("\n")}`);
    },
  });
  return new Response(response.body?.pipeThrough(reading) ?? null, { status, headers });
}

function failureProblems({ status, type, text, isCut }: Heard, path: string): string[] {
  if (isCut === true) return [];
  if (path === "/readyz" && status === 503) return jsonProblems(type, text, unready);
  if (type !== "application/problem+json") return [`a failure of type ${type || "none"}: ${text}`];
  const told = jsonProblems("application/json", text, problem);
  if (told.length > 0) return told;
  const said = (JSON.parse(text) as { status: number }).status;
  return said === status ? [] : [`the body says status ${said}`];
}

function goodProblems(heard: Heard, path: string): string[] {
  const { method, status, type, text, isCut } = heard;
  if (status === 304 || status === 204 || status === 101)
    return text === "" ? [] : [`a body where there is none: ${text}`];
  if (status !== 200) return ["no answer has this status"];
  if (method === "GET" && path.endsWith("/events")) return eventProblems(heard);
  const other = others.find((one) => one.method === method && one.path.test(path));
  const name = operationAt(method, path);
  const schema = other?.schema ?? (name === undefined ? undefined : operationOf(name).response);
  if (schema === undefined) return ["an answer where there is no operation"];
  if (name !== undefined && other === undefined && routes[name].streams)
    return lineProblems(heard, schema);
  if (isCut === true) return [];
  const told = name !== undefined && other === undefined && operations[name].reportsProgress;
  return told && type === "application/x-ndjson"
    ? progressProblems(text, schema)
    : jsonProblems(type, text, schema);
}

/** What long work says while it lasts, and last its result or its failure. */
function progressProblems(text: string, schema: z.ZodType): string[] {
  const lines = whole(text, "\n");
  const last = z.union([
    z.strictObject({ result: schema }),
    z.strictObject({ error: failureText }),
  ]);
  const problems = lines.flatMap((one, at) =>
    jsonProblems("application/json", one, at === lines.length - 1 ? last : progressLine),
  );
  return lines.length === 0 ? ["long work without a result"] : problems;
}

const progressLine = z.strictObject({
  progress: z.strictObject({
    done: z.number(),
    total: z.number().optional(),
    detail: z.string().optional(),
  }),
});

function lineProblems({ type, text, isCut }: Heard, schema: z.ZodType): string[] {
  if (isCut === true && type === "") return []; // who asked had gone before its head was sent
  if (type !== "application/x-ndjson") return [`a stream of type ${type}`];
  const line = z.union([schema, z.strictObject({ error: failureText })]);
  return whole(text, "\n").flatMap((one) => jsonProblems("application/json", one, line));
}

const reset = z.strictObject({ message: z.string() });

function eventProblems({ type, text }: Heard): string[] {
  if (type !== "text/event-stream") return [`events of type ${type}`];
  return whole(text, "\n\n").flatMap((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
    const data = field("data");
    if (data === undefined)
      return /^(:|retry:)/.test(block) ? [] : [`an event of nothing: ${block}`];
    if (field("event") === "reset") return jsonProblems("application/json", data, reset);
    const told = jsonProblems("application/json", data, feedEvent);
    if (told.length > 0) return told;
    const { pid, record } = JSON.parse(data) as z.output<typeof feedEvent>;
    return field("id") === `${pid}:${record.seq}` ? [] : [`its id is ${field("id")}: ${data}`];
  });
}

/** What has come to its end: the rest was cut off. */
const whole = (text: string, end: string): string[] =>
  text
    .split(end)
    .slice(0, -1)
    .filter((piece) => piece !== "");

function jsonProblems(type: string, text: string, schema: z.ZodType): string[] {
  if (!/^application\/json\b/.test(type)) return [`its type is ${type || "none"}`];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [`it is no JSON: ${text}`];
  }
  const parsed = schema.safeParse(value);
  return parsed.success ? [] : [`${z.prettifyError(parsed.error)}\n${text.slice(0, 2000)}`];
}
