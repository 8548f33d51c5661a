import { describe, expect, test } from "vitest";
import { proxyForTest, proxyRequestText } from "../../../../tests/helpers/drivers/proxy.ts";

// PROXY-3: what two parsers could read in two ways is refused, and nothing is sent.

const refused = async (text: string): Promise<string> => {
  await using web = await proxyForTest();
  const answer = await web.ask(text);
  expect(web.dialled).toEqual([]);
  expect(web.lookedUp).toEqual([]);
  // Twice, where the parser stumbles over the rest.
  expect(web.proxy.refusals).toBeGreaterThan(0);
  return answer;
};

const URLS: [what: string, url: string][] = [
  ["a user", "http://a.example@127.0.0.1/"],
  ["a user before the granted host", "http://x:y@a.example/"],
  ["a backslash", "http://a.example\\@127.0.0.1/"],
  ["an encoded host", "http://a%2eexample/"],
  ["an encoded zero in the host", "http://a.example%00.evil.example/"],
  ["an address as one number", "http://2852039166/"],
  ["an address in hexadecimal", "http://0xa9fea9fe/"],
  ["an address in octal", "http://0251.0376.0251.0376/"],
  ["a short address", "http://127.1/"],
  ["another form of an IPv6 address", "http://[0:0:0:0:0:0:0:1]/"],
  ["a zone in an address", "http://[fe80::1%25eth0]/"],
  ["no host", "http:///x"],
  ["no slashes", "http:a.example/"],
  ["another scheme", "ftp://a.example/"],
  ["a file", "file:///etc/passwd"],
  ["a path only", "/x"],
  ["a star", "*"],
  ["a port that is none", "http://a.example:99999/"],
  ["a port with a sign", "http://a.example:+80/"],
  ["a dot segment", "http://a.example/a/../b"],
  ["an encoded slash in the host", "http://a.example%2fb/"],
  ["encoded slashes around dots", "http://a.example/a%2f..%2fb"],
  ["an encoded slash after a slash", "http://a.example/a/%2fb"],
  ["a slash that is encoded once and twice", "http://a.example/a%2fb%252fc"],
  ["an encoded dot", "http://a.example/%2e%2e/b"],
  ["a fragment", "http://a.example/#x"],
  ["too many characters", `http://a.example/${"x".repeat(9000)}`],
];

describe("a request is refused for a flaw in the URL", () => {
  test.each(URLS)("%s", async (_what, url) => {
    const text = `GET ${url} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`;

    expect(await refused(text)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test.each([
    ["a zero", "http://a.example\0.evil.example/"],
    ["a tab", "http://a.exa\tmple/"],
    ["a character outside ASCII", "http://a.ex\u00e4mple/"],
    ["a line break alone", "http://a.example/\nX: y"],
    ["a carriage return alone", "http://a.example/\rX: y"],
    ["a second word", "http://a.example/ x"],
  ])("%s", async (_what, url) => {
    const text = `GET ${url} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`;

    expect(await refused(text)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

const HEADS: [what: string, ...headers: string[]][] = [
  ["no Host"],
  ["a Host for another host", "Host: b.example"],
  ["a Host for another port", "Host: a.example:81"],
  ["a Host with a path", "Host: a.example/x"],
  ["a Host with a fragment", "Host: a.example#"],
  ["a Host with a user", "Host: x@a.example"],
  ["an empty Host", "Host:"],
  ["Host twice", "Host: a.example", "Host: a.example"],
  ["two lengths", "Host: a.example", "Content-Length: 5", "Content-Length: 5"],
  ["two lengths that differ", "Host: a.example", "Content-Length: 5", "Content-Length: 6"],
  ["two lengths in one", "Host: a.example", "Content-Length: 5, 5"],
  ["a length with a sign", "Host: a.example", "Content-Length: +5"],
  ["a length in hexadecimal", "Host: a.example", "Content-Length: 0x5"],
  ["a length that is too long", "Host: a.example", "Content-Length: 99999999999999999999"],
  ["a length and chunks", "Host: a.example", "Content-Length: 5", "Transfer-Encoding: chunked"],
  ["chunks and a length", "Host: a.example", "Transfer-Encoding: chunked", "Content-Length: 5"],
  ["chunks twice", "Host: a.example", "Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
  ["chunks that are not last", "Host: a.example", "Transfer-Encoding: chunked, identity"],
  ["another coding", "Host: a.example", "Transfer-Encoding: gzip, chunked"],
  ["chunks in other letters", "Host: a.example", "Transfer-Encoding: xchunked"],
  ["a tab before chunks", "Host: a.example", "Transfer-Encoding:\x0bchunked"],
  ["a space before the colon", "Host: a.example", "Transfer-Encoding : chunked"],
  ["a line that goes on", "Host: a.example", "X: y", " Transfer-Encoding: chunked"],
  ["a zero in a value", "Host: a.example", "X: a\0b"],
  ["a character outside ASCII", "Host: a.example", "X: \xe4"],
  ["a line break alone", "Host: a.example", "X: y\nContent-Length: 5"],
  ["a carriage return alone", "Host: a.example", "X: y\rContent-Length: 5"],
  ["too many headers", "Host: a.example", ...Array.from({ length: 130 }, (_, n) => `X${n}: y`)],
  ["a name with a space", "Host: a.example", "X y: z"],
];

describe("a request is refused for a flaw in the head", () => {
  test.each(HEADS)("%s", async (_what, ...headers) => {
    const text = `POST http://a.example/ HTTP/1.1\r\n${[...headers, "Connection: close"].join("\r\n")}\r\n\r\n`;

    expect(await refused(text)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test("a head that is too long", async () => {
    const text = proxyRequestText("GET", "http://a.example/", `X: ${"y".repeat(40_000)}`);

    expect(await refused(text)).toMatch(/^HTTP\/1\.1 400 [^]*HPE_HEADER_OVERFLOW/);
  });

  test("chunks in HTTP/1.0 are refused", async () => {
    const text =
      "POST http://a.example/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";

    expect(await refused(text)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test.each(["", "x", "GET", "\x16\x03\x01", "SSH-2.0-x\r\n"])(
    "what is no request at all is refused: %j",
    async (text) => {
      expect(await refused(`${text}\r\n\r\nGET / \r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    },
  );
});

test("after a body comes the next request: what is inside a body is none", async () => {
  await using web = await proxyForTest();
  const hidden = "GET http://a.example/hidden HTTP/1.1\r\nHost: a.example\r\n\r\n";

  await web.ask(
    `${proxyRequestText("POST", "http://a.example/", `Content-Length: ${hidden.length}`)}${hidden}`,
  );

  expect(web.seen).toMatchObject([{ method: "POST", url: "/", body: hidden }]);
});

describe("a tunnel is refused for a flaw", () => {
  const TUNNELS: [what: string, authority: string, ...headers: string[]][] = [
    ["no port", "a.example"],
    ["a scheme", "https://a.example:443"],
    ["a path", "a.example:443/x"],
    ["a user", "x@a.example:443"],
    ["an encoded host", "a%2eexample:443"],
    ["an address as one number", "2852039166:443"],
    ["an address in hexadecimal", "0xa9fea9fe:443"],
    ["a short address", "127.1:443"],
    ["a port that is none", "a.example:0"],
    ["a zero", "a.example\0.evil:443"],
    ["a Host for another host", "a.example:443", "Host: b.example:443"],
    ["a Host for another port", "a.example:443", "Host: a.example:444"],
    ["Host twice", "a.example:443", "Host: a.example:443", "Host: a.example:443"],
    ["a length", "a.example:443", "Content-Length: 5"],
    ["chunks", "a.example:443", "Transfer-Encoding: chunked"],
  ];
  test.each(TUNNELS)("%s", async (_what, authority, ...headers) => {
    const hosts = headers.some((one) => one.startsWith("Host")) ? [] : [`Host: ${authority}`];
    const text = `CONNECT ${authority} HTTP/1.1\r\n${[...hosts, ...headers].join("\r\n")}\r\n\r\n`;

    expect(await refused(text)).toMatch(/^HTTP\/1\.1 400 /);
  });
});
