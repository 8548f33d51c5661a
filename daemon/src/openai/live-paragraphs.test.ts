import type { JournalRecord, OperationAnswer } from "@aos/protocol";
import { expect, test } from "vitest";
import { LiveParagraphs, type ParagraphEvent } from "./live-paragraphs.ts";

type Happening = OperationAnswer<"attach">;

const words = (n: number, text: string, at?: number): Happening => ({
  progress: { n, kind: "text", text, ...(at === undefined ? {} : { at }) },
});
const restart = (n: number): Happening => ({ progress: { n, kind: "restart", text: "" } });
const call = (n: number, name: string, args: object = {}, more: object = {}): Happening => ({
  record: { kind: "call", seq: n, n, call: name, args, ...more } as JournalRecord,
});

async function tell(happenings: readonly Happening[], all?: readonly string[]): Promise<string[]> {
  const paragraphs = new LiveParagraphs(async (n) => recorded[n] ?? "");
  const told: ParagraphEvent[] = [];
  for (const happening of happenings)
    for await (const one of paragraphs.take(happening)) told.push(one);
  if (all !== undefined) told.push(...paragraphs.rest(all));
  return told.map((one) => ("words" in one ? one.words : `<${one.end}>`));
}
/** What the journal has, by the number of the call. */
const recorded: Record<number, string> = { 1: "a b", 3: "c" };

test("words are told as they come, a paragraph for each request", async () => {
  const told = await tell(
    [
      words(1, "a "),
      words(1, "b"),
      call(1, "infer"),
      call(2, "exec"),
      words(3, "c"),
      call(3, "infer"),
    ],
    ["a b", "c"],
  );

  expect(told).toEqual(["a ", "b", "<whole>", "c", "<whole>"]);
});

test("LIVE-PARAGRAPHS-1: words wait for the records of all that led to them", async () => {
  expect(await tell([call(1, "read"), words(3, "early")])).toEqual([]);
  expect(await tell([call(1, "read"), words(3, "early"), call(2, "read")])).toEqual(["early"]);
});

test("LIVE-PARAGRAPHS-2: a summary is not told", async () => {
  const told = await tell([
    call(1, "list", { path: "/ctx/archive" }),
    words(2, "the summary"),
    call(2, "infer"),
    words(3, "the answer"),
  ]);

  expect(told).toEqual(["the answer"]);
});

test("LIVE-PARAGRAPHS-3: a try that failed breaks its paragraph off", async () => {
  const again = [words(1, "I thi"), restart(1), words(1, "I know"), call(1, "infer")];
  const failed = [words(1, "I thi"), call(1, "infer", {}, { err: { code: "EUPSTREAM" } })];

  expect(await tell(again, ["I know"])).toEqual(["I thi", "<broken>", "I know", "<whole>"]);
  expect(await tell(failed)).toEqual(["I thi", "<broken>"]);
});

test("LIVE-PARAGRAPHS-4: what nobody heard from its beginning is told whole, in its order", async () => {
  const later = [call(2, "exec"), words(3, "c"), call(3, "infer")];
  const all = ["a b", "c"];
  const told = ["a b", "<whole>", "c", "<whole>"];

  expect(await tell([call(1, "infer"), ...later], all)).toEqual(told);
  expect(await tell([words(1, " b", 1), call(1, "infer"), ...later], all)).toEqual(told);
  expect(await tell([], all)).toEqual(told);
});
