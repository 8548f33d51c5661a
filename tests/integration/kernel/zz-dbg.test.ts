import { test } from "vitest";
import { bootForTest, until, sleepMs } from "/work/main/tests/helpers/kernel.ts";
test.each(Array.from({ length: 60 }, (_, i) => i))("dbg %i", async () => {
  const booted = await bootForTest({
    programs: {
      shy: async (sys) => {
        const heard: string[] = [];
        await sys.handle("SIGUSR2", (signal) => void heard.push(signal));
        await sys.mask(["SIGUSR2", "SIGTERM"]);
        await sys.receive();
        const before = [...heard];
        await sys.mask([]);
        await sys.now();
        return [before, heard];
      },
    },
  });
  const pid = await booted.kernel.spawn({ agent: "shy" });
  await until(async () => (await booted.kernel.show(pid)).waitingOn === "message", "waiting");
  await booted.kernel.signal(pid, "SIGUSR2");
  const { kernel } = await booted.again();
  await sleepMs(50);
  await kernel.send(pid, "go on");
  await kernel.wait(pid);
});
