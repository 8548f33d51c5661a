import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BrokenStream, EventLines, readEvents } from "./event-stream.ts";

const eventsOf = (...pieces: string[]): string[] => {
  const events: string[] = [];
  const lines = new EventLines((data) => events.push(data));
  for (const piece of pieces) lines.push(piece);
  return events;
};

/** A body that says these, and then ends, fails or stays silent. */
function bodyOf(pieces: readonly Uint8Array[], end: "close" | "fail" | "wait" = "close") {
  const seen: { cancelled?: unknown } = {};
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < pieces.length) return controller.enqueue(pieces[at++]!);
      if (end === "close") controller.close();
      if (end === "fail")
        controller.error(new TypeError("terminated", { cause: new Error("gone") }));
    },
    cancel(reason) {
      seen.cancelled = reason;
    },
  });
  return { body, seen };
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("PROVIDER-EVENT-STREAM-1: an event is read whole from", () => {
  test.each([
    ["one line", "data: a\n\n", ["a"]],
    ["no blank after the colon", "data:a\n\n", ["a"]],
    ["only one blank is taken off", "data:  a\n\n", [" a"]],
    ["several lines", "data: a\ndata: b\ndata:\n\n", ["a\nb\n"]],
    ["comments and other fields", ": hi\nevent: x\nid: 1\nretry: 5\ndata: a\n\n", ["a"]],
    ["a field that only begins so", "database: a\n\n", []],
    ["events without data", "\n\nevent: ping\n\ndata:\n\ndata: a\n\n", ["a"]],
    ["CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
    ["CR", "data: a\r\rdata: b\r\r", ["a", "b"]],
    ["all of them", "data: a\r\n\rdata: b\n\r\ndata: c\r\r\n", ["a", "b", "c"]],
  ])("%s", (_, text, events) => {
    expect(eventsOf(text)).toEqual(events);
  });

  test("however the bytes are cut", async () => {
    const text = ": go\r\n\r\ndata: grüße 👋\r\ndata: b\r\n\r\ndata: c\n\ndata: d\r\rdata: e\n\n";
    const whole = bytes(text);
    const cuts = fc.array(fc.nat(whole.length), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        const ends = [0, ...at.toSorted((a, b) => a - b), whole.length];
        const pieces = ends.slice(1).map((end, index) => whole.slice(ends[index], end));
        const events: string[] = [];

        await readEvents(bodyOf(pieces).body, (data) => events.push(data));

        expect(events).toEqual(["grüße 👋\nb", "c", "d", "e"]);
      }),
    );
  });
});

test("PROVIDER-EVENT-STREAM-2: what has no blank line after it is no event", () => {
  expect(eventsOf("data: a\n\ndata: b\n")).toEqual(["a"]);
});

test("PROVIDER-EVENT-STREAM-3: whoever throws is told nothing more, and the body is cancelled", async () => {
  const { body, seen } = bodyOf([bytes("data: a\n\ndata: b\n\n")], "wait");
  const error = new Error("enough");
  const heard: string[] = [];

  const reading = readEvents(body, (data) => {
    heard.push(data);
    throw error;
  });

  await expect(reading).rejects.toBe(error);
  expect(heard).toEqual(["a"]);
  expect(seen.cancelled).toBe(error);
});

test("PROVIDER-EVENT-STREAM-3: a body that fails says why", async () => {
  const { body } = bodyOf([bytes("data: a\n\n")], "fail");

  const reading = readEvents(body, () => {});

  await expect(reading).rejects.toThrow(new BrokenStream("gone"));
  await expect(reading).rejects.toBeInstanceOf(BrokenStream);
});

test("PROVIDER-EVENT-STREAM-4: a line that does not end is not read for ever", () => {
  const lines = new EventLines(() => {});
  const piece = "x".repeat(10_000_000);

  expect(() => {
    for (let times = 0; times < 7; times += 1) lines.push(piece);
  }).toThrow(expect.objectContaining({ code: "EUPSTREAM" }));
});
