import { expect, test } from "vitest";
import { deviceContextForTest } from "../../../../tests/helpers/drivers/device-context.ts";
import type { Cdp } from "./cdp.ts";
import { PageGate, PageCall } from "./page-gate.ts";
import { judgeRequest } from "./requests.ts";

/** What the browser is told of a request of this frame, where everything is granted. */
function toldOf(frameId: string): string[] {
  const told: string[] = [];
  const gate = new PageGate();
  gate.open(new PageCall(deviceContextForTest(), true));
  judgeRequest(
    {
      requestId: "r",
      frameId,
      resourceType: "Document",
      request: { url: "https://a.example/", method: "GET" },
    },
    {
      cdp: { tell: (method: string) => void told.push(method) } as unknown as Cdp,
      gate,
      isWindow: () => true,
      isUnwanted: (frame) => frame === "unwanted",
    },
  );
  return told;
}

test("a window that is one too many reaches nothing, whatever is granted", () => {
  expect(toldOf("wanted")).toEqual(["Fetch.continueRequest"]);
  expect(toldOf("unwanted")).toEqual(["Fetch.failRequest"]);
});
