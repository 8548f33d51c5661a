import { Buffer } from "node:buffer";
import type { RequestListener } from "node:http";
import type { SecretPlace } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { placeholdersFor } from "./placeholders.ts";
import {
  allOf,
  echoListener,
  proxyForTest,
  proxyRequestText,
  secured,
} from "../../../../tests/helpers/drivers/proxy.ts";

const VALUE = "s3cret-value";
const boundTo = (origin: string, header: string, prefix = "") =>
  deviceContextForTest({
    secrets: (name, place: SecretPlace) =>
      name === "TOKEN" &&
      place.kind === "header" &&
      place.origin === origin &&
      place.header === header
        ? `${prefix}${VALUE}`
        : undefined,
    granted: () => [{ pattern: "a.example/**", verbs: ["*"] }],
  });

async function runWith(
  context = boundTo("http://a.example", "x-key"),
  site: RequestListener = echoListener,
) {
  const placeholders = placeholdersFor(context, ["TOKEN"]);
  const web = await proxyForTest({
    context,
    placeholders,
    sites: { "a.example": site, "b.example": echoListener },
  });
  return { web, mark: placeholders.env.TOKEN! };
}

test("a program is given a word that says nothing", () => {
  const context = boundTo("http://a.example", "x-key");

  const [first, second] = [1, 2].map(() => placeholdersFor(context, ["TOKEN"]).env.TOKEN!);

  expect(first).toMatch(/^aos-secret-[0-9a-f]{32}$/);
  expect(second).not.toBe(first);
  expect(context.places).toEqual([]);
});

test("a program is given none for a secret that the process may not use", () => {
  const context = deviceContextForTest({ grants: ({ kind }) => kind !== "secret" });

  expect(() => placeholdersFor(context, ["TOKEN"])).toThrow("no capability for use on TOKEN");
});

test("the placeholder of another run stands for nothing", () => {
  const [ours, others] = [1, 2].map(() => placeholdersFor(deviceContextForTest(), ["TOKEN"]));

  expect(() => ours!.fill(others!.env.TOKEN!, () => VALUE)).toThrow("a secret of another run");
});

test("PLACEHOLDERS-1: the value is put in, where the secret is bound", async () => {
  const { web, mark } = await runWith();
  await using _ = web;

  expect(await web.get("http://a.example/", `X-Key: ${mark}`, `X-Text: key=1`)).toContain("200 OK");

  expect(web.seen[0]!.headers).toMatchObject({ "x-key": VALUE, "x-text": "key=1" });
});

describe("PLACEHOLDERS-1: refused, and nothing is sent, is a placeholder", () => {
  const cases: [what: string, request: (mark: string) => string][] = [
    [
      "in another header",
      (mark) => proxyRequestText("GET", "http://a.example/", `X-Other: ${mark}`),
    ],
    ["for another host", (mark) => proxyRequestText("GET", "http://b.example/", `X-Key: ${mark}`)],
    ["in the path", (mark) => proxyRequestText("GET", `http://a.example/${mark}`)],
    ["in the query", (mark) => proxyRequestText("GET", `http://a.example/?q=${mark}`)],
    [
      "encoded",
      (mark) => proxyRequestText("GET", `http://a.example/?q=${mark.replace("-", "%2D")}`),
    ],
    ["in the host", (mark) => proxyRequestText("GET", `http://${mark}.example/`)],
    ["in a header's name", (mark) => proxyRequestText("GET", "http://a.example/", `X-${mark}: 1`)],
    [
      "that is not ours",
      () => proxyRequestText("GET", "http://a.example/", `X-Key: aos-secret-${"0".repeat(32)}`),
    ],
    [
      "in other letters",
      (mark) => proxyRequestText("GET", "http://a.example/", `X-Key: ${mark.toUpperCase()}`),
    ],
    [
      "inside other base64",
      (mark) =>
        proxyRequestText(
          "GET",
          "http://a.example/",
          `Authorization: Basic ${Buffer.from(`u:${mark}`).toString("base64")}`,
        ),
    ],
  ];
  test.each(cases)("%s", async (_what, request) => {
    const { web, mark } = await runWith();
    await using _ = web;

    const answer = await web.ask(request(mark));

    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect([web.seen, web.dialled]).toEqual([[], []]);
    expect(web.proxy.refusals).toBe(1);
  });

  test("a placeholder in the body is refused, also in two pieces", async () => {
    const { web, mark } = await runWith();
    await using _ = web;
    const text = proxyRequestText(
      "POST",
      "http://a.example/",
      `Content-Length: ${mark.length + 4}`,
    );

    const whole = await web.ask(`${text}a=b&${mark}`);
    const socket = await web.connect();
    socket.write(`${text}a=b&${mark.slice(0, 20)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.write(mark.slice(20));
    const pieces = await allOf(socket);

    expect(whole).toMatch(/^HTTP\/1\.1 403 [^]*is in the body/);
    expect(pieces).toMatch(/^HTTP\/1\.1 403 [^]*is in the body/);
    expect(web.seen).toEqual([]);
  });
});

describe("a value with a prefix is filled in", () => {
  test.each([
    ["said by the program", "Bearer ", `Bearer ${VALUE}`],
    ["left out by the program", "", `Bearer ${VALUE}`],
    ["another than the program's", "token ", `token Bearer ${VALUE}`],
  ])("%s", async (_what, said, sent) => {
    const { web, mark } = await runWith(boundTo("http://a.example", "authorization", "Bearer "));
    await using _ = web;

    await web.get("http://a.example/", `Authorization: ${said}${mark}`);

    expect(web.seen[0]!.headers.authorization).toBe(sent);
  });
});

test("a placeholder as a password is found in its base64", async () => {
  const { web, mark } = await runWith(boundTo("http://a.example", "authorization"));
  await using _ = web;
  const basic = (password: string) => `Basic ${Buffer.from(`git:${password}`).toString("base64")}`;

  await web.get("http://a.example/", `Authorization: ${basic(mark)}`);

  expect(web.seen[0]!.headers.authorization).toBe(basic(VALUE));
});

test("PLACEHOLDERS-2: a value that comes back in a header is the placeholder again", async () => {
  const site: RequestListener = (request, response) => {
    const { authorization = "" } = request.headers;
    response.setHeader("X-Whole", authorization);
    response.setHeader("X-Part", `<${authorization.slice("Bearer ".length)}>`);
    response.end();
  };
  const { web, mark } = await runWith(
    boundTo("http://a.example", "authorization", "Bearer "),
    site,
  );
  await using _ = web;

  const answer = await web.get("http://a.example/", `Authorization: Bearer ${mark}`);

  expect(answer).not.toContain(VALUE);
  expect(answer).toContain(`X-Part: <${mark}>`);
});

test("a value that is no header is not sent, and not said", async () => {
  const context = deviceContextForTest({ secrets: () => `${VALUE}\r\nX: y` });
  const { web, mark } = await runWith(context);
  await using _ = web;

  const answer = await web.get("http://a.example/", `X-Key: ${mark}`);

  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).not.toContain(VALUE);
  expect(web.dialled).toEqual([]);
});

test("RAW-TUNNEL-2: where a secret is in play, tunnels are opened, and the value is put in inside", async () => {
  const { web, mark } = await runWith(boundTo("https://a.example", "x-key"));
  await using _ = web;
  const secure = await secured(await web.tunnel("a.example:443"), {
    servername: "a.example",
    ca: web.proxy.authorities,
  });

  secure.write(`GET / HTTP/1.1\r\nHost: a.example\r\nX-Key: ${mark}\r\nConnection: close\r\n\r\n`);

  expect(await allOf(secure)).toContain("200 OK");
  expect(web.seen[0]!.headers["x-key"]).toBe(VALUE);
});
