// FarSide: a real daemon, and a client that has prism between it and the daemon. Every answer is looked at
// twice: by prism, which has only the document, and against the schemas that the document is made from.
//
//   await far.call("show", { pid })            an operation of a row, as its row says
//   await far.ask("GET", "/healthz")           anything
//   far.met("show")                            the statuses that it was answered with

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { API_ROOT, routes, type OperationName } from "@aos/protocol";
import { problemsOf } from "../../helpers/answer-check.ts";
import { type FakeService, startFakeService } from "../../helpers/post/fake-service.ts";
import { createTestProject, type TestProject } from "../project.ts";
import { complaintOf, startPrism, type Prism } from "./prism.ts";

export interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, read as JSON. */
  readonly json: never;
}

interface Asking {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** The operator's unless said; null for none. */
  readonly token?: string | null;
  /** Not held to the document: the daemon is to refuse it. */
  readonly isWrong?: boolean;
}

/** Prism closes a connection that rests for some seconds, also when a request is on its way: nobody has read that. */
async function fetchAgain(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    if (code !== "ECONNRESET" && code !== "UND_ERR_SOCKET") throw error;
    return fetch(url, request);
  }
}

export class FarSide {
  readonly project: TestProject;
  readonly document: { paths: Record<string, Record<string, { operationId: string }>> };
  readonly url: string;
  readonly #token: string;
  readonly #strict: Prism;
  readonly #lenient: Prism;
  /** Who is told of failures. */
  readonly #told: FakeService;
  readonly #met = new Map<string, Set<number>>();

  private constructor(parts: {
    project: TestProject;
    document: FarSide["document"];
    url: string;
    token: string;
    strict: Prism;
    lenient: Prism;
    told: FakeService;
  }) {
    this.project = parts.project;
    this.document = parts.document;
    this.url = parts.url;
    this.#token = parts.token;
    this.#strict = parts.strict;
    this.#lenient = parts.lenient;
    this.#told = parts.told;
  }

  static async open(): Promise<FarSide> {
    const project = createTestProject({ AOS_HTTP: "127.0.0.1:0" });
    const open: Prism[] = [];
    mkdirSync(project.home.folder, { recursive: true, mode: 0o700 });
    const told = await startFakeService();
    told.usual = () => ({ status: 400 }); // refused for good, so that it can be sent again
    const notify = `notify: { ops: { kind: webhook, url: "${told.url}", private: true, events: [failure] } }`;
    writeFileSync(
      join(project.home.folder, "config.yaml"),
      `retention: { archive: archive }\n${notify}\n`,
    );
    try {
      await project.aos("up", "-d");
      const { url } = (await project.aos("status", "-o", "json")).json() as { url: string };
      const made = await project.aos("token", "create", "--role", "operator", "--name", "ann");
      const document = (await (await fetch(`${url}/openapi.json`)).json()) as FarSide["document"];
      const before = async (name: string, said: object, isStrict: boolean) => {
        const file = join(project.folder, name);
        const prism = await startPrism(said, { file, upstream: url, isStrict });
        open.push(prism);
        return prism;
      };
      const [strict, lenient] = await Promise.all([
        before("strict.json", document, true),
        before("lenient.json", forRefusals(document), false),
      ]);
      const token = made.stdout.trim();
      return new FarSide({ project, document, url, token, strict, lenient, told });
    } catch (error) {
      await told.close();
      await Promise.all(open.map((prism) => prism.close()));
      await project.remove();
      throw error;
    }
  }

  async call(name: OperationName, args: Record<string, unknown> = {}, asking: Asking = {}) {
    const { method, path: pattern } = routes[name];
    const rest: Record<string, unknown> = {};
    let path = API_ROOT + pattern;
    for (const [key, value] of Object.entries(args))
      if (path.includes(`:${key}`))
        path = path.replace(`:${key}`, encodeURIComponent(String(value)));
      else rest[key] = value;
    if (method === "POST") return this.ask(method, path, { body: rest, ...asking });
    const query = new URLSearchParams(rest as Record<string, string>).toString();
    return this.ask(method, query === "" ? path : `${path}?${query}`, asking);
  }

  /** The same, and what it says. */
  async told<Said>(name: OperationName, args: Record<string, unknown> = {}): Promise<Said> {
    const got = await this.call(name, args);
    if (got.status !== 200) throw new Error(`${name}: ${got.status} ${got.text}`);
    return got.json as Said;
  }

  async ask(method: string, path: string, asking: Asking = {}): Promise<Got> {
    const { body, headers, token = this.#token, isWrong = false } = asking;
    const through = isWrong ? this.#lenient : this.#strict;
    const response = await fetchAgain(through.url + path, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const complaint = complaintOf(response, text);
    if (complaint !== undefined) throw new OffContract(`${method} ${path}: ${complaint}`);
    const type = response.headers.get("content-type") ?? "";
    const { status } = response;
    const problems = problemsOf({ method, url: path, status, type, text }) ?? [];
    if (problems.length > 0) throw new OffContract(problems.join("\n"));
    this.#note(method, path, status);
    return {
      status,
      headers: response.headers,
      text,
      get json() {
        return JSON.parse(text) as never;
      },
    };
  }

  /** The statuses that an operation was answered with. */
  met(operationId: string): readonly number[] {
    return [...(this.#met.get(operationId) ?? [])];
  }

  #note(method: string, url: string, status: number): void {
    const [path = ""] = url.split("?", 1);
    const fitting = Object.entries(this.document.paths).filter(
      ([address, here]) =>
        here[method.toLowerCase()] !== undefined &&
        new RegExp(`^${address.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path),
    );
    // `/processes/estimate` is no pid: the one with fewer arguments is meant.
    const [address] = fitting
      .map(([one]) => one)
      .sort((a, b) => a.split("{").length - b.split("{").length);
    if (address === undefined) return;
    const { operationId } = this.document.paths[address]![method.toLowerCase()]!;
    this.#met.set(operationId, (this.#met.get(operationId) ?? new Set()).add(status));
  }

  async close(): Promise<void> {
    await Promise.all([this.#strict.close(), this.#lenient.close(), this.#told.close()]);
    await this.project.remove();
  }
}

export class OffContract extends Error {}

/**
 * For requests that the daemon is to refuse: prism refuses nobody who does not say who calls. And it is told of
 * one answer that is never given, to see that it looks.
 */
function forRefusals(document: FarSide["document"]): object {
  const open = structuredClone(document) as unknown as {
    paths: Record<string, Record<string, { security: unknown[]; responses: { 200: Lie } }>>;
  };
  for (const here of Object.values(open.paths))
    for (const operation of Object.values(here)) operation.security = [];
  const schema = { type: "object", properties: { status: { const: "never" } } };
  open.paths["/healthz"]!["get"]!.responses[200].content = { "application/json": { schema } };
  return open;
}

interface Lie {
  content: object;
}
