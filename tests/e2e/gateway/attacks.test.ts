// What somebody may try over the network, one test for each.

import { MAX_BODY_BYTES, SysError } from "@aos/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";
import { rawRequest, statusOf } from "./raw.ts";

vi.mock("@aos/kernel", async (original) =>
  (await import("../../helpers/checked-kernel.ts")).checkedModule(original),
);

let door: FrontDoor;
let operator: string;
beforeAll(async () => {
  door = await openFrontDoor({
    http: { hosts: ["aos.example"] },
    listen: { patience: { headersMs: 200, requestMs: 400, checkMs: 50 } },
  });
  operator = door.token("operator", { name: "op" });
});
afterAll(() => door.close());

const statusAt = "/api/v1/status";
const send = (lines: string[]) =>
  rawRequest(door.port, [...lines, "Connection: close", "", ""].join("\r\n"));

test.each([
  ["no token", undefined],
  ["a made-up token", "Bearer aost_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
  ["a password", "Basic cm9vdDpyb290"],
  ["an empty token", "Bearer "],
])("%s is nobody", async (_, authorization) => {
  const headers = authorization === undefined ? {} : { authorization };

  const response = await door.ask("GET", statusAt, { headers });

  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toContain("Bearer");
  expect(await response.text()).not.toContain("node_");
});

test("a token that is none is refused where none is needed, too", async () => {
  const headers = { authorization: "Bearer aost_none" };

  expect((await door.ask("GET", "/", { headers })).status).toBe(401);
  expect((await door.ask("GET", "/")).status).not.toBe(401);
});

test("a revoked token is nobody, and what it watched ends", async () => {
  const made = door.tokens.create({ role: "viewer" });
  const pid = await door.spawn("listen");
  const watching = await door.call("watch", { pid }, { token: made.token });
  const reader = watching.body!.getReader();
  await reader.read();

  door.tokens.revoke(made.id);

  await vi.waitFor(async () => expect((await reader.read()).done).toBe(true));
  expect((await door.ask("GET", statusAt, { token: made.token })).status).toBe(401);
});

test("a session is over with the token that opened it", async () => {
  const made = door.tokens.create({ role: "viewer" });
  const login = await door.ask("POST", "/api/v1/session", { body: { token: made.token } });
  const cookie = login.headers.get("set-cookie")!;
  const session = { cookie: cookie.split(";", 1)[0]! };
  expect(cookie).toMatch(/HttpOnly/);
  expect(cookie).toMatch(/SameSite=Strict/);
  expect((await door.ask("GET", statusAt, { headers: session })).status).toBe(200);

  door.tokens.revoke(made.id);

  expect((await door.ask("GET", statusAt, { headers: session })).status).toBe(401);
});

test("a login key opens one session and no second", async () => {
  const { key } = (await (await door.callAsOwner("loginKey", {})).json()) as { key: string };
  const login = () => door.ask("POST", "/api/v1/session", { body: { key } });

  const [first, second] = [await login(), await login()];

  expect([first.status, second.status]).toEqual([200, 401]);
});

test("a viewer's login key opens a viewer's session", async () => {
  const viewer = door.token("viewer", { tenant: "a" });
  const made = await door.call("loginKey", {}, { token: viewer });
  const { key } = (await made.json()) as { key: string };

  const login = await door.ask("POST", "/api/v1/session", { body: { key } });

  expect(await login.json()).toMatchObject({ role: "viewer", tenant: "a" });
});

test("a viewer cannot approve", async () => {
  await door.spawn("ask");
  const [question] = await vi.waitFor(async () => {
    const open = await door.kernel.questions();
    expect(open.length).toBeGreaterThan(0);
    return open;
  });
  const args = { id: question!.id, choice: "yes" };

  const response = await door.call("answer", args, { token: door.token("viewer") });

  expect(response.status).toBe(403);
  expect(await door.kernel.questions()).toHaveLength(1);
});

test("over the network nobody answers for somebody else; the ledger has the token's name", async () => {
  const [question] = await door.kernel.questions();
  const token = door.token("approver", { name: "mallory" });
  const args = { id: question!.id, choice: "yes" };

  const forged = await door.call("answer", { ...args, by: "alice" }, { token });
  const honest = await door.call("answer", args, { token });

  expect(forged.status).toBe(403);
  expect(honest.status).toBe(200);
  const journal = JSON.stringify(await door.kernel.journal(question!.pid));
  const ledger = JSON.stringify(await door.kernel.ledger());
  expect(journal + ledger).toContain("mallory");
  expect(journal + ledger).not.toContain("alice");
});

test.each([
  ["another site", "https://evil.example"],
  ["another port of this machine", "http://127.0.0.1:1"],
  ["a file", "null"],
  ["no address at all", "::::"],
])("a page of %s cannot call, nor ask whether it may", async (_, origin) => {
  const asked = await door.ask("GET", statusAt, { token: operator, headers: { origin } });
  const preflight = await door.ask("OPTIONS", statusAt, {
    headers: { origin, "access-control-request-method": "GET" },
  });

  for (const response of [asked, preflight]) {
    expect(response.status).toBe(403);
    expect(
      [...response.headers.keys()].filter((name) => name.startsWith("access-control")),
    ).toEqual([]);
  }
});

test("the page's own origin may call, and a preflight of its own gets no permission either", async () => {
  const origin = door.url;

  const asked = await door.ask("GET", statusAt, { token: operator, headers: { origin } });
  const preflight = await door.ask("OPTIONS", statusAt, { headers: { origin } });

  expect(asked.status).toBe(200);
  expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
});

test.each(["cross-site", "same-site"])(
  "a %s request without an Origin is refused",
  async (site) => {
    const headers = ["Sec-Fetch-Mode: no-cors", `Sec-Fetch-Site: ${site}`];
    const first = [`GET ${statusAt} HTTP/1.1`, `Host: 127.0.0.1:${door.port}`];

    const answer = await send([...first, ...headers, `Authorization: Bearer ${operator}`]);

    expect(statusOf(answer)).toBe(403);
  },
);

test.each([
  ["a name that points here", "evil.example", 421],
  ["a name that ends like ours", "notlocalhost", 421],
  ["ours below theirs", "localhost.evil.example", 421],
  ["nothing", "", 421],
  ["a configured name", "aos.example", 200],
  ["localhost", "localhost:1234", 200],
  ["an address", "127.0.0.1", 200],
])("a Host that is %s is answered by %s with %d", async (_, host, status) => {
  const answer = await send([
    `GET ${statusAt} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${operator}`,
  ]);

  // What is not even a host may be refused earlier.
  expect(host === "" ? [400, 421] : [status]).toContain(statusOf(answer));
});

test("a form is not read", async () => {
  for (const type of ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data"]) {
    const headers = { "content-type": type, authorization: `Bearer ${operator}` };
    const response = await fetch(`${door.url}/api/v1/gc`, { method: "POST", headers, body: "{}" });
    expect(response.status).toBe(415);
  }
});

test("a body that is too large is refused, whether it says so or not", async () => {
  const large = new Uint8Array(MAX_BODY_BYTES + 1).fill(0x20);
  const headers = { "content-type": "application/json", authorization: `Bearer ${operator}` };
  const init = { method: "POST", headers };

  const said = await fetch(`${door.url}/api/v1/gc`, { ...init, body: large });
  const unsaid = await fetch(`${door.url}/api/v1/gc`, {
    ...init,
    body: new Blob([large]).stream(),
    duplex: "half",
  } as RequestInit).catch((error: unknown) => error);

  expect(said.status).toBe(413);
  // It may be hung up on before it has sent all.
  if (unsaid instanceof Response) expect(unsaid.status).toBe(413);
  expect((await door.ask("GET", statusAt, { token: operator })).status).toBe(200);
});

test("a client that never finishes its header, or its body, is hung up on", async () => {
  const head = `POST /api/v1/gc HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${operator}\r\n`;
  const body = `${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;

  const answers = await Promise.all([rawRequest(door.port, head), rawRequest(door.port, body)]);

  for (const answer of answers) expect(answer).not.toContain("200 OK");
});

test("a header that is too large is refused", async () => {
  const answer = await send([
    `GET ${statusAt} HTTP/1.1`,
    "Host: localhost",
    `X-Large: ${"x".repeat(20_000)}`,
  ]);

  expect(statusOf(answer)).toBe(431);
});

test.each([
  "/api/v1/../v1/status",
  "/api/v1/./status",
  "/api/v1/%2e%2e/v1/status",
  "/api/v1/processes/..%2f..%2fstatus",
  "/api/v1/processes/x%5cy",
  "/api/v1/processes/x%00",
  "/api/v1/processes/x%0d%0aSet-Cookie:%20a=b",
  "/api/v1//status",
  "//api/v1/status",
  "/%2e%2e/%2e%2e/etc/passwd",
  "/..%c0%af..%c0%afetc/passwd",
  "/api/v1/processes/%zz",
])("the path %s leads nowhere", async (path) => {
  const answer = await send([
    `GET ${path} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${operator}`,
  ]);

  expect([400, 404]).toContain(statusOf(answer));
  expect(answer.split("\r\n\r\n", 1)[0]).not.toMatch(/^set-cookie/im);
});

test("a name cannot carry control characters to a log or a terminal", async () => {
  for (const name of ["a\r\nlevel=50", "\u001b[31mred", "a\u202eb", "a\u2028b"]) {
    const args = { role: "viewer", name };
    expect((await door.call("createAccessToken", args, { token: operator })).status).toBe(400);
  }
});

test("what a request says comes back in a header only in a form that is no second header", async () => {
  const args = { limit: 1, states: "waiting" };
  await door.spawn("listen");
  const good = await vi.waitFor(async () => {
    const response = await door.call("list", args, { token: operator });
    expect(response.headers.get("link")).not.toBeNull();
    return response;
  });
  const answer = await send([
    "GET /api/v1/processes?limit=1&states=waiting%0d%0aX-Evil:1 HTTP/1.1",
    "Host: localhost",
    `Authorization: Bearer ${operator}`,
  ]);

  expect(good.headers.get("link")).toMatch(
    /^<\/api\/v1\/processes\?limit=1&states=waiting&before=/,
  );
  expect(answer).not.toMatch(/^x-evil/im);
});

test("who asks too much is told when to come again, and others are not held up", async () => {
  const small = await openFrontDoor({ http: { rate: { perSecond: 1, burst: 3 } } });
  try {
    const [greedy, other] = [small.token("viewer"), small.token("viewer")];
    const statuses: number[] = [];
    let last: Response | undefined;
    for (let n = 0; n < 5; n++) {
      last = await small.ask("GET", statusAt, { token: greedy });
      statuses.push(last.status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(Number(last!.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(last!.headers.get("content-type")).toBe("application/problem+json");
    expect((await small.ask("GET", statusAt, { token: other })).status).toBe(200);
  } finally {
    await small.close();
  }
});

test("every answer says what a browser may do with it, a refusal too", async () => {
  const answers = [
    await door.ask("GET", statusAt, { token: operator }),
    await door.ask("GET", statusAt),
    await door.ask("GET", "/"),
    await door.ask("GET", statusAt, { headers: { origin: "https://evil.example" } }),
  ];

  for (const { headers } of answers) {
    const policy = headers.get("content-security-policy");
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  }
});

test("no attack of here was a mistake of ours", () => {
  expect(door.mistakes.filter((error) => !(error instanceof SysError))).toEqual([]);
});
