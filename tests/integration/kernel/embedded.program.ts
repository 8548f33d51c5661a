// An embedded kernel in a Node of its own: it ends when what it waits for has ended, and not before.
//
//   node embedded.program.ts wait|invoke      prints what came of it
//   node embedded.program.ts nothing          waits for nothing: Node may end at once

import { bootKernel } from "@aos/kernel";
import type { Sys } from "@aos/protocol";

const kernel = await bootKernel({
  store: "memory",
  unloadAfterMs: 200,
  programs: {
    sleeper: async (sys: Sys) => {
      await sys.sleep((await sys.now()) + 1500);
      return "slept";
    },
    clerk: async (sys: Sys) => {
      const { id } = await sys.receive();
      await sys.sleep((await sys.now()) + 1500);
      await sys.send("operator", "answered", { replyTo: id });
      return null;
    },
  },
});

const how = process.argv[2];
if (how === "wait") {
  const pid = await kernel.spawn({ agent: "sleeper" });
  console.log((await kernel.wait(pid)).output);
}
if (how === "invoke") {
  const pid = await kernel.spawn({ agent: "clerk" });
  console.log((await kernel.invoke(pid, { input: 1 })).output);
}
if (how === "nothing") {
  await kernel.spawn({ agent: "sleeper" });
  console.log("left");
}
