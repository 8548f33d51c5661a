import { Hono } from "hono";
import { expect, test } from "vitest";
import type { FeedEvent } from "@aos/protocol";
import type { GatewayContext } from "./gateway-context.ts";
import { socketCaller, type GatewayEnv } from "./caller.ts";
import { MOST_WAITING } from "./event-hub.ts";
import { addEventRoutes } from "./events.ts";

const PID = `agt_${"0".repeat(26)}`;
const event = (seq: number): FeedEvent =>
  ({ pid: PID, tenant: "a", tree: PID, record: { kind: "call", seq } }) as FeedEvent;

/** A kernel that is told by the test what happens, and when. */
function worldOf(recorded: () => Iterable<FeedEvent>) {
  const fresh: FeedEvent[] = [];
  let wake = () => {};
  const tell = (...events: FeedEvent[]) => {
    fresh.push(...events);
    wake();
  };
  const kernel = {
    async *follow({ signal }: { signal: AbortSignal }) {
      while (!signal.aborted) {
        yield* fresh.splice(0);
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (fresh.length > 0) resolve();
        });
      }
    },
    async *recorded() {
      for (const one of recorded()) {
        await new Promise((resolve) => setImmediate(resolve));
        yield one;
      }
    },
  };
  const closing = new AbortController();
  const gateway = {
    kernel,
    closing: closing.signal,
    onMistake: () => {},
  } as unknown as GatewayContext;
  const app = new Hono<GatewayEnv>();
  app.use(async (context, next) => {
    context.set("caller", socketCaller());
    await next();
  });
  const hub = addEventRoutes(app, gateway);
  return { app, hub, tell, close: () => closing.abort() };
}

const idsIn = (text: string) =>
  [...text.matchAll(/^id: .*:(\d+)$/gm)].map(([, seq]) => Number(seq));

test("EVENTS-1: what comes while the journal is read is told after it, and what is in both once", async () => {
  const world = worldOf(function* () {
    world.tell(event(2), event(3)); // 2 is in the journal as well
    yield event(1);
    yield event(2);
  });

  const response = await world.app.request("/api/v1/events", {
    headers: { "last-event-id": `${PID}:0` },
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(":3\n")) text += (await reader.read()).value ?? "";

  expect(idsIn(text)).toEqual([1, 2, 3]);
  await reader.cancel();
  await expect.poll(() => world.hub.size).toBe(0);
});

test("GATEWAY-EVENT-STREAM-1: a reader that is too far behind is hung up on", async () => {
  const world = worldOf(() => []);
  const response = await world.app.request("/api/v1/events");
  const reader = response.body!.getReader();
  await reader.read();

  world.tell(...Array.from({ length: MOST_WAITING + 10 }, (_, seq) => event(seq)));

  await expect.poll(async () => (await reader.read()).done).toBe(true);
});

test("a stream ends when the daemon stops", async () => {
  const world = worldOf(() => []);
  const response = await world.app.request("/api/v1/events");

  world.close();

  expect(await response.text()).toContain("following");
  expect(world.hub.size).toBe(0);
});
