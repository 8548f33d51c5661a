import type { ProcessId } from "@aos/protocol";
import { SysError } from "@aos/protocol";
import type { TurnResult } from "@aos/userland";
import { expect, test } from "vitest";
import type { ParagraphEvent } from "./live-paragraphs.ts";
import { responseFrames } from "./response-frames.ts";

const pid = "agt_01m7g2aden5w8nsgef1vwew4zn" as ProcessId;
const turned: TurnResult = { text: "I know", finish: "stop", calls: [], said: [] };

interface Event {
  readonly type: string;
  readonly sequence_number: number;
  readonly response?: {
    readonly status: string;
    readonly output: object[];
    readonly error: object;
  };
}

async function eventsOf(
  told: AsyncIterable<ParagraphEvent | { turned: TurnResult }>,
): Promise<Event[]> {
  const events: Event[] = [];
  const frames = responseFrames({
    run: { pid, isPlain: false, isLive: true },
    model: "clerk",
    door: { api: "responses", tools: [], echo: {}, store: true },
    told,
    usage: async () => ({ input: 1, output: 1, cached: 0, reasoning: 0, usd: 0 }),
    onFailure: (error) => (error as SysError).toText(),
  });
  for await (const frame of frames)
    events.push(JSON.parse(/^data: (.*)$/m.exec(frame)![1]!) as Event);
  return events;
}

test("RESPONSE-FRAMES-1, RESPONSE-FRAMES-2: paragraphs are one text, and all events are numbered", async () => {
  const events = await eventsOf(
    (async function* () {
      yield { words: "I thi" };
      yield { end: "broken" } as const;
      yield { words: "I know" };
      yield { end: "whole" } as const;
      yield { turned };
    })(),
  );

  const { response } = events.at(-1)!;
  expect(response?.status).toBe("completed");
  expect(response?.output).toMatchObject([{ content: [{ text: "I thi\n\nI know" }] }]);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, n) => n));
});

test("a failure is the last event, in words that clients act on", async () => {
  const events = await eventsOf(
    (async function* () {
      yield { words: "I" };
      throw new SysError("ECONTEXT", "too much");
    })(),
  );

  expect(events.at(-1)).toMatchObject({
    type: "response.failed",
    response: {
      status: "failed",
      output: [{ status: "incomplete", content: [{ text: "I" }] }],
      error: { code: "context_length_exceeded", message: "ECONTEXT: too much" },
    },
  });
});
