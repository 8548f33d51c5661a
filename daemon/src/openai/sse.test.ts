import { expect, test, vi } from "vitest";
import { frame, sseResponse } from "./sse.ts";

async function* frames(...texts: string[]) {
  yield* texts;
}

test("frames go out in their order, and the stream ends with them", async () => {
  const response = sseResponse(frames(frame({ a: 1 }), frame("[DONE]", "end")), {
    "x-request-id": "agt_1",
  });

  expect(await response.text()).toBe('data: {"a":1}\n\nevent: end\ndata: [DONE]\n\n');
  expect(response.headers.get("x-request-id")).toBe("agt_1");
});

test("SSE-1: for who stops reading no frame is made any more", async () => {
  const making = frames("one", "two", "three");
  const { body } = sseResponse(making, {});
  const reader = body!.getReader();
  await reader.read();

  await reader.cancel();

  expect(await making.next()).toEqual({ done: true, value: undefined });
});

test("SSE-2: while nothing is said a comment says that the stream lives", async () => {
  vi.useFakeTimers();
  try {
    const silent = (async function* () {
      await new Promise(() => {});
      yield "";
    })();
    const { body } = sseResponse(silent, {});
    const reading = body!.getReader().read();

    await vi.advanceTimersByTimeAsync(15_000);

    expect(new TextDecoder().decode((await reading).value)).toBe(": alive\n\n");
  } finally {
    vi.useRealTimers();
  }
});
