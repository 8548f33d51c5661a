// D, second part: the real destination of a request: other servers, redirects, names that resolve to internal
// addresses.

import { lookup } from "node:dns/promises";
import { hostname } from "node:os";
import type { Range } from "../range.ts";
import { tried, type AttackRow } from "./row.ts";
import { visit } from "./urls.ts";

const EGRESS = "drivers/src/web/egress.ts";
const RESOLVE = "drivers/src/web/resolve.ts";
const HEADERS = "drivers/src/web/header-text.ts";

const away = ({ web }: Range, to: string, by = 302): string =>
  `http://127.0.0.1:${web.front}/public/away?by=${by}&to=${encodeURIComponent(to)}`;

/** A header that changes the recipient or the length of a request. */
const smuggle = (header: string, value: string) => async (range: Range) => {
  const url = `http://127.0.0.1:${range.web.front}/public/a`;
  await visit(range, "http.fetch", { url, headers: { [header]: value } });
  const seen = range.web.visits.map(({ headers }) => headers[header]);
  return tried(seen.includes(value), `the server saw ${JSON.stringify(seen)}`);
};

/** A host name other than localhost that resolves to loopback. */
export async function loopbackName(): Promise<string | undefined> {
  for (const name of [hostname(), "localhost.localdomain", "localhost4"]) {
    const found = await lookup(name.toLowerCase(), { all: true }).catch(() => []);
    if (found.length > 0 && found.every(({ address }) => address === "127.0.0.1"))
      return name.toLowerCase();
  }
  return undefined;
}

export const addresses: readonly AttackRow[] = [
  {
    id: "D18",
    name: "request another port of the same machine",
    stoppedBy: "kernel/src/capability/host-pattern.ts",
    run: (range) => visit(range, "http.fetch", { url: `http://127.0.0.1:${range.web.inner}/` }),
  },
  {
    id: "D19",
    name: "request another path of the same server",
    stoppedBy: "kernel/src/capability/host-pattern.ts",
    run: (range) =>
      visit(range, "http.fetch", { url: `http://127.0.0.1:${range.web.front}/private/key` }),
  },
  {
    id: "D20",
    name: "post with a grant for get",
    stoppedBy: "kernel/src/capability/obstacle.ts",
    run: async (range) => {
      const url = `http://127.0.0.1:${range.web.front}/public/a`;
      const { detail } = await visit(range, "http.send", { url, method: "post", text: "x" });
      return tried(range.web.visits.length > 0, detail);
    },
  },
  {
    id: "D21",
    name: "be redirected to another server",
    stoppedBy: EGRESS,
    run: (range) =>
      visit(range, "http.fetch", { url: away(range, `http://127.0.0.1:${range.web.inner}/`) }),
  },
  {
    id: "D22",
    name: "be redirected to another path of the same server",
    stoppedBy: EGRESS,
    run: (range) => visit(range, "http.fetch", { url: away(range, "/private/key") }),
  },
  {
    id: "D23",
    name: "be redirected to another server by a URL without a scheme",
    stoppedBy: EGRESS,
    run: (range) =>
      visit(range, "http.fetch", { url: away(range, `//127.0.0.1:${range.web.inner}/`) }),
  },
  {
    id: "D24",
    name: "be redirected twice, the second time to another server",
    stoppedBy: EGRESS,
    run: (range) => {
      const second = away(range, `http://127.0.0.1:${range.web.inner}/`);
      return visit(range, "http.fetch", { url: away(range, second) });
    },
  },
  {
    id: "D25",
    name: "have a body sent to another server by a redirect that keeps the method",
    stoppedBy: EGRESS,
    run: (range) => {
      const url = away(range, `http://127.0.0.1:${range.web.inner}/`, 307);
      return visit(range, "http.send", { url, method: "post", text: "x" }, [
        "tool:http.*:call",
        `http:127.0.0.1:${range.web.front}/public/**:*`,
      ]);
    },
  },
  {
    id: "D26",
    name: "be redirected to localhost",
    stoppedBy: EGRESS,
    run: (range) =>
      visit(range, "http.fetch", { url: away(range, `http://localhost:${range.web.inner}/`) }),
  },
  {
    id: "D27",
    name: "reach loopback as localhost with a grant for every host",
    stoppedBy: "kernel/src/capability/host-pattern.ts",
    run: (range) => {
      const { inner } = range.web;
      return visit(range, "http.fetch", { url: `http://localhost:${inner}/` }, [
        "tool:http.*:call",
        `http:*:${inner}/**:get`,
      ]);
    },
  },
  {
    id: "D28",
    name: "reach loopback as 0.0.0.0 with a grant for every host",
    stoppedBy: "kernel/src/capability/host-pattern.ts",
    run: (range) => {
      const { inner } = range.web;
      return visit(range, "http.fetch", { url: `http://0.0.0.0:${inner}/` }, [
        "tool:http.*:call",
        `http:*:${inner}/**:get`,
      ]);
    },
  },
  {
    id: "D29",
    name: "reach loopback through a granted name that resolves to it",
    stoppedBy: RESOLVE,
    needs: ["a name of the loopback"],
    run: async (range) => {
      const name = await loopbackName();
      const { inner } = range.web;
      return visit(range, "http.fetch", { url: `http://${name}:${inner}/` }, [
        "tool:http.*:call",
        `http:${name}:${inner}/**:get`,
      ]);
    },
  },
  {
    id: "D30",
    name: "set the length of the request with a header",
    stoppedBy: HEADERS,
    run: smuggle("transfer-encoding", "chunked"),
  },
  {
    id: "D31",
    name: "address a proxy with a header",
    stoppedBy: HEADERS,
    run: smuggle("proxy-authorization", "me"),
  },
];
