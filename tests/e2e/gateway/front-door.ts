// The API as the network has it: a real kernel, the real app and a real listener, in one process. Every answer
// is held against its contract when it is closed.
//
//   const door = await openFrontDoor();
//   const bob = door.token("viewer", { tenant: "b" });
//   await door.ask("GET", "/api/v1/processes", { token: bob });

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kernel } from "@aos/kernel";
import {
  routes,
  type Json,
  type OperationName,
  type Program,
  type Role,
  type SysError,
} from "@aos/protocol";
import type { Config } from "@aos/daemon/parts";
import {
  type GatewayContext,
  createApp,
  acceptSockets,
  type TokenRegistry,
  listenOnNetwork,
  type ListenOptions,
} from "@aos/daemon/gateway";
import { watchAnswers } from "../../helpers/answer-watch.ts";
import { openTestGateway } from "./test-gateway.ts";

export interface Reach {
  readonly tool: string;
  readonly args: unknown;
}

const programs: Record<string, Program> = {
  listen: async (sys) => (await sys.receive()).body,
  echo: async (_sys, input) => input,
  ask: async (sys) => sys.ask("may I?", { choices: ["yes", "no"] }),
  remember: async (sys, input) => sys.write("/mem/shared/note", input),
  /** So many that a search is cut. */
  rememberMany: async (sys, input) => {
    for (let n = 0; n < 12; n++) await sys.write(`/mem/shared/a-${n}`, input);
    return null;
  },
  noteOwn: async (sys, input) => sys.write("/mem/working/diary", input),
  /** Makes one call of a tool, `{"tool", "args"}`, and says what came of it. */
  reach: async (sys, input) => {
    const { tool, args } = (typeof input === "string" ? JSON.parse(input) : input) as Reach;
    return sys.exec(tool, args as Json).then(
      (result) => `ok ${JSON.stringify(result)}`,
      ({ code, message }: SysError) => `${code} ${message}`,
    );
  },
  fail: async () => {
    throw new Error("it went wrong");
  },
  /** Notes every message that it gets, and ends at the word `stop`. */
  note: async (sys) => {
    for (;;) {
      const { body } = await sys.receive();
      if (body === "stop") return "stopped";
    }
  },
};

export interface Asking {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface FrontDoor {
  readonly url: string;
  readonly port: number;
  readonly kernel: Kernel;
  readonly tokens: TokenRegistry;
  readonly gateway: GatewayContext;
  /** What the daemon would have logged as its own mistake. */
  readonly mistakes: unknown[];
  token(role: Role, more?: { tenant?: string; name?: string }): string;
  ask(method: string, path: string, asking?: Asking): Promise<Response>;
  /** One operation, its arguments where its row says. */
  call(name: OperationName, args: Record<string, unknown>, asking?: Asking): Promise<Response>;
  /** The same through the socket's door. */
  callAsOwner(name: OperationName, args: Record<string, unknown>): Promise<Response>;
  spawn(program: string, tenant?: string): Promise<string>;
  close(): Promise<void>;
}

export async function openFrontDoor(
  options: {
    http?: Partial<Config["http"]>;
    mcp?: Partial<Config["mcp"]>;
    config?: Partial<Config>;
    store?: { readonly url: string } | undefined;
    listen?: Partial<ListenOptions>;
    folder?: string;
    keep?: boolean;
  } = {},
): Promise<FrontDoor> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "aos-door-"));
  const mistakes: unknown[] = [];
  const { gateway, kernel, tokens, closing } = await openTestGateway({
    folder,
    programs,
    isKept: true,
    http: options.http,
    mcp: options.mcp,
    config: options.config,
    store: options.store,
    onMistake: (error) => void mistakes.push(error),
  });
  const app = createApp(gateway);
  const answers = watchAnswers();
  const listener = await listenOnNetwork(app, { host: "127.0.0.1", port: 0, ...options.listen });
  acceptSockets(listener.server, app, gateway, "network");

  const ask: FrontDoor["ask"] = (method, path, { token, body, headers } = {}) =>
    fetch(listener.url + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    url: listener.url,
    port: Number(new URL(listener.url).port),
    kernel,
    tokens,
    gateway,
    mistakes,
    token: (role, more = {}) => tokens.create({ role, ...more }).token,
    ask,
    call(name, args, asking) {
      const { method, path, body } = addressOf(name, args);
      return ask(method, path, { ...asking, ...(body === undefined ? {} : { body }) });
    },
    async callAsOwner(name, args) {
      const { method, path, body } = addressOf(name, args);
      const headers = { "content-type": "application/json" };
      const init = {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      };
      return app.request(path, init, { transport: "socket" });
    },
    spawn: (program, tenant) =>
      kernel.spawn({
        manifest: {
          apiVersion: "aos/v1",
          kind: "Agent",
          name: program,
          program,
          capabilities: ["message:*:receive"],
        },
        ...(tenant === undefined ? {} : { tenant }),
      }),
    async close() {
      closing.abort();
      await listener.close();
      await kernel.close();
      if (options.keep !== true) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
      answers.stop();
    },
  };
}

/** As the client does it. */
function addressOf(name: OperationName, args: Record<string, unknown>) {
  const { method, path: pattern } = routes[name];
  let path = `/api/v1${pattern}`;
  const rest: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(args)) {
    if (path.includes(`/:${key}`))
      path = path.replace(`:${key}`, encodeURIComponent(String(value)));
    else rest[key] = value;
  }
  if (method === "POST") return { method, path, body: rest };
  const query = new URLSearchParams(rest as Record<string, string>).toString();
  return { method, path: query === "" ? path : `${path}?${query}`, body: undefined };
}
