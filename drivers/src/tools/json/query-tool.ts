// json.query: a part of a JSON value, or of a JSON file, by a JMESPath expression.

import { type DeviceContext, type Json, SysError } from "@aos/protocol";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { fileTouch } from "../file/file-args.ts";
import { atLocation } from "../file/file-location.ts";
import { withFile } from "../file/open-checked.ts";
import { filePath } from "../file/path-text.ts";
import { decodeText, readFileBytes } from "../file/text.ts";
import { onSideThread } from "../side-thread.ts";
import type { ProgramRunner } from "../program-runner.ts";

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_RESULT_CHARS = 4 * 1024 * 1024;

export const createQueryTool = (runner: ProgramRunner) =>
  defineTool({
    name: "json.query",
    version: "1",
    description:
      "Take a part of a JSON value, or of a JSON file, by a JMESPath expression, e.g. `people[?age > `20`].name`.",
    tags: ["json", "query"],
    input: z.strictObject({
      query: z.string().min(1).max(10_000),
      json: (z.unknown() as unknown as z.ZodType<Json>).optional(),
      path: filePath.optional(),
    }),
    effect: "read",
    sinks: () => [],
    touches: ({ path }) => (path === undefined ? [] : [fileTouch("read", path)]),
    run: async ({ query, json, path }, context) => {
      if ((json === undefined) === (path === undefined))
        throw new SysError("EINVAL", "json.query: give either json or path");
      if (path === undefined) context.label({ integrity: "trusted", secrecy: "public" });
      const value = path === undefined ? json : await readJson(runner, context, path);
      const data = { json: value, query, most: MAX_RESULT_CHARS };
      const text = await onSideThread<string>(THREAD, data, "json.query");
      return JSON.parse(text) as Json;
    },
  });

const THREAD = new URL("./query-thread.ts", import.meta.url);

async function readJson(
  runner: ProgramRunner,
  context: DeviceContext,
  path: string,
): Promise<Json> {
  const text = await atLocation(runner, context, [path], (place) =>
    withFile(place.machine(path), "read", place.gate, async (file) => {
      const bytes = await readFileBytes(file, 0, MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES)
        throw new SysError("EINVAL", `${path} has more than ${MAX_BYTES} bytes`);
      return decodeText(bytes, false, path);
    }),
  );
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new SysError("EINVAL", `${path} is not JSON: ${(error as Error).message}`);
  }
}
