import { PassThrough } from "node:stream";
import { SysError } from "@aos/protocol";
import { expect, test } from "vitest";
import { z } from "zod";
import { Cdp, type CdpEvent } from "./cdp.ts";

function browser() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const events: CdpEvent[] = [];
  const broken: SysError[] = [];
  const cdp = new Cdp({
    input,
    output,
    onEvent: (event) => {
      if (event.method === "Bad.event") throw new Error("no such thing");
      events.push(event);
    },
    onBroken: (error) => broken.push(error),
  });
  const say = (text: string) => output.write(text);
  return { cdp, say, events, broken, sent: () => String(input.read() ?? "") };
}

test("answers find those who wait, in any order and in any pieces", async () => {
  const { cdp, say, sent, events } = browser();

  const one = cdp.send("A.one", { x: 1 }, { reply: z.object({ y: z.number() }) });
  const two = cdp.send("A.two", {}, { sessionId: "s" });
  say('{"id":2,"result":{"z":2}}\0{"id":1,"re');
  say('sult":{"y":1}}\0{"method":"B.event","sessionId":"s"}\0{"id":9,"result":{}}\0');

  expect(await one).toEqual({ y: 1 });
  expect(await two).toEqual({ z: 2 });
  expect(sent()).toBe(
    '{"id":1,"method":"A.one","params":{"x":1}}\0{"id":2,"method":"A.two","params":{},"sessionId":"s"}\0',
  );
  expect(events).toEqual([{ method: "B.event", params: undefined, sessionId: "s" }]);
});

test("CDP-1: an answer of another shape is a failure, and so is an error", async () => {
  const { cdp, say } = browser();

  const odd = cdp.send("A.one", {}, { reply: z.object({ y: z.number() }) });
  const bad = cdp.send("A.two");
  bad.catch(() => {}); // it is waited for below
  say('{"id":1,"result":{"y":"1"}}\0{"id":2,"error":{"message":"no"}}\0');

  await expect(odd).rejects.toMatchObject({ code: "EUPSTREAM" });
  await expect(bad).rejects.toThrow("A.two: no");
});

test.each([
  ["no JSON", "garbage\0"],
  ["no message", '{"id":"1"}\0'],
  ["an event that cannot be read", '{"method":"Bad.event"}\0'],
  ["a message without end", "x".repeat(65 * 1024 * 1024)],
])("CDP-1: %s ends it", async (_what, text) => {
  const { say, broken } = browser();

  say(text);

  await expect.poll(() => broken.length).toBe(1);
  expect(broken[0]).toBeInstanceOf(SysError);
});

test("CDP-2: when it is gone, those who wait and those who come are told", async () => {
  const { cdp } = browser();
  const waiting = cdp.send("A.one");

  cdp.end(new SysError("EUPSTREAM", "it was killed"));

  await expect(waiting).rejects.toThrow("it was killed");
  await expect(cdp.send("A.two")).rejects.toThrow("it was killed");
});

test("CDP-2: what was said to a window that closed is answered, and nothing else", async () => {
  const { cdp, say } = browser();
  const closed = cdp.send("A.one", {}, { sessionId: "s" });
  const open = cdp.send("A.two", {}, { sessionId: "t" });

  cdp.endSession("s");
  say('{"id":2,"result":{"z":2}}\0');

  await expect(closed).rejects.toMatchObject({ code: "ESTATE" });
  expect(await open).toEqual({ z: 2 });
});
