// Echo: returns its arguments. For examples and tests.

import type { JsonObject } from "@aos/protocol";
import { z } from "zod";
import { defineTool } from "./define-tool.ts";

export const echo = defineTool({
  name: "echo",
  version: "1",
  description: "Return the arguments as they are.",
  input: z.looseObject({}),
  effect: "read",
  sinks: () => [],
  run: async (args) => args as JsonObject,
  // It says only what the process itself said.
  label: { integrity: "trusted", secrecy: "public" },
});
