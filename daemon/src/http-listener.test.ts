import { expect, test } from "vitest";
import { DEFAULT_PORTS } from "./http-listener.ts";

test("HTTP-LISTENER-3: fetch refuses none of the ports that nobody chose", async () => {
  const reasons = await Promise.all(
    DEFAULT_PORTS.map((port) =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => "",
        (error: Error) => String((error.cause as Error | undefined)?.message),
      ),
    ),
  );

  expect(reasons).not.toContain("bad port");
});
