import { argumentFields } from "@aos/protocol";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { mcpToolRows } from "./server.ts";

/** Arguments that a tool takes in another form than its operation: a model writes them. */
const OTHER_FORM: Readonly<Record<string, readonly string[]>> = {
  submit_goal: ["manifest", "input"],
  list_runs: ["limit", "states"],
  approve: ["choice"],
};

type Schema = Readonly<Record<string, unknown>>;

const fieldsOf = (shape: z.ZodRawShape): Record<string, Schema> =>
  z.toJSONSchema(z.strictObject(shape), {
    io: "input",
    target: "draft-2020-12",
    unrepresentable: "any",
  }).properties as Record<string, Schema>;

describe.each(mcpToolRows(true).map((row) => [row.tool.name, row] as const))("%s", (name, row) => {
  const ofOperation = fieldsOf(argumentFields(row.needs!) as z.ZodRawShape);
  const ofTool = (row.tool.inputSchema.properties ?? {}) as Record<string, Schema>;
  const shared = Object.keys(ofTool).filter((argument) => argument in ofOperation);

  test("an argument of its operation has the schema and the words of the operation's row", () => {
    for (const argument of shared.filter((one) => !OTHER_FORM[name]?.includes(one))) {
      const { description: said, ...schema } = ofTool[argument]!;
      const { description, ...expected } = ofOperation[argument]!;
      expect({ argument, ...schema }).toEqual({ argument, ...expected });
      expect(said ?? "").toContain(description ?? "");
    }
  });

  test("an argument in another form is listed, and no other is", () => {
    for (const argument of OTHER_FORM[name] ?? []) {
      expect(shared).toContain(argument);
      expect(ofTool[argument]).not.toEqual(ofOperation[argument]);
    }
  });

  test("every argument of its own says what it is", () => {
    for (const argument of Object.keys(ofTool))
      if (!(argument in ofOperation)) expect(ofTool[argument]).toHaveProperty("description");
  });
});
