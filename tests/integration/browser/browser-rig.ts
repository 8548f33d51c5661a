// Browser rig: the browser tools on the machine's real Chromium, and a web of one server for them.

import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { type DeviceContext, type Json, SysError, type Tool, type Touch } from "@aos/protocol";
import { createSandbox, type Sandbox, type ProgramRunner } from "@aos/drivers";
import { markOf, currentOwner } from "@aos/drivers/sandbox";
import { createBrowserTools, findChromium } from "@aos/drivers/parts";
import {
  type RecordingContext,
  deviceContextForTest,
} from "../../helpers/drivers/device-context.ts";
import { processesWith } from "../../sandbox/rig.ts";

export const noChromium = findChromium() === undefined;

interface Got {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly cookie: string | undefined;
}

/** Pages by path: a text is HTML. */
type Pages = Readonly<Record<string, string | ((response: ServerResponse, got: Got) => void)>>;

export interface Site {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  readonly origin: string;
  readonly got: Got[];
  paths(): string[];
}

export async function serve(pages: Pages): Promise<Site & { close(): void }> {
  const got: Got[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { method = "", url = "", headers } = request;
    const one = { method, url, body, cookie: headers.cookie };
    got.push(one);
    const page = pages[url.split("?")[0]!];
    if (typeof page === "function") return page(response, one);
    response.writeHead(page === undefined ? 404 : 200, { "content-type": "text/html" });
    response.end(page === undefined ? "nothing here" : `<!doctype html>${page}`);
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const paths = () => got.map(({ method, url }) => `${method} ${url}`);
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { host, origin: `http://${host}`, got, paths, close };
}

export interface Given {
  readonly grants?: (touch: Touch) => boolean;
  readonly tree?: string;
  readonly signal?: AbortSignal;
}

export interface Rig {
  readonly runner: ProgramRunner;
  site(pages: Pages): Promise<Site>;
  /** Grants for everything at these sites. */
  at(...sites: readonly Site[]): (touch: Touch) => boolean;
  context(given?: Given): RecordingContext;
  call(name: string, args: Json, context: DeviceContext): Promise<Record<string, Json>>;
  /** The tools as for a daemon of its own. */
  fresh(options?: Parameters<typeof createBrowserTools>[1]): Rig["call"];
  sockets(): string[];
}

const mark = markOf(currentOwner());

/** Processes of browsers that this process started: below it, or in a group of its own. */
export const browsers = (): string[] =>
  processesWith("--remote-debugging-pipe").filter(
    (pid) => quietly(`/proc/${pid}/cgroup`).includes(mark) || isBelowUs(pid),
  );

function isBelowUs(pid: string): boolean {
  if (pid === String(process.pid)) return true;
  const parent = /\) \S (\d+)/.exec(quietly(`/proc/${pid}/stat`))?.[1];
  return parent !== undefined && parent !== "0" && isBelowUs(parent);
}

function quietly(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** One for a file of tests; at its end nothing is left. */
export function useBrowser(): Rig {
  let sandbox: Sandbox;
  let folder = "";
  let tools: readonly Tool[] = [];
  const sites: { close(): void }[] = [];
  const runner: ProgramRunner = {
    sandbox: async () => sandbox,
    get socketFolder() {
      return join(folder, "s");
    },
    get workspaces(): never {
      throw new SysError("EINTERNAL", "a browser has no workspace");
    },
    quarantine: "/nonexistent",
    private: [],
  };
  beforeAll(async () => {
    sandbox = await createSandbox({});
    folder = mkdtempSync(join(tmpdir(), "aos-browser-"));
    tools = createBrowserTools(runner);
  });
  afterEach(() => {
    for (const site of sites.splice(0)) site.close();
  });
  afterAll(async () => {
    await sandbox.close();
    expect(browsers()).toEqual([]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  const calling =
    (all: () => readonly Tool[]): Rig["call"] =>
    async (name, args, context) => {
      const tool = all().find((one) => one.name === `browser.${name}`)!;
      for (const touch of tool.touches(args, context)) context.authorize(touch);
      return (await tool.run(args, context)) as Record<string, Json>;
    };
  let trees = 0;
  return {
    runner,
    site: async (pages) => {
      const site = await serve(pages);
      sites.push(site);
      return site;
    },
    at:
      (...granted) =>
      ({ resource }) =>
        granted.some(({ host }) => resource === host || resource.startsWith(`${host}/`)),
    context: ({ grants, signal, tree = `tree-${++trees}` } = {}) => ({
      ...deviceContextForTest({ ...(grants && { grants }), ...(signal && { signal }) }),
      tree,
    }),
    call: calling(() => tools),
    fresh: (options) => {
      const own = createBrowserTools(runner, options);
      return calling(() => own);
    },
    sockets: () => {
      try {
        return readdirSync(join(folder, "s"));
      } catch {
        return [];
      }
    },
  };
}
