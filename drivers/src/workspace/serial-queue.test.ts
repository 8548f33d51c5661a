import { expect, test } from "vitest";
import { SerialQueue } from "./serial-queue.ts";

test("tasks under one name run one after another, in their order, whether they fail or not", async () => {
  const turns = new SerialQueue();
  const said: string[] = [];
  const work =
    (name: string, fails = false) =>
    async () => {
      said.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      said.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };

  const [a, b, c] = await Promise.allSettled([
    turns.take("x", work("a", true)),
    turns.take("x", work("b")),
    turns.take("x", work("c")),
  ]);

  expect(said).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  expect([a.status, b.status, c.status]).toEqual(["rejected", "fulfilled", "fulfilled"]);
});

test("under two names at the same time", async () => {
  const turns = new SerialQueue();
  let finish = () => {};
  const first = turns.take("x", () => new Promise<void>((resolve) => (finish = resolve)));

  await turns.take("y", async () => finish());

  await first;
});
