// Streams are another way to the same files: what is asked of a path is asked of a stream on it.

import type { Tool } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, until } from "../../helpers/kernel.ts";

const page: Tool = {
  name: "page",
  version: "1",
  description: "what it returns has no label: it is untrusted",
  input: {},
  effect: "read",
  touches: () => [],
  run: async () => "words of somebody else",
};

test("a RED process adds nothing to what others trust without a person", async () => {
  const { kernel } = await bootForTest({
    tools: [page],
    programs: {
      author: async (sys) => sys.write("/mem/shared/rules", "trusted words"),
      vandal: async (sys) => {
        await sys.exec("page", {});
        const mine = await sys.open("/mem/shared/mine", "append");
        await sys.write(mine, "my own words"); // nobody relies on them
        const rules = await sys.open("/mem/shared/rules", "append");
        await sys.write(rules, "poison");
      },
    },
  });
  const capabilities = ["tool:page:call", "memory:/mem/shared/**:read,write"];
  await kernel.wait(await kernel.spawn({ agent: "author", capabilities }));

  const pid = await kernel.spawn({ agent: "vandal", capabilities });
  await until(async () => (await kernel.questions()).length === 1, "the question");
  const [question] = await kernel.questions();
  await kernel.answer(question!.id, { by: "alice", choice: "deny" });

  expect(question!.about).toMatchObject({ call: "write", sinks: ["destructive"] });
  expect((await kernel.wait(pid)).error?.code).toBe("EDENIED");
});
