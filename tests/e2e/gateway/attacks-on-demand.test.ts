// The package of attacks is optional: a daemon loads it when somebody asks for attacks (RUN-ATTACKS-1).

import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openFrontDoor, type FrontDoor } from "./front-door.ts";

const loaded = vi.hoisted(() => ({ times: 0 }));

vi.mock("@aos/attacks", async (original) => {
  loaded.times += 1;
  return original();
});

let door: FrontDoor;
beforeAll(async () => {
  door = await openFrontDoor();
});
afterAll(() => door.close());

test("a daemon that is examined does not load the attacks; one that is attacked does", async () => {
  const token = door.token("operator");
  const examined = await door.call("doctor", {}, { token });
  const before = loaded.times;

  const attacked = await door.call("attack", { only: ["E3"] }, { token });

  expect([examined.status, before]).toEqual([200, 0]);
  expect(await attacked.text()).toContain("E3");
  expect(loaded.times).toBe(1);
});
