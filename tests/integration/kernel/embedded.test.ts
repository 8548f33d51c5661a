// operator/hold-open.ts HOLD-OPEN-1, HOLD-OPEN-2.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { whenAborted } from "@aos/kernel/parts";
import { bootForTest } from "../../helpers/kernel.ts";

const program = fileURLToPath(new URL("embedded.program.ts", import.meta.url));

test.each([
  ["wait", "slept"],
  ["invoke", "answered"],
  ["nothing", "left"],
])("HOLD-OPEN-1: Node lives as long as somebody waits: %s", async (how, said) => {
  const { stdout } = await promisify(execFile)(process.execPath, [program, how]);

  expect(stdout.trim()).toBe(said);
});

test("HOLD-OPEN-2: a wait that is over has left no listener, however it ended", async () => {
  const { kernel } = await bootForTest({
    programs: {
      quick: async () => "done",
      idle: async (sys) => (await sys.receive()).body,
    },
  });
  const signal = new CountedSignal();
  const idle = await kernel.spawn({ agent: "idle" });

  for (let n = 0; n < 20; n++) {
    const pid = await kernel.spawn({ agent: "quick" });
    await kernel.wait(pid, { signal });
    await kernel.wait(idle, { signal, timeoutMs: 1 });
    for await (const _ of kernel.watch(pid, { signal }));
  }

  expect(signal.listeners).toBe(0);
  expect(signal.most).toBeGreaterThan(0);
});

test("HOLD-OPEN-2: a signal that is aborted already is heard, once", () => {
  let heard = 0;
  whenAborted([undefined, AbortSignal.abort(), AbortSignal.abort()], () => heard++);
  expect(heard).toBe(1);
});

/** A signal that is never aborted, and knows who listens. */
class CountedSignal extends EventTarget implements AbortSignal {
  readonly aborted = false;
  readonly reason = undefined;
  onabort = null;
  listeners = 0;
  most = 0;

  override addEventListener(...args: Parameters<AbortSignal["addEventListener"]>): void {
    this.listeners += 1;
    this.most = Math.max(this.most, this.listeners);
    super.addEventListener(...(args as Parameters<EventTarget["addEventListener"]>));
  }

  override removeEventListener(...args: Parameters<AbortSignal["removeEventListener"]>): void {
    this.listeners -= 1;
    super.removeEventListener(...(args as Parameters<EventTarget["removeEventListener"]>));
  }

  throwIfAborted(): void {}
}
