import { expect, test } from "vitest";
import { bootForTest } from "../../helpers/kernel.ts";

test.each([
  ["returns", async () => ({ a: 1, b: undefined, c: [null] })],
  ["returns nothing", async () => undefined],
  [
    "throws",
    async () => {
      throw new Error("no");
    },
  ],
  [
    "exits",
    async (sys: { exit: (code: number, output: string) => Promise<never> }) => sys.exit(3, "x"),
  ],
])("ENDINGS-4: one that %s is told to who waits as its row has it", async (_, program) => {
  const { kernel } = await bootForTest({ programs: { one: program as never } });
  const pid = await kernel.spawn({ agent: "one" });

  const told = await kernel.wait(pid);
  const read = await kernel.wait(pid); // it has ended: the row is read

  expect(told).toEqual(read);
});

test("ENDINGS-4: one that is killed is told to who waits as its row has it", async () => {
  const { kernel } = await bootForTest({ programs: { one: async (sys) => sys.receive() } });
  const pid = await kernel.spawn({ agent: "one" });
  const waiting = kernel.wait(pid);

  await kernel.signal(pid, "SIGKILL");

  expect(await waiting).toEqual(await kernel.wait(pid));
});
