import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import { clickOn } from "./page-actions.ts";
import { Cdp } from "./cdp.ts";
import { PageGate, PageCall } from "./page-gate.ts";
import { OpenPages } from "./open-pages.ts";

interface Said {
  readonly id: number;
  readonly method: string;
  readonly sessionId?: string;
  readonly params: { readonly type?: string };
}

/** A browser with two windows, which answers everything but what closes the second: that one goes silently. */
async function browserWithTwoWindows(closesAt: (said: Said) => boolean) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const gate = new PageGate();
  const cdp = new Cdp({ input, output, onEvent: () => {}, onBroken: () => {} });
  const windows = new OpenPages(cdp, gate);
  const closed = new Set<string>();
  input.on("data", (bytes: Buffer) => {
    const said = JSON.parse(bytes.toString().slice(0, -1)) as Said;
    if (said.sessionId !== undefined && closed.has(said.sessionId)) return;
    if (closesAt(said)) {
      closed.add(said.sessionId!);
      windows.remove(said.sessionId!);
      return;
    }
    const result = {
      "Page.createIsolatedWorld": { executionContextId: 1 },
      "Runtime.evaluate": { result: { value: { x: 1, y: 1 } } },
      "Target.getTargetInfo": { targetInfo: { title: said.sessionId ?? "" } },
    }[said.method];
    output.write(`${JSON.stringify({ id: said.id, result: result ?? {} })}\0`);
  });
  for (const id of ["first", "second"]) {
    windows.add({ id, sessionId: id });
    windows.bySession(id)!.url = `https://a.example/${id}`;
  }
  const call = new PageCall(deviceContextForTest(), true);
  return clickOn({ selector: "#b", timeoutMs: 20_000 })(windows, call);
}

test.each([
  ["when the button is pressed", ({ params }: Said) => params.type === "mousePressed"],
  ["when it is let go", ({ params }: Said) => params.type === "mouseReleased"],
  [
    "when it is asked for its title",
    ({ method, sessionId }: Said) => method === "Target.getTargetInfo" && sessionId === "second",
  ],
])(
  "PAGE-ACTIONS-2: a window that closes itself %s leaves the one before",
  async (_when, closesAt) => {
    const clicked = await browserWithTwoWindows(closesAt);

    expect(clicked).toMatchObject({ url: "https://a.example/first", title: "first", loaded: true });
  },
);
