import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileSink, syslogMessage, syslogSink, type EventLine } from "./event-sinks.ts";

const line = (json: string): EventLine => ({ timeMs: 1_700_000_000_000, level: 6, json });
const RFC5424 = /^<110>1 2023-11-14T22:13:20\.000Z \S+ agent-os \d+ ocsf - (\{.*\})$/;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aos-sinks-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a file has a line for each event, is its owner's, and goes on after it was moved away", async () => {
  const path = join(folder, "events.ndjson");
  const sink = fileSink(path);
  await sink.send([line('{"a":1}'), line('{"a":2}')]);
  renameSync(path, `${path}.1`);

  await sink.send([line('{"a":3}')]);

  expect(readFileSync(`${path}.1`, "utf8")).toBe('{"a":1}\n{"a":2}\n');
  expect(readFileSync(path, "utf8")).toBe('{"a":3}\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("EVENT-SINKS-2: a link in the place of the file is not followed", async () => {
  symlinkSync(join(folder, "elsewhere"), join(folder, "events.ndjson"));

  await expect(fileSink(join(folder, "events.ndjson")).send([line("{}")])).rejects.toMatchObject({
    code: "ELOOP",
  });
});

test("a syslog message has the form of RFC 5424", () => {
  expect(syslogMessage(line('{"a":1}'))).toMatch(RFC5424);
});

test("over UDP each event is a datagram", async () => {
  const server = createSocket("udp4").bind(0, "127.0.0.1");
  await once(server, "listening");
  const sink = syslogSink(`udp://127.0.0.1:${server.address().port}`);
  const arrived = once(server, "message");

  await sink.send([line('{"a":1}')]);

  const [message] = (await arrived) as [Buffer];
  expect(message.toString()).toMatch(RFC5424);
  sink.close();
  server.close();
});

test.each(["tcp", "unix"])("over %s the octets of each message are counted", async (kind) => {
  let got = "";
  const server = createServer((socket) => socket.on("data", (piece) => (got += piece.toString())));
  const path = join(folder, "s");
  server.listen(kind === "unix" ? path : { port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const sink = syslogSink(kind === "unix" ? `unix:${path}` : `tcp://127.0.0.1:${port}`);

  await sink.send([line('{"a":"é"}'), line('{"a":2}')]);
  sink.close();
  await new Promise((resolve) => server.close(resolve));

  const messages: string[] = [];
  for (let rest = Buffer.from(got); rest.length > 0;) {
    const at = rest.indexOf(" ");
    const length = Number(rest.subarray(0, at).toString());
    messages.push(rest.subarray(at + 1, at + 1 + length).toString());
    rest = rest.subarray(at + 1 + length);
  }
  expect(messages.map((one) => RFC5424.exec(one)?.[1])).toEqual(['{"a":"é"}', '{"a":2}']);
});

test("EVENT-SINKS-1: a server that is not there is an error", async () => {
  await expect(syslogSink(`unix:${join(folder, "none")}`).send([line("{}")])).rejects.toThrow();
});
