// A tool of this project. It runs in the sandbox, and reads what its caller may read.

import { defineTool, z } from "agent-os";

export const count = defineTool({
  name: "notes.count",
  version: "1",
  description: "Count the words of a note.",
  tags: ["text"],
  input: z.strictObject({ path: z.string().startsWith("/work/") }),
  output: z.strictObject({ words: z.number().int() }),
  effect: "read",
  touches: [{ kind: "file", resource: "{path}", verb: "read" }],
  run: async ({ path }, context) => {
    const { text } = await context.read(path);
    return { words: text.split(/\s+/).filter(Boolean).length };
  },
});
