import type { Progress } from "@aos/protocol";
import { expect, test } from "vitest";
import { LiveFeed } from "../bus/live-feed.ts";
import type { CallContext } from "../syscall/syscall-handler.ts";
import type { DriverServices } from "./services.ts";
import { StreamedOutput } from "./devices.ts";

function speaker() {
  const live = new LiveFeed();
  const scrubStream = () => ({ push: (text: string) => text, end: () => "" });
  const words = new StreamedOutput(
    { live, scrubStream } as unknown as DriverServices,
    { process: { key: 1 }, call: { n: 4 } } as unknown as CallContext,
  );
  const say = (text: string, kind: Progress["kind"] = "text") => words.say({ kind, text });
  const listen = () => {
    const heard: unknown[] = [];
    live.watch(1, ({ kind, text, at }) => heard.push([kind, text, at ?? 0]));
    return heard;
  };
  return { words, say, listen };
}

test("STREAMED-OUTPUT-1: who begins to listen late hears the answer from its beginning", () => {
  const { say, listen } = speaker();
  say("Hel");
  say("lo");

  const heard = listen();
  say(" you");

  expect(heard).toEqual([["text", "Hello you", 0]]);
});

test("STREAMED-OUTPUT-1: a late listener hears the answer even if nothing more is said before it is whole", () => {
  const { words, say, listen } = speaker();
  say("Hello");

  const heard = listen();
  words.end();

  expect(heard).toEqual([["text", "Hello", 0]]);
});

test("STREAMED-OUTPUT-1: a second listener is told where it begins, and a restart is the beginning", () => {
  const { say, listen } = speaker();
  listen();
  say("Hello");

  const second = listen();
  say(" you");
  say("", "restart");
  say("Good day");

  expect(second).toEqual([
    ["text", " you", 5],
    ["restart", "", 0],
    ["text", "Good day", 0],
  ]);
});

test("STREAMED-OUTPUT-1: a restart that nobody hears leaves nothing of what it took back", () => {
  const { words, say, listen } = speaker();
  say("wrong");
  say("", "restart");
  say("right");

  const heard = listen();
  words.end();

  expect(heard).toEqual([["text", "right", 0]]);
});

test("STREAMED-OUTPUT-1: what is too long to be kept is told from where it is heard", () => {
  const { say, listen } = speaker();
  say("x".repeat(300_000));

  const heard = listen();
  say("y");

  expect(heard).toEqual([["text", "y", 300_000]]);
});
