import { expect, test } from "vitest";
import { Cooldown } from "./breaker.ts";

test("it lasts as long as was said; a shorter one does not end it, a longer one does", () => {
  const pause = new Cooldown();
  expect(pause.leftMs(0)).toBe(0);

  pause.begin(1000, 0);
  pause.begin(100, 500);
  expect(pause.leftMs(500)).toBe(500);

  pause.begin(2000, 500);
  expect(pause.leftMs(500)).toBe(2000);
  expect(pause.leftMs(2500)).toBe(0);
});
