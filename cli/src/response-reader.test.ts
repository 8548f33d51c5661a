import { expect, test } from "vitest";
import { ResponseReader } from "./response-reader.ts";

async function* cutInto(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size = Infinity) {
  const reader = new ResponseReader(cutInto(text, size));
  const { status, headers } = await reader.head();
  const pieces: Buffer[] = [];
  for await (const piece of reader.body()) pieces.push(piece);
  return { status, headers, body: Buffer.concat(pieces).toString("latin1") };
}

const whole = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A:  b \r\n\r\nhello";
const chunked =
  "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3;x=1\r\nhel\r\n2\r\nlo\r\n0\r\nt: 1\r\n\r\n";

test.each([1, 2, 7, 1000])(
  "RESPONSE-READER-1: a body by its length is read whole from pieces of %d bytes",
  async (size) => {
    const { status, headers, body } = await read(`${whole}what follows is not its own`, size);

    expect({ status, body }).toEqual({ status: 200, body: "hello" });
    expect(headers.get("x-a")).toBe("b");
  },
);

test.each([1, 2, 7, 1000])(
  "RESPONSE-READER-1: a body in chunks is read whole from pieces of %d bytes",
  async (size) => {
    expect(await read(chunked, size)).toMatchObject({ status: 200, body: "hello" });
  },
);

test("RESPONSE-READER-1: without a length the body ends with the connection", async () => {
  expect(await read("HTTP/1.1 500 No\r\na: b\r\n\r\nhello", 4)).toMatchObject({
    status: 500,
    body: "hello",
  });
});

test("a head that only announces the answer is skipped, and one without a body has none", async () => {
  const announced = `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${whole}`;

  expect(await read(announced, 5)).toMatchObject({ status: 200, body: "hello" });
  expect(await read("HTTP/1.1 204 No Content\r\n\r\n")).toMatchObject({ status: 204, body: "" });
});

test.each([
  ["in its head", whole.slice(0, 20)],
  ["before its length is reached", whole.slice(0, -1)],
  ["inside a chunk", chunked.slice(0, -14)],
  ["before its last chunk", chunked.slice(0, chunked.indexOf("\r\n0\r\n") + 2)],
  ["before the line after its last chunk", chunked.slice(0, -2)],
])("RESPONSE-READER-1: a connection that ends %s is an error", async (_, text) => {
  await expect(read(text, 3)).rejects.toMatchObject({ code: "ECONNRESET" });
});

test.each([
  ["something else", "SSH-2.0-x\r\n\r\n"],
  ["a line without a name", "HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"],
  ["a length that is no number", "HTTP/1.1 200 OK\r\ncontent-length: 1e3\r\n\r\n"],
  ["a negative length", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"],
  ["a chunk that is longer than it says", chunked.replace("2\r\nlo", "2\r\nlong")],
  ["a chunk without a size", chunked.replace("2\r\nlo", "zz\r\nlo")],
])("%s is refused", async (_, text) => {
  await expect(read(text)).rejects.toThrow("cannot be read");
});

test("RESPONSE-READER-2: a head without an end is refused, and not kept", async () => {
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(1024, "a");
  }

  await expect(new ResponseReader(endless()).head()).rejects.toThrow("too long");
});
