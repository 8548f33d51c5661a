// H, first part: secrets. A value goes only to the place that it is bound to.

import { join } from "node:path";
import { readFile, readdir, writeFile } from "node:fs/promises";
import type { Json } from "@aos/protocol";
import type { Range } from "../range.ts";
import { codeOf, tried, type AttackRow, type AttackOutcome } from "./row.ts";

const BINDING = "kernel/src/secret/binding.ts";
const REDIRECT = "drivers/src/web/redirect.ts";
const VAULT = "kernel/src/secret/vault.ts";
const NAME = "RANGE_TOKEN";
const header = (port: number, name = "authorization") => ({
  kind: "header",
  origin: `http://127.0.0.1:${port}`,
  header: name,
});

/** Declares the secret, for the front server's header Authorization only. */
export async function declare(range: Range, tenant?: string): Promise<void> {
  const { front, inner } = range.web;
  const bindings: Json[] = [header(front)];
  if (range.isWeak("bound-anywhere"))
    bindings.push(header(inner), header(front, "x-note"), header(inner, "x-note"));
  const secret = { name: NAME, value: range.secret, bindings };
  await range.kernel.setSecret({ ...secret, ...(tenant === undefined ? {} : { tenant }) }, "rita");
}

export const useOf = ({ web }: Range): string[] => [
  "tool:http.*:call",
  "secret:*:use",
  `http:127.0.0.1:${web.front}/**:*`,
  `http:127.0.0.1:${web.inner}/**:*`,
];

/** Whether a server or header other than the bound one received the value. */
function leaked(range: Range, isRight: (port: number, header: string) => boolean): AttackOutcome {
  const wrong = range.web.visits.flatMap(({ port, headers, path, body }) => [
    ...Object.entries(headers).flatMap(([name, value]) =>
      String(value).includes(range.secret) && !isRight(port, name) ? [`${name} at ${path}`] : [],
    ),
    ...(body.includes(range.secret) ? [`the body at ${path}`] : []),
  ]);
  return tried(wrong.length > 0, `the value was seen in: ${wrong.join(", ") || "no wrong place"}`);
}

const isBound = (range: Range) => (port: number, name: string) =>
  port === range.web.front && name === "authorization";

const send =
  (argsOf: (range: Range) => Json, capabilities = useOf) =>
  async (range: Range): Promise<AttackOutcome> => {
    await declare(range);
    await range.run(async (sys) => codeOf(sys.exec("http.fetch", argsOf(range))), {
      capabilities: capabilities(range),
    });
    return leaked(range, isBound(range));
  };

export const secrets: readonly AttackRow[] = [
  {
    id: "H1",
    name: "send a secret to another server",
    stoppedBy: BINDING,
    run: send(({ web }) => ({
      url: `http://127.0.0.1:${web.inner}/`,
      headers: { authorization: { secret: NAME } },
    })),
  },
  {
    id: "H2",
    name: "send a secret in another header",
    stoppedBy: BINDING,
    run: send(({ web }) => ({
      url: `http://127.0.0.1:${web.front}/public/a`,
      headers: { "x-note": `see {{secret:${NAME}}}` },
    })),
  },
  {
    id: "H3",
    name: "have a redirect carry a secret to another server",
    stoppedBy: REDIRECT,
    run: send(({ web }) => {
      const to = encodeURIComponent(`http://127.0.0.1:${web.inner}/`);
      return {
        url: `http://127.0.0.1:${web.front}/public/away?to=${to}`,
        headers: { authorization: { secret: NAME } },
      };
    }),
  },
  {
    id: "H4",
    name: "have a redirect return a secret to the first server in another header",
    stoppedBy: REDIRECT,
    run: send(({ web }) => ({
      url: `http://127.0.0.1:${web.front}/public/away?to=%2Fpublic%2Fecho`,
      headers: { "x-note": { secret: NAME } },
    })),
  },
  {
    id: "H5",
    name: "use a secret without a grant for it",
    stoppedBy: "kernel/src/handlers/devices.ts",
    run: async (range) => {
      await declare(range);
      const url = `http://127.0.0.1:${range.web.front}/public/a`;
      const args = { url, headers: { authorization: { secret: NAME } } };
      await range.run(async (sys) => codeOf(sys.exec("http.fetch", args)), {
        capabilities: useOf(range).filter((one) => !one.startsWith("secret:")),
      });
      return leaked(range, () => false);
    },
  },
  {
    id: "H6",
    name: "use the secret of another tenant",
    stoppedBy: VAULT,
    run: async (range) => {
      await declare(range, "elsewhere");
      const url = `http://127.0.0.1:${range.web.front}/public/a`;
      const args = { url, headers: { authorization: { secret: NAME } } };
      await range.run(async (sys) => codeOf(sys.exec("http.fetch", args)), {
        capabilities: useOf(range),
      });
      return leaked(range, () => false);
    },
  },
  {
    id: "H7",
    name: "use a removed secret",
    stoppedBy: VAULT,
    run: async (range) => {
      await declare(range);
      await range.kernel.removeSecret(NAME, { by: "rita" });
      const url = `http://127.0.0.1:${range.web.front}/public/a`;
      const args = { url, headers: { authorization: { secret: NAME } } };
      await range.run(async (sys) => codeOf(sys.exec("http.fetch", args)), {
        capabilities: useOf(range),
      });
      return leaked(range, () => false);
    },
  },
  {
    id: "H8",
    name: "read a secret from the disk",
    stoppedBy: "kernel/src/secret/seal.ts",
    mode: { isKept: true },
    run: async (range) => {
      await declare(range);
      const found: string[] = [];
      await range.restart(async () => {
        for (const name of await readdir(range.storeFolder, { recursive: true })) {
          const bytes = await readFile(join(range.storeFolder, name)).catch(() => "");
          const spelled = [range.secret, JSON.stringify(range.secret).slice(1, -1)];
          if (spelled.some((text) => bytes.includes(text))) found.push(name);
        }
      });
      return tried(found.length > 0, `files with the value: ${found.join(", ") || "none"}`);
    },
  },
  {
    id: "H9",
    name: "read the environment of the daemon from its own program",
    stoppedBy: "drivers/src/programs/confine.ts",
    run: async (range) => {
      const variable = "AOS_RANGE_CANARY";
      const said = `{ code: 0, output: process.env.${variable} ?? null }`;
      const exit = `{ jsonrpc: "2.0", id: 1, method: "exit", params: ${said} }`;
      await writeFile(join(range.work, "spy.cjs"), `console.log(JSON.stringify(${exit}))`);
      process.env[variable] = range.treasure;
      try {
        const { output, error } = await range.runCommand(["node", "spy.cjs"]);
        return tried(output === range.treasure, JSON.stringify(output ?? error));
      } finally {
        delete process.env[variable];
      }
    },
  },
];
